import { codePointCount } from './source.ts';
import { CelObject, type Value } from './values.ts';

/** The size of a value as costs count it: code points, bytes, elements or entries; 1 for everything else. */
export function costSize(value: Value): number {
  if (typeof value === 'string') return codePointCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelObject) return value.costSize ?? 1;
  return 1;
}
