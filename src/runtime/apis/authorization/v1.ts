export type * from './v1.generated.ts';
