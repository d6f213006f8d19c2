export type * from './v1alpha3.generated.ts';
