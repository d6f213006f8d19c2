import type { Token } from './token.ts';

/**
 * The words of a Markdown text. Formatters break its lines elsewhere, pad its tables, and choose other signs for emphasis, items and
 * escapes.
 */
export function markdownTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    tokens.push({ key: wordKey(word), text: word, before: text.slice(end, index) });
    end = index + word.length;
  }
  return [...tokens, { key: '', text: '', before: text.slice(end) }];
}

function wordKey(word: string): string {
  if (/^:?-+:?$/.test(word)) return word.replace(/-+/, '-');
  if (/^\d+[.)]$/.test(word)) return '1.';
  if (/^[*+]$/.test(word)) return '-';
  return word.includes('`') ? word : word.replaceAll(/\\([^\w\s])/g, '$1').replaceAll('*', '_');
}
