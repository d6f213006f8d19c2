import { ts } from 'ts-morph';
import { type Marker, markerByTag } from '../markers/index.ts';

const general = 'text belongs in front of the first tag; arguments are constant expressions, separated by commas';

/** A fenced block of Markdown, as JSDoc's own `@example` has it. */
export function isCodeBlock(text: string): boolean {
  return /^\s*(```|~~~)/.test(text);
}

/** What to do about the text behind a tag that is no list of expressions. */
export function syntaxRemedy(marker: Marker, text: string): string {
  if (isCodeBlock(text))
    return `@${marker.tag} takes a value; put code into the description, in front of the first tag`;
  const next = /\s@([A-Za-z]\w*)/.exec(withoutStrings(text))?.[1];
  if (next !== undefined && markerByTag(next) !== undefined)
    return `each tag begins a line: put @${next} on a line of its own`;
  const words = text.trim();
  if (takesText(marker) && /^[A-Za-z^][^\n'"`]*$/.test(words))
    return `a text stands in quotes: @${marker.tag} '${words}'`;
  return general;
}

/** What to do about a name in the arguments of a tag that is known nowhere: it may be a text without quotes. */
export function unquotedRemedy(name: ts.Node, given: readonly ts.Expression[]): string | undefined {
  if (!ts.isIdentifier(name)) return undefined;
  const whole = given.find((each) => each.pos <= name.pos && name.end <= each.end);
  const text = whole !== undefined && isWords(whole) ? whole.getText() : name.text;
  return `a text stands in quotes: '${text}'`;
}

/** `date-time`, `a.b`: names and what may stand between the parts of one word. */
function isWords(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return true;
  if (ts.isPropertyAccessExpression(node)) return isWords(node.expression);
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  const joins = kind === ts.SyntaxKind.MinusToken || kind === ts.SyntaxKind.SlashToken;
  return joins && isWords(node.left) && isWords(node.right);
}

function takesText({ parameters }: Marker): boolean {
  const kinds = new Set(['string', 'pattern', 'json', 'scalar', 'text', 'strings']);
  return parameters.some(({ type }) => kinds.has(type.kind));
}

function withoutStrings(text: string): string {
  return text.replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g, "''");
}
