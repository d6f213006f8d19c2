import type { Diagnostic, Kind } from '../../model/index.ts';
import { type DefinitionValidationOptions, validateDefinition } from '../../schema/definition-validation.ts';
import type { FieldError } from '../../schema/field-error.ts';
import { DecodeError } from '../../schema/go-decoder.ts';
import { definitionToJson } from '../crd/definition.ts';
import { locate } from './locate.ts';
import { keywordPosition, type Place, placesOf } from './visit.ts';

/** How CEL rules are compiled, and evaluated on defaults. */
export type RuleHooks = Pick<DefinitionValidationOptions, 'checkRules' | 'evaluateRules'>;

/** What the API server would say to a kind's definition, at the places in the sources that it comes from. */
export function checkDefinition(kind: Kind, hooks: RuleHooks): Diagnostic[] {
  try {
    const { errors, warnings } = validateDefinition(definitionToJson(kind), hooks);
    return [
      // The name of the first version is judged twice.
      ...errors.filter(({ field }) => field !== 'spec.version').map((error) => toDiagnostic(kind, error)),
      ...[...new Set(warnings)].map((warning) => toWarning(kind, warning)),
    ];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [problem('CO2050', `the API server cannot read the definition of ${kind.kind}: ${error.message}`, kind)];
  }
}

function toDiagnostic(kind: Kind, error: FieldError): Diagnostic {
  const { position, path, rest } = locate(kind, error.field);
  const reason = error.message.startsWith(`${error.field}: `)
    ? error.message.slice(error.field.length + 2)
    : error.message;
  return {
    code: codeOf(rest),
    severity: 'error',
    message: `the API server refuses ${rest === '' ? 'this' : rest}: ${reason}`,
    position,
    ...(path === '' ? {} : { path }),
  };
}

function codeOf(rest: string): string {
  if (/^x-kubernetes-validations\b/.test(rest)) return 'CO2053';
  return /^default\b/.test(rest) ? 'CO2052' : 'CO2050';
}

/** The server's warnings name no field: the first place that they fit is meant. */
function toWarning(kind: Kind, warning: string): Diagnostic {
  const places = kind.versions.flatMap((version) => [...placesOf(version)]);
  const format = /^unrecognized format "(.*)"$/.exec(warning)?.[1];
  const setOf = /^x-kubernetes-list-type: set for items of type "(.*)"/.exec(warning)?.[1];
  const place = places.find(({ schema }) =>
    setOf === undefined
      ? format !== undefined && schema.format === format
      : schema['x-kubernetes-list-type'] === 'set' && schema.items?.type === setOf,
  );
  return problem('CO2051', `the API server warns: ${warning}`, kind, place);
}

function problem(code: string, message: string, kind: Kind, place?: Place): Diagnostic {
  const severity = code === 'CO2051' ? 'warning' : 'error';
  if (place === undefined) return { code, severity, message, position: kind.position };
  const position = keywordPosition(place, 'format', 'x-kubernetes-list-type');
  return { code, severity, message, position, ...(place.path === '' ? {} : { path: place.path }) };
}
