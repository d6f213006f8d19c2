import { isObject, type Json, type JsonObject, list, member, object, plain, text, texts } from '../json.ts';

/** A test of an object's labels. */
export interface LabelSelector {
  readonly empty: boolean;
  matches(labels: JsonObject): boolean;
  readonly requirements: readonly LabelRequirement[];
}

export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/**
 * Parses the text form of a label selector (`a=b,c in (d,e),!f,g>1`).
 *
 * @throws SelectorError with the message of apimachinery's parser
 */
export function parseLabelSelector(source: string): LabelSelector {
  return selectorOf(new Parser(source).parse());
}

/**
 * The selector that a `metav1.LabelSelector` object stands for; an empty one matches everything.
 *
 * @throws SelectorError for an operator that does not exist
 */
export function labelSelectorOf(selector: Json | undefined): LabelSelector {
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(object(selector, 'matchLabels')))
    requirements.push({ key, operator: '=', values: [plain(value)] });
  for (const expression of list(selector, 'matchExpressions')) {
    const operator = ({ In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' } as const)[
      text(expression, 'operator')
    ];
    if (operator === undefined)
      throw new SelectorError(`"${text(expression, 'operator')}" is not a valid label selector operator`);
    requirements.push({ key: text(expression, 'key'), operator, values: texts(expression, 'values') });
  }
  return selectorOf(requirements);
}

export function labelsOf(value: JsonObject): JsonObject {
  return object(value, 'metadata', 'labels');
}

function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  return {
    empty: requirements.length === 0,
    requirements,
    matches: (labels) => requirements.every((requirement) => fits(requirement, labels)),
  };
}

function fits({ key, operator, values }: LabelRequirement, labels: JsonObject): boolean {
  const found = isObject(labels) ? member(labels, key) : undefined;
  const value = typeof found === 'string' ? found : undefined;
  switch (operator) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      const bound = BigInt(values[0] ?? '0');
      return operator === 'gt' ? BigInt(value) > bound : BigInt(value) < bound;
    }
    default:
      return false;
  }
}

const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const prefixPart = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a text may stand as the key of a label (`prefix/name` or `name`). */
export function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2 || name.length > 63 || !namePart.test(name)) return false;
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return prefix === undefined || (prefix.length <= 253 && prefixPart.test(prefix));
}

export function isLabelValue(value: string): boolean {
  return value.length <= 63 && labelValue.test(value);
}

const special = new Set(['=', '!', '(', ')', ',', '>', '<']);

class Parser {
  readonly #tokens: string[] = [];
  #position = 0;

  constructor(source: string) {
    let index = 0;
    while (index < source.length) {
      const character = source[index] ?? '';
      if (/\s/.test(character)) {
        index++;
      } else if (special.has(character)) {
        const two = source.slice(index, index + 2);
        const token = two === '==' || two === '!=' ? two : character;
        this.#tokens.push(token);
        index += token.length;
      } else {
        let end = index;
        while (end < source.length && !special.has(source[end] ?? '') && !/\s/.test(source[end] ?? '')) end++;
        this.#tokens.push(source.slice(index, end));
        index = end;
      }
    }
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#tokens.length === 0) return requirements;
    for (;;) {
      requirements.push(this.#requirement());
      const next = this.#next();
      if (next === undefined) return requirements;
      if (next !== ',')
        throw new SelectorError(`unable to parse requirement: found '${next}', expected: ',' or 'end of string'`);
      if (this.#peek() === undefined)
        throw new SelectorError(`unable to parse requirement: found '', expected: identifier after ','`);
    }
  }

  #peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  #next(): string | undefined {
    return this.#tokens[this.#position++];
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek() === '!';
    if (negated) this.#next();
    const key = this.#next() ?? '';
    if (key === '' || (special.has(key[0] ?? '') && key !== ',')) {
      throw new SelectorError(`unable to parse requirement: found '${key}', expected: !, identifier, or ','`);
    }
    if (!isQualifiedName(key))
      throw new SelectorError(
        `unable to parse requirement: key: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      );
    if (negated) return { key, operator: '!', values: [] };
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] };
    this.#next();
    switch (operator) {
      case '=':
      case '==':
        return this.#checked({ key, operator: '=', values: [this.#value()] });
      case '!=':
        return this.#checked({ key, operator: '!=', values: [this.#value()] });
      case '>':
      case '<': {
        const value = this.#value();
        if (!/^[-+]?\d+$/.test(value)) {
          throw new SelectorError(
            `values[0][${key}]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        }
        return { key, operator: operator === '>' ? 'gt' : 'lt', values: [value] };
      }
      case 'in':
      case 'notin':
        return this.#checked({ key, operator, values: this.#values() });
      default:
        throw new SelectorError(
          `unable to parse requirement: found '${operator}', expected: in, notin, =, ==, !=, gt, lt`,
        );
    }
  }

  #value(): string {
    const value = this.#peek();
    if (value === undefined || value === ',') return '';
    if (special.has(value[0] ?? ''))
      throw new SelectorError(`unable to parse requirement: found '${value}', expected: identifier`);
    this.#next();
    return value;
  }

  #values(): string[] {
    const open = this.#next();
    if (open !== '(') throw new SelectorError(`unable to parse requirement: found '${open ?? ''}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      values.push(this.#value());
      const next = this.#next();
      if (next === ')') return values;
      if (next !== ',')
        throw new SelectorError(`unable to parse requirement: found '${next ?? ''}', expected: ',' or ')'`);
    }
  }

  #checked(requirement: LabelRequirement): LabelRequirement {
    for (const value of requirement.values) {
      if (isLabelValue(value)) continue;
      const problem =
        value.length > 63
          ? 'must be no more than 63 characters'
          : "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
      throw new SelectorError(
        `unable to parse requirement: values[0][${requirement.key}]: Invalid value: "${value}": ${problem}`,
      );
    }
    return requirement;
  }
}
