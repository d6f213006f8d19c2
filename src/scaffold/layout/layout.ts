import { posix } from 'node:path';
import { sayTheSame } from '../merge-json.ts';
import { markdownTokens } from './markdown.ts';
import { scriptTokens, sortedImports } from './script.ts';
import { laidOutAs, sameKeys, textOf, type Token } from './token.ts';
import { plainYaml } from './yaml.ts';

/** What formatters know, by the endings of files. */
type Language = 'json' | 'script' | 'markdown' | 'yaml';

const languages: Readonly<Record<string, Language>> = {
  '.json': 'json',
  '.ts': 'script',
  '.mjs': 'script',
  '.js': 'script',
  '.md': 'markdown',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

function languageOf(path: string): Language | undefined {
  return languages[posix.extname(path)];
}

function tokensOf(language: Language, text: string): Token[] {
  return language === 'markdown' ? markdownTokens(text) : scriptTokens(text);
}

/**
 * Whether two texts of one file differ in nothing but what formatters decide: space, line breaks, quotes, semicolons, trailing commas, the
 * order of imports and of the members of JSON. Comments count.
 */
export function sameButLayout(path: string, a: string, b: string): boolean {
  if (a === b) return true;
  const language = languageOf(path);
  if (language === undefined) return false;
  if (language === 'json' && sayTheSame(a, b)) return true;
  if (language === 'yaml') {
    const plain = plainYaml(a);
    return plain !== undefined && plain === plainYaml(b);
  }
  const [left, right] = [tokensOf(language, a), tokensOf(language, b)];
  if (sameKeys(left, right)) return true;
  if (language !== 'script' || left.length !== right.length) return false;
  const [leftKeys, rightKeys] = [sortedImports(left), sortedImports(right)];
  return leftKeys.every((key, index) => key === rightKeys[index]);
}

/** The three texts of a merge, laid out in one way. */
export interface LaidOut {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * What the scaffold made of a file before (`base`) and makes of it now (`theirs`), as if it had been formatted as the user formatted the
 * file (`ours`): what is left of the differences is what somebody wrote. `undefined` for files that no formatter knows, and for what
 * cannot be brought over.
 */
export function inLayoutOfOurs(path: string, { base, ours, theirs }: LaidOut): LaidOut | undefined {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  if (language === 'yaml') {
    const [plainBase, plainOurs, plainTheirs] = [base, ours, theirs].map((text) => plainYaml(text, ours));
    if (plainBase === undefined || plainOurs === undefined || plainTheirs === undefined) return undefined;
    return { base: plainBase, ours: plainOurs, theirs: plainTheirs };
  }
  const baseTokens = relaid(language, tokensOf(language, base), tokensOf(language, ours));
  if (baseTokens === undefined) return undefined;
  const theirTokens = relaid(language, tokensOf(language, theirs), baseTokens);
  return theirTokens && { base: textOf(baseTokens), ours, theirs: textOf(theirTokens) };
}

/** Nothing may be lost or gained on the way, as where one of two parentheses came from each side. */
function relaid(language: Language, tokens: readonly Token[], model: readonly Token[]): readonly Token[] | undefined {
  const laidOut = laidOutAs(tokens, model);
  return laidOut !== undefined && sameKeys(tokensOf(language, textOf(laidOut)), tokens) ? laidOut : undefined;
}
