import { type Diagnostic, Float, type Json, type JsonObject, type Kind } from '../../model/index.ts';
import { definitionToJson } from '../crd/definition.ts';

/** Texts with half a surrogate pair: neither YAML nor the API can hold them. */
export function checkText(kind: Kind): Diagnostic[] {
  const broken = brokenText(definitionToJson(kind));
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

/** Objects without such a text; those of Kubernetes' types stand in many kinds. */
const sound = new WeakSet<object>();

function brokenText(value: Json): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : value;
  if (typeof value !== 'object' || value === null || value instanceof Float || sound.has(value)) return undefined;
  for (const name of Object.keys(value)) {
    const broken = brokenText(name) ?? brokenText((value as JsonObject)[name] ?? null);
    if (broken !== undefined) return broken;
  }
  sound.add(value);
  return undefined;
}
