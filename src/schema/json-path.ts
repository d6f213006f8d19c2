import { Float, type Json } from '../model/index.ts';
import { goJson, goValue } from './go-format.ts';
import { isList, isObject } from './json.ts';
import { type JsonPathNode, parseTemplate } from './json-path-parser.ts';
import { JsonPathError } from './json-path-error.ts';

export { JsonPathError } from './json-path-error.ts';

/**
 * A JSONPath as kubectl and the server's printer columns have it (`client-go/util/jsonpath`): fields, indexes, slices, `*`, `..`,
 * unions, filters and literals. `range` and `end` are refused: they belong to kubectl's templates, not to a path.
 */
export class JsonPath {
  readonly source: string;
  readonly #nodes: readonly JsonPathNode[];

  constructor(source: string) {
    this.source = source;
    this.#nodes = parseTemplate(`{${source}}`);
  }

  /** The values found, in order; none where a key is missing. Throws a {@link JsonPathError} where the path does not fit the value. */
  evaluate(root: Json): Json[] {
    return evaluateNodes([root], this.#nodes);
  }
}

/** What `evaluate` found as kubectl and printer columns print it: objects and lists as JSON, other values as text. */
export function printJsonPathValue(value: Json, stringify: (value: Json) => string = goJson): string {
  if (value === null) return '<no value>';
  return isList(value) || isObject(value) ? stringify(value) : goValue(value);
}

/**
 * Why a path of a printer column or of the scale subresource is refused, or undefined. Hardly anything is: a dot must stand first.
 */
export function checkSimpleJsonPath(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('.')) return 'must be a simple json path starting with .';
  return undefined;
}

/** The member names of a scale path (`.spec.replicas` is `spec`, `replicas`). */
export function simpleJsonPathNames(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function evaluateNodes(input: readonly Json[], nodes: readonly JsonPathNode[]): Json[] {
  let values = [...input];
  for (const node of nodes) values = evaluateNode(values, node);
  return values;
}

function evaluateNode(input: readonly Json[], node: JsonPathNode): Json[] {
  switch (node.type) {
    case 'literal':
      // A text stands for itself, whatever there is.
      return typeof node.value === 'string' ? [node.value] : input.map(() => node.value);
    case 'field':
      return input.flatMap((value) =>
        isObject(value) && Object.hasOwn(value, node.name) ? [value[node.name] ?? null] : [],
      );
    case 'identifier':
      throw new JsonPathError(`unrecognized identifier ${node.name}`);
    case 'wildcard':
      return input.flatMap(children);
    case 'recursive':
      return input.flatMap(descendants);
    case 'slice':
      return input.flatMap((value) => slice(value, node));
    case 'union':
      return node.branches.flatMap((branch) => evaluateNodes(input, branch));
    default:
      return input.flatMap((value) => filter(value, node));
  }
}

/** Members in the order of their names, as Go's maps have none; a text has its bytes. */
function children(value: Json): Json[] {
  if (isList(value)) return [...value];
  if (typeof value === 'string') return Array.from(Buffer.from(value));
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .map((name) => value[name] ?? null);
}

function descendants(value: Json): Json[] {
  const below = children(value);
  return below.length === 0 ? [] : [value, ...below.flatMap(descendants)];
}

function slice(value: Json, node: Extract<JsonPathNode, { type: 'slice' }>): Json[] {
  if (value === null) return [];
  if (!isList(value)) throw new JsonPathError('value is not array or slice');
  const length = value.length;
  let start = node.start ?? 0;
  let end = node.end ?? length;
  if (start < 0) start += length;
  if (end < 0 || (end === 0 && node.isSingle)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0)
    throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`);
  if (end > length || end < 0) throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${length}`);
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  const step = node.step ?? 1;
  if (step <= 0) throw new JsonPathError('step must be > 0');
  return value.slice(start, end).filter((_, index) => index % step === 0);
}

function filter(value: Json, node: Extract<JsonPathNode, { type: 'filter' }>): Json[] {
  if (!isList(value)) throw new JsonPathError('value is not array or slice and cannot be filtered');
  return value.filter((item) => {
    if (node.operator === 'exists') {
      try {
        return evaluateNodes([item], node.left).length > 0;
      } catch (error) {
        if (error instanceof JsonPathError) return false;
        throw error;
      }
    }
    const left = single(evaluateNodes([item], node.left));
    if (left === undefined) return false;
    const right = single(evaluateNodes([item], node.right));
    return right !== undefined && compare(left, node.operator, right);
  });
}

function single(values: readonly Json[]): Json | undefined {
  if (values.length > 1) throw new JsonPathError('can only compare one element at a time');
  return values[0];
}

function compare(left: Json, operator: string, right: Json): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw new JsonPathError('incompatible types for comparison');
  const [a, b] = [plain(left), plain(right)];
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  if (kind === 'boolean') throw new JsonPathError('invalid type for comparison');
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function plain(value: Json): string | number | bigint | boolean {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value === 'object') throw new JsonPathError('invalid type for comparison');
  return value;
}

function kindOf(value: Json): string {
  const value_ = plain(value);
  return typeof value_;
}
