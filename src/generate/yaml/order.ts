/**
 * Compares the keys of a mapping as controller-gen's YAML writer (go-yaml v2) does: letters by code point, runs of digits as
 * numbers, other characters before letters. So `v2` stands before `v10`.
 */
export function compareKeys(a: string, b: string): number {
  if (letters.test(a) && letters.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = Array.from(a);
  const right = Array.from(b);
  for (let index = 0; index < left.length && index < right.length; index++) {
    const leftCharacter = left[index] ?? '';
    const rightCharacter = right[index] ?? '';
    if (leftCharacter === rightCharacter) continue;
    const leftIsLetter = isLetter(leftCharacter);
    const rightIsLetter = isLetter(rightCharacter);
    if (leftIsLetter !== rightIsLetter) return rightIsLetter ? -1 : 1;
    if (!leftIsLetter) {
      const byNumber = compareDigits(left, right, index);
      if (byNumber !== 0) return byNumber;
    }
    return (leftCharacter.codePointAt(0) ?? 0) - (rightCharacter.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}

/** Sorts keys; the first sort by code unit makes the outcome the same for every order of the input. */
export function sortKeys(keys: Iterable<string>): string[] {
  const sorted = [...keys].sort();
  // The order of code units is the one wanted then, and most keys are such.
  return sorted.every((key) => letters.test(key)) ? sorted : sorted.sort(compareKeys);
}

const letters = /^[A-Za-z]*$/;

/** Compares the numbers that begin at `index`, or 0 when they do not differ. */
function compareDigits(left: readonly string[], right: readonly string[], index: number): number {
  // A zero that follows a digit other than zero belongs to a number that has begun before: `10` and `1a`.
  const prefix = (left[index] === '0' || right[index] === '0') && continuesNumber(left, index) ? '1' : '';
  const leftDigits = digitsFrom(left, index);
  const rightDigits = digitsFrom(right, index);
  const leftNumber = BigInt(`0${prefix}${leftDigits}`);
  const rightNumber = BigInt(`0${prefix}${rightDigits}`);
  if (leftNumber !== rightNumber) return leftNumber < rightNumber ? -1 : 1;
  return leftDigits.length - rightDigits.length;
}

function continuesNumber(characters: readonly string[], index: number): boolean {
  for (let at = index - 1; at >= 0 && isDigit(characters[at] ?? ''); at--) {
    if (characters[at] !== '0') return true;
  }
  return false;
}

function digitsFrom(characters: readonly string[], index: number): string {
  let end = index;
  while (end < characters.length && isDigit(characters[end] ?? '')) end++;
  return characters.slice(index, end).join('');
}

const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);
const isDigit = (character: string): boolean => /^[0-9]$/.test(character);
