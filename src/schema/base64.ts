/** Where a text stops being base64 as Go's standard encoding reads it (padded, line ends ignored), or undefined when it never does. */
export function findBase64Error(text: string): number | undefined {
  let inQuantum = 0;
  let start = 0;
  for (let position = 0; position < text.length; position++) {
    const character = text.charAt(position);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return findPaddingError(text, position, inQuantum);
    if (!/[A-Za-z0-9+/]/.test(character)) return position;
    if (inQuantum === 0) start = position;
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : start;
}

/** The padding ends the text. */
function findPaddingError(text: string, position: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return position;
  let next = afterLineEnds(text, position + 1);
  if (inQuantum === 2) {
    if (next === text.length) return text.length;
    if (text.charAt(next) !== '=') return next - 1;
    next = afterLineEnds(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

function afterLineEnds(text: string, start: number): number {
  let position = start;
  while (position < text.length && '\r\n'.includes(text.charAt(position))) position++;
  return position;
}
