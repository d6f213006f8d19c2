import { printDouble } from './print.ts';
import { Uint } from './uint.ts';
import { CelError, CelObject, type Value } from './values.ts';

/** A value as error messages show it. */
export function printValue(value: Value): string {
  if (typeof value === 'number') return printDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof CelError) return value.message;
  if (value === null) return '0';
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  if (value instanceof CelObject) return String(value);
  return typeof value === 'object' ? value.name : String(value);
}
