export type * from './v2.generated.ts';
