import { stringLiteral } from '../generate/client/identifiers.ts';
import { docComment } from './doc-comment.ts';
import type { Texts } from './json-schema.ts';

/**
 * Declarations as json-schema-to-typescript prints them, laid out as the rest of our files, their texts put back in. The first line
 * of the root's interface is given.
 */
export function layOut(printed: string, texts: Texts, head: string): string {
  let depth = 0;
  let result = '';
  for (const line of printed.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    if (trimmed.startsWith('}')) depth--;
    const indent = '  '.repeat(depth);
    const opens = trimmed.endsWith('{');
    const closes = trimmed === '}' && depth === 0;
    if (depth === 0 && trimmed.startsWith('export ')) result += '\n';
    if (trimmed === 'export interface T0_ {') result += head;
    else
      result += `${comment(trimmed, texts, indent)}${indent}${restore(trimmed, texts)}${opens || closes ? '' : ';'}\n`;
    if (opens) depth++;
  }
  return result;
}

/** The comment in front of a type or a member. */
function comment(line: string, texts: Texts, indent: string): string {
  const [, kind, index] = /^(?:export interface )?([TP])(\d+)_/.exec(line) ?? [];
  const text = (kind === 'T' ? texts.types : texts.properties)[Number(index)];
  return kind === undefined || text === undefined ? '' : docComment(text.description, indent);
}

/** Puts names back into a line of code; what stands in strings is a value and stays. */
function restore(line: string, texts: Texts): string {
  return plain(line)
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, index) => (index % 2 === 1 ? stringLiteral(JSON.parse(part) as string) : restoreNames(part, texts)))
    .join('');
}

function restoreNames(code: string, texts: Texts): string {
  return code
    .replace(/\bT(\d+)_/g, (_, index: string) => texts.types[Number(index)]?.name ?? '')
    .replace(/\bP(\d+)_(?=\??:)/g, (_, index: string) => texts.properties[Number(index)]?.name ?? '')
    .replaceAll('[k: string]', '[name: string]');
}

/** Without the parentheses around a whole union. */
function plain(line: string): string {
  const [, head = '', body = ''] = /^(P\d+_\??: |\[k: string\]: )\((.*)\)$/.exec(line) ?? [];
  if (head === '') return line;
  let depth = 0;
  for (const character of body.replace(/"(?:[^"\\]|\\.)*"/g, '')) {
    if (character === '(') depth++;
    else if (character === ')' && --depth < 0) return line;
  }
  return head + body.replace(/^\((number \| string)\)(?= \| null$)/, '$1');
}
