import { SelectorError } from './label-selector.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
}

/** A test of the few fields by which a kind can be selected. */
export interface FieldSelector {
  readonly empty: boolean;
  readonly requirements: readonly FieldRequirement[];
  /** `fieldOf` gives a field's text, `''` for one that is missing. */
  matches(fieldOf: (field: string) => string): boolean;
}

/**
 * Parses the text form of a field selector (`metadata.name=a,status.phase!=Running`).
 *
 * @throws SelectorError with the message of apimachinery's parser
 */
export function parseFieldSelector(source: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of split(source)) {
    if (term === '') continue;
    const found = operatorOf(term);
    if (found === undefined) throw new SelectorError(`invalid selector: '${source}'; can't understand '${term}'`);
    requirements.push({
      field: term.slice(0, found.at),
      equals: found.operator !== '!=',
      value: unescape(term.slice(found.at + found.operator.length)),
    });
  }
  return {
    empty: requirements.length === 0,
    requirements,
    matches: (fieldOf) => requirements.every(({ field, equals, value }) => (fieldOf(field) === value) === equals),
  };
}

/** The value that a selector requires of a field, where it requires one. */
export function exactMatch(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find((requirement) => requirement.equals && requirement.field === field)?.value;
}

function split(source: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < source.length; index++) {
    if (source[index] === '\\') index++;
    else if (source[index] === ',') {
      terms.push(source.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(source.slice(start));
  return terms;
}

function operatorOf(term: string): { readonly at: number; readonly operator: '=' | '==' | '!=' } | undefined {
  for (let at = 0; at < term.length; at++) {
    for (const operator of ['!=', '==', '='] as const) if (term.startsWith(operator, at)) return { at, operator };
  }
  return undefined;
}

function unescape(value: string): string {
  let result = '';
  for (let index = 0; index < value.length; index++) {
    const character = value[index] ?? '';
    if (character === '\\') {
      const next = value[++index];
      if (next !== '\\' && next !== ',' && next !== '=')
        throw new SelectorError(`invalid field selector: invalid escape sequence in value: ${value}`);
      result += next;
    } else if (character === ',' || character === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${value}`);
    } else {
      result += character;
    }
  }
  return result;
}
