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
  // One blank line in front of each declaration and its comment.
  let begins = true;
  for (const line of printed.split('\n')) {
    const trimmed = line.trim();
    // Of the comments only the placeholders matter: ours are written anew.
    if (trimmed === '' || trimmed === '/**' || trimmed === '*/') continue;
    if (trimmed.startsWith('}')) depth--;
    if (depth === 0 && begins) result += '\n';
    const description = /^\* D(\d+)_$/.exec(trimmed)?.[1];
    begins = false;
    const indent = '  '.repeat(depth);
    if (description !== undefined) {
      result += docComment(texts.descriptions[Number(description)] ?? '', indent);
    } else if (trimmed === 'export interface T0_ {') {
      result += head;
      depth++;
    } else {
      const closes = trimmed === '}' && depth === 0;
      if (trimmed.endsWith('{')) depth++;
      else begins = depth === 0;
      result += `${indent}${restore(trimmed, texts)}${trimmed.endsWith('{') || closes ? '' : ';'}\n`;
    }
  }
  return result;
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
    .replace(/\bT(\d+)_/g, (_, index: string) => texts.types[Number(index)] ?? '')
    .replace(/\bP(\d+)_(?=\??:)/g, (_, index: string) => texts.properties[Number(index)] ?? '')
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
