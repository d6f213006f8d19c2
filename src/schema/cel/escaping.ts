const reservedSymbols = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const replacements = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** Whether a name is a word of the language. */
export function isReservedSymbol(name: string): boolean {
  return reservedSymbols.has(name);
}

/** The identifier under which a property can be read in an expression, or undefined when it cannot. */
export function escapeName(name: string): string | undefined {
  if (name === '' || /^\d/.test(name)) return undefined;
  if (reservedSymbols.has(name)) return `__${name}__`;
  if (!/^[A-Za-z\d_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (found) => replacements.get(found) ?? found);
}

const contents = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);

/** The property that an identifier stands for, or undefined when it is not the identifier of any. */
export function unescapeName(escaped: string): string | undefined {
  let valid = true;
  const name = escaped.replaceAll(/_{2}([^_]+)_{2}/g, (found: string, content: string) => {
    const replaced = contents.get(content);
    if (replaced !== undefined) return replaced;
    if (!reservedSymbols.has(content) || found.length !== escaped.length) valid = false;
    return content;
  });
  return valid ? name : undefined;
}
