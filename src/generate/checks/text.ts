import { type Diagnostic, Float, type Json, type Kind } from '../../model/index.ts';
import { definitionToJson } from '../crd/definition.ts';

/** Texts with half a surrogate pair: neither YAML nor the API can hold them. */
export function checkText(kind: Kind): Diagnostic[] {
  const broken = textsOf(definitionToJson(kind)).find((text) => !text.isWellFormed());
  if (broken === undefined) return [];
  return [
    {
      code: 'CO2031',
      severity: 'error',
      message: `the text ${JSON.stringify(broken)} holds half a surrogate pair`,
      position: kind.position,
    },
  ];
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item: Json) => textsOf(item));
  if (typeof value !== 'object' || value === null || value instanceof Float) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}
