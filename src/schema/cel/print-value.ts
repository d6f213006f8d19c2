import { printDouble } from './print.ts';
import { CelError, CelObject, type Value } from './values.ts';

/** A value as error messages show it. */
export function printValue(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return printDouble(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      break;
  }
  if (value === null) return '0';
  if (value instanceof CelError) return value.message;
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  return value instanceof CelObject ? value.toString() : value.name;
}
