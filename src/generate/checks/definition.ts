import type { Diagnostic, Kind, Schema, Version } from '../../model/index.ts';
import { checkRules, compileRules } from '../../schema/cel/index.ts';
import { DecodeError, type FieldError, type RuleEvaluator, validateDefinition } from '../../schema/index.ts';
import { definitionToJson } from '../crd/definition.ts';
import { schemaToJson } from '../crd/schema-json.ts';
import { codeOf, locate } from './locate.ts';
import { mend, type MendedKind } from './mend.ts';
import { remedyFor } from './remedies.ts';
import { findPlace, keywordPosition, type Place, rootPlace } from './visit.ts';

/** Major and minor. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
}

/**
 * What the API server would say to a kind's definition, at the places in the sources that it comes from. CEL rules may use what
 * `kubernetesVersion` understands.
 */
export function checkDefinition(kind: Kind, kubernetesVersion: KubernetesVersion): Diagnostic[] {
  const definition = definitionToJson(kind);
  try {
    const evaluateRules = defaultRules(`${kubernetesVersion.major}.${kubernetesVersion.minor}`);
    const { errors, warnings } = validateDefinition(definition, { evaluateRules, decoded });
    const found = errors
      // The name of the first version is judged twice.
      .filter(({ field }) => field !== 'spec.version')
      .map((error) => toDiagnostic(kind, error));
    // The server looks at defaults only where nothing else is wrong.
    const mended = mend(kind, errors);
    const defaults =
      mended === undefined
        ? []
        : validateDefinition(definitionToJson(mended.kind), { evaluateRules })
            .errors.map((error) => toDiagnostic(mended.kind, error))
            .filter(({ code }) => code === 'CO2052');
    const rules = kind.versions.flatMap((version, index) =>
      checkVersionRules(kind, version, index, errors, mended, kubernetesVersion),
    );
    return [
      ...unique([...found, ...defaults, ...rules]),
      ...[...new Set(warnings)].map((warning) => toWarning(kind, warning)),
    ];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [problem('CO2050', `the API server cannot read the definition of ${kind.kind}: ${error.message}`, kind)];
  }
}

/** The schemas of Kubernetes' types stand in many kinds. */
const decoded = new WeakMap<object, object>();

const evaluators = new Map<string, RuleEvaluator>();

/** Evaluates rules on defaults, as the server does; rules that do not compile are reported for themselves. */
function defaultRules(kubernetesVersion: string): RuleEvaluator {
  const known = evaluators.get(kubernetesVersion) ?? makeEvaluator(kubernetesVersion);
  evaluators.set(kubernetesVersion, known);
  return known;
}

function makeEvaluator(kubernetesVersion: string): RuleEvaluator {
  return (schema, value, path) => {
    if (checkRules(schema, { kubernetesVersion }).errors.length > 0) return [];
    return compileRules(schema, { kubernetesVersion })
      .evaluate(value)
      .errors.map((error) => {
        const field = error.field === '<nil>' ? path : `${path}.${error.field}`;
        return { ...error, field, message: error.message.replace(error.field, () => field) };
      });
  };
}

/** The keywords that types come from. */
const shape =
  /^(type|properties|items|additionalProperties|allOf|anyOf|oneOf|not|x-kubernetes-(int-or-string|preserve-unknown-fields|embedded-resource))\b/;

/**
 * Compiles the rules of a version. Where its schema is not structural, nothing is known of the types there: then those rules are
 * compiled that see nothing of it, and of the others only the syntax counts.
 */
function checkVersionRules(
  kind: Kind,
  version: Version,
  index: number,
  refused: readonly FieldError[],
  mended: MendedKind | undefined,
  { major, minor }: KubernetesVersion,
): Diagnostic[] {
  if (findPlace(rootPlace(version), hasRules, withoutRules) === undefined) return [];
  const check = (schema: Schema, structural: boolean): readonly FieldError[] =>
    checkRules(schemaToJson(schema), {
      kubernetesVersion: `${major}.${minor}`,
      path: `spec.versions[${index}].schema.openAPIV3Schema`,
      structural,
    }).errors;
  const isSound = !refused.some(({ field }) => shape.test(locate(kind, field).rest));
  const whole = mended?.kind.versions[index];
  if (isSound || whole === undefined || mended === undefined)
    return check(version.schema, isSound).map((error) => toDiagnostic(kind, error));
  const seen = check(whole.schema, true).filter(({ field }) => mended.isWhole(index, locate(kind, field).path));
  return [...check(version.schema, false), ...seen].map((error) => toDiagnostic(kind, error));
}

const withoutRules = new WeakSet<Schema>();

const hasRules = (schema: Schema): boolean => schema['x-kubernetes-validations'] !== undefined;

function unique(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((each) => [JSON.stringify([each.message, each.position]), each])).values()];
}

function toDiagnostic(kind: Kind, error: FieldError): Diagnostic {
  const { position, path, rest } = locate(kind, error.field);
  const code = codeOf(rest);
  // The value of a faulty rule is the whole rule, printed by Go; what is wrong with it shows its text.
  const isRule = code === 'CO2053' && error.type === 'FieldValueInvalid' && error.detail !== '';
  // The place is said already.
  const reason = (isRule ? error.detail : withoutField(error)).replace(/:  in body /, ': it ');
  const remedy = remedyFor(rest, reason);
  return {
    code,
    severity: 'error',
    message: `the API server refuses ${rest === '' ? 'this' : rest}: ${reason}`,
    position,
    ...(path === '' ? {} : { path }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function withoutField({ field, message }: FieldError): string {
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}

/** The server's warnings name no field: the first place that they fit is meant. */
function toWarning(kind: Kind, warning: string): Diagnostic {
  const format = /^unrecognized format "(.*)"$/.exec(warning)?.[1];
  const setOf = /^x-kubernetes-list-type: set for items of type "(.*)"/.exec(warning)?.[1];
  const isMeant = (schema: Schema): boolean =>
    setOf === undefined
      ? format !== undefined && schema.format === format
      : schema['x-kubernetes-list-type'] === 'set' && schema.items?.type === setOf;
  const [place] = kind.versions.flatMap((version) => findPlace(rootPlace(version), isMeant) ?? []);
  const found = problem('CO2051', `the API server warns: ${warning}`, kind, place);
  const remedy = format === undefined ? atomicItems : checkedFormats;
  return format === undefined && setOf === undefined ? found : { ...found, remedy };
}

const checkedFormats =
  "use one that it checks, such as date-time, email, ipv4, cidr, uri, uuid; or Pattern, or say it in the member's description";
const atomicItems = "use ListType('map', ...) with the members that tell items apart, or ListType('atomic')";

function problem(code: string, message: string, kind: Kind, place?: Place): Diagnostic {
  const severity = code === 'CO2051' ? 'warning' : 'error';
  if (place === undefined) return { code, severity, message, position: kind.position };
  const position = keywordPosition(place, 'format', 'x-kubernetes-list-type');
  return { code, severity, message, position, ...(place.path === '' ? {} : { path: place.path }) };
}
