/**
 * A doc comment with this text, indented; nothing for an empty one. No text can end the comment before its end, and no line of it
 * is longer than it was.
 */
export function docComment(text: string, indent = ''): string {
  const lines = text
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  const [only = ''] = lines;
  if (lines.length === 0) return '';
  if (lines.length === 1 && !only.startsWith('*')) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}
