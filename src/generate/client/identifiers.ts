/** Words that can name neither an interface nor an exported constant of a module. */
const reserved = new Set(
  (
    'any arguments as async await bigint boolean break case catch class const continue debugger declare default delete do else enum eval ' +
    'export extends false finally for function if implements import in instanceof interface let never new null number object package ' +
    'private protected public return static string super switch symbol this throw true try type typeof undefined unknown var void while ' +
    'with yield'
  ).split(' '),
);

/**
 * The identifier that stands for a kind in TypeScript: the kind itself where it is one. A kind may hold `-` (`My-Kind` gives
 * `MyKind`) and may be a reserved word (`default` gives `default_`).
 */
export function kindIdentifier(kind: string): string {
  const identifier = kind.replaceAll(
    /[^\p{ID_Continue}$]+(.)?/gu,
    (_match, next: string | undefined) => next?.toUpperCase() ?? '',
  );
  if (/^\p{ID_Start}/u.test(identifier)) return reserved.has(identifier) ? `${identifier}_` : identifier;
  return `_${identifier}`;
}

/** A name for something local to a file, other than the names taken: `name`, `name_`, `name__`, ... */
export function localName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  while (taken.has(free)) free += '_';
  return free;
}

/** A text as a literal of TypeScript in single quotes. */
export function stringLiteral(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
