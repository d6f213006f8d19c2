import type { CelType } from './types.ts';

/** The fields of each object type of a schema, by the type's name. */
export type ObjectFields = ReadonlyMap<string, ReadonlyMap<string, CelType>>;
