import { InvalidCallError } from './errors.ts';
import type { LabelSelectorLike } from './types.ts';

interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

/** The selector in the notation of the API server's `labelSelector` parameter. */
export function labelSelectorString(selector: LabelSelectorLike): string {
  if (typeof selector === 'string') {
    parse(selector);
    return selector;
  }
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** A function that tells whether labels fit the selector, as the API server does. */
export function labelMatcher(selector: LabelSelectorLike): (labels: Labels) => boolean {
  const requirements: readonly Requirement[] =
    typeof selector === 'string'
      ? parse(selector)
      : Object.entries(selector).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return (labels) => requirements.every((requirement) => fits(requirement, labels));
}

function fits({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'DoesNotExist':
      return value === undefined;
    case 'Exists':
      return value !== undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'Gt':
    case 'Lt':
      return value !== undefined && isOnSide(value, operator, values[0] ?? '');
    default:
      return false;
  }
}

function isOnSide(value: string, operator: 'Gt' | 'Lt', limit: string): boolean {
  if (!/^-?\d+$/.test(value)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}

const key = String.raw`[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const value = String.raw`[-A-Za-z0-9_.]*`;
const patterns = {
  set: new RegExp(String.raw`^(${key})\s+(in|notin)\s*\(([^()]*)\)$`),
  comparison: new RegExp(String.raw`^(${key})\s*(==|=|!=|>|<)\s*(${value})$`),
  presence: new RegExp(String.raw`^(!?)\s*(${key})$`),
  value: new RegExp(`^${value}$`),
};

/** The grammar of `labels.Parse`: requirements separated by commas, all of which must hold. */
function parse(text: string): readonly Requirement[] {
  if (text.trim() === '') return [];
  // Commas within brackets separate values, not requirements.
  return text.split(/,(?![^()]*\))/).map((part) => requirement(part.trim(), text));
}

function requirement(part: string, text: string): Requirement {
  const set = patterns.set.exec(part);
  if (set !== null) {
    const values = (set[3] ?? '').split(',').map((item) => item.trim());
    if (values.every((item) => patterns.value.test(item))) {
      return { key: set[1] ?? '', operator: set[2] === 'in' ? 'In' : 'NotIn', values };
    }
  }
  const comparison = patterns.comparison.exec(part);
  if (comparison !== null) {
    const [, name = '', sign = '', operand = ''] = comparison;
    if (sign === '>' || sign === '<') {
      if (/^-?\d+$/.test(operand)) return { key: name, operator: sign === '>' ? 'Gt' : 'Lt', values: [operand] };
    } else {
      return { key: name, operator: sign === '!=' ? 'NotIn' : 'In', values: [operand] };
    }
  }
  const presence = patterns.presence.exec(part);
  if (presence !== null) {
    return { key: presence[2] ?? '', operator: presence[1] === '!' ? 'DoesNotExist' : 'Exists', values: [] };
  }
  throw new InvalidCallError(`the label selector ${JSON.stringify(text)} is wrong at ${JSON.stringify(part)}`);
}
