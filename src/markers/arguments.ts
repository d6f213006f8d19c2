import { Float, type Json, type JsonObject } from '../model/index.ts';
import {
  type ArgumentType,
  isMarkerUse,
  type Marker,
  type MarkerArgument,
  type MarkerProblem,
  type Parameter,
  RegularExpression,
} from './marker.ts';
import { patternOf } from './pattern.ts';
import { nearest } from './suggestion.ts';

/** A problem with one argument, or with the marker as a whole where `index` is undefined; `member` names the option concerned. */
export interface ArgumentProblem extends MarkerProblem {
  readonly index?: number;
  readonly member?: string;
}

/** What is wrong with a marker's arguments: how many there are, and whether each fits its parameter. */
export function checkArguments(marker: Marker, values: readonly MarkerArgument[]): readonly ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  let index = 0;
  for (const parameter of marker.parameters) {
    if (parameter.rest !== undefined) {
      if (values.length - index < parameter.rest.minimum) problems.push({ problem: missing(parameter) });
      for (; index < values.length; index++) problems.push(...checked(values[index], parameter, index));
    } else if (index < values.length) {
      problems.push(...checked(values[index], parameter, index));
      index++;
    } else if (parameter.optional !== true) {
      problems.push({ problem: missing(parameter) });
    }
  }
  if (index < values.length) {
    const most = marker.parameters.length;
    problems.push({
      problem:
        most === 0
          ? 'it takes no arguments'
          : `it takes ${most} argument${most === 1 ? '' : 's'}, not ${values.length}`,
      index,
    });
  }
  return problems;
}

function missing(parameter: Parameter): string {
  const minimum = parameter.rest?.minimum ?? 1;
  return minimum > 1 ? `it needs at least ${minimum} ${parameter.name}` : `its argument '${parameter.name}' is missing`;
}

function checked(value: MarkerArgument | undefined, parameter: Parameter, index: number): ArgumentProblem[] {
  const problems = value === undefined ? [] : typeProblems(value, parameter.type);
  return problems.map(({ member, problem, remedy }) => ({
    index,
    problem: member === undefined ? `its argument '${parameter.name}' ${problem}` : problem,
    ...(member === undefined ? {} : { member }),
    ...(remedy === undefined ? {} : { remedy }),
  }));
}

function typeProblems(value: MarkerArgument, type: ArgumentType): ArgumentProblem[] {
  if (type.kind === 'options') return optionProblems(value, type.members);
  if (type.kind === 'list') return listProblems(value, type.items);
  if (type.kind === 'text') return textProblems(value, type.values);
  if (type.kind === 'number') return numberProblems(value);
  if (type.kind === 'pattern') return patternProblems(value);
  const problem = simpleProblem(value, type.kind);
  if (problem === undefined) return [];
  const single = type.kind === 'scalar' || type.kind === 'string' || type.kind === 'count';
  return [{ problem, ...(single && Array.isArray(value) ? { remedy: 'write the values without brackets' } : {}) }];
}

type SimpleKind = Exclude<ArgumentType['kind'], 'options' | 'list' | 'text' | 'number' | 'pattern'>;

/** What each simple type wants, and what to say when a value is something else. */
const simpleTypes: Readonly<Record<SimpleKind, readonly [(value: MarkerArgument) => boolean, string]>> = {
  string: [(value) => typeof value === 'string', 'must be a string'],
  boolean: [(value) => typeof value === 'boolean', 'must be true or false'],
  count: [isCount, 'must be a whole number of at least 0'],
  booleanOrString: [
    (value) => typeof value === 'boolean' || typeof value === 'string',
    'must be a boolean or a string',
  ],
  scalar: [isScalar, 'must be strings, numbers or booleans'],
  strings: [
    (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    'must be a list of strings',
  ],
  stringMap: [isStringMap, 'must be an object of strings'],
  json: [isJson, 'must be a JSON value'],
  object: [isObject, 'must be an object'],
  marker: [isMarkerUse, 'must be markers'],
};

function simpleProblem(value: MarkerArgument, kind: SimpleKind): string | undefined {
  const [fits, problem] = simpleTypes[kind];
  return fits(value) ? undefined : problem;
}

function isCount(value: MarkerArgument): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isScalar(value: MarkerArgument): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || isNumber(value);
}

