import { diffArrays } from 'diff';

/** A piece of a text that a formatter does not take apart, with what stands in front of it. */
export interface Token {
  /** What it says, however it is written: tokens with one key are the same. */
  readonly key: string;
  /** As it stands in the text. */
  readonly text: string;
  /** What formatters put in front of it and take away as they please: space, and whatever else says nothing. */
  readonly before: string;
}

/** The text of tokens, which is the text that they were read from. */
export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ before, text }) => before + text).join('');
}

export function sameKeys(a: readonly Token[], b: readonly Token[]): boolean {
  return a.length === b.length && a.every(({ key }, index) => key === b[index]?.key);
}

/** Two texts that differ in more pieces are not compared: it would take long, and little would be the same. */
const mostDifferences = 20_000;

/** `tokens` as they stand in `model`, as far as they do; `undefined` where the two have next to nothing in common. */
export function laidOutAs(tokens: readonly Token[], model: readonly Token[]): readonly Token[] | undefined {
  const keys = (of: readonly Token[]): string[] => of.map(({ key }) => key);
  const parts = diffArrays(keys(model), keys(tokens), { maxEditLength: mostDifferences });
  if (parts === undefined) return undefined;
  const laidOut: Token[] = [];
  let position = 0;
  let replaced: readonly Token[] = [];
  for (const { added, removed, value } of parts) {
    if (added) {
      // What stands in place of something else stands where that stood.
      const placed = tokens.slice(laidOut.length, laidOut.length + value.length);
      laidOut.push(...placed.map((token, index) => ({ ...token, before: replaced[index]?.before ?? token.before })));
      replaced = [];
      continue;
    }
    replaced = removed ? model.slice(position, position + value.length) : [];
    if (!removed) laidOut.push(...model.slice(position, position + value.length));
    position += value.length;
  }
  return laidOut;
}
