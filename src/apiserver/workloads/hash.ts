import { isArray, isObject, type Json } from '../json.ts';
import { stringify } from '../json-text.ts';

const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** A short text that stands for a pod template: equal templates have equal ones. The real controllers hash other bytes. */
export function templateHash(template: Json | undefined, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${stringify(sorted(template ?? null))}${collisions === 0 ? '' : collisions}`))
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return String(hash).replaceAll(/\d/g, (digit) => letters[digit.charCodeAt(0) % letters.length] ?? '');
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name] ?? null)]),
  );
}