function isStringMap(value: MarkerArgument): boolean {
  return isObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

function numberProblems(value: MarkerArgument): ArgumentProblem[] {
  if (typeof value === 'bigint') {
    return [{ problem: 'is beyond the numbers that are exact (2^53 - 1)' }];
  }
  return isNumber(value) && Number.isFinite(value instanceof Float ? value.value : value)
    ? []
    : [{ problem: 'must be a number' }];
}

function textProblems(value: MarkerArgument, values: readonly string[]): ArgumentProblem[] {
  if (typeof value === 'string' && values.includes(value)) return [];
  const meant = typeof value === 'string' ? nearest(value, values) : undefined;
  return [
    {
      problem: `must be one of ${values.map((one) => `'${one}'`).join(', ')}`,
      ...(meant === undefined ? {} : { remedy: `did you mean '${meant}'?` }),
    },
  ];
}

function patternProblems(value: MarkerArgument): ArgumentProblem[] {
  if (typeof value !== 'string' && !(value instanceof RegularExpression)) {
    return [{ problem: 'must be a string or a regular expression' }];
  }
  const pattern = patternOf(value);
  return typeof pattern === 'string' ? [] : [{ member: 'pattern', ...pattern }];
}

/** Each wrong item is one problem, which says what the item must be. */
function listProblems(value: MarkerArgument, items: ArgumentType): ArgumentProblem[] {
  if (!Array.isArray(value)) return [{ problem: 'must be a list' }];
  return (value as readonly MarkerArgument[]).flatMap((item, index) =>
    typeProblems(item, items).map(({ problem, remedy }) => ({
      problem: `has a wrong item ${index + 1}: it ${problem.replace(/^it /, '')}`,
      ...(remedy === undefined ? {} : { remedy }),
    })),
  );
}

function optionProblems(
  value: MarkerArgument,
  members: Extract<ArgumentType, { kind: 'options' }>['members'],
): ArgumentProblem[] {
  if (!isObject(value)) {
    const needed = Object.keys(members).filter((name) => members[name]?.required === true);
    const names = needed.length === 0 ? Object.keys(members).slice(0, 1) : needed;
    return [{ problem: 'must be an object', remedy: `write { ${names.map((name) => `${name}: ...`).join(', ')} }` }];
  }
  const problems: ArgumentProblem[] = [];
  for (const [name, item] of Object.entries(value)) {
    const option = Object.hasOwn(members, name) ? members[name] : undefined;
    if (option === undefined) {
      const meant = nearest(name, Object.keys(members));
      problems.push({
        member: name,
        problem: `it has no option '${name}'`,
        ...(meant === undefined ? {} : { remedy: `did you mean '${meant}'?` }),
      });
      continue;
    }
    for (const { problem, remedy } of typeProblems(item, option.type)) {
      problems.push({
        member: name,
        problem: `its option '${name}' ${problem}`,
        ...(remedy === undefined ? {} : { remedy }),
      });
    }
  }
  for (const [name, option] of Object.entries(members)) {
    if (option.required === true && !Object.hasOwn(value, name)) {
      problems.push({ problem: `its option '${name}' is missing`, member: name });
    }
  }
  return problems;
}

function isNumber(value: MarkerArgument): value is number | bigint | Float {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

function isObject(value: MarkerArgument): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float) &&
    !(value instanceof RegularExpression) &&
    !isMarkerUse(value)
  );
}

/** Whether all of a value is JSON: no regular expression and no marker in it. */
function isJson(value: MarkerArgument): value is Json {
  if (value instanceof RegularExpression || isMarkerUse(value)) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return isObject(value) ? Object.values(value).every(isJson) : true;
}
