/** Where the declarations of operator-runtime stand in one file, below its `dist`. */
export declare const programDeclarations = 'program.d.ts';
/**
 * Writes `<runtime>/dist/program.d.ts`: each module that an entry of the package reaches as an ambient one, without its comments. Left
 * out are the entries below `testing` and `apis`, but for what others import of these.
 */
export declare function writeProgramDeclarations(runtime: string): void;
/** The text of the file: `entries` are modules by the names under which they are imported, `read` gives the declarations of a module. */
export declare function programText(
  entries: ReadonlyMap<string, string>,
  read: (module: string) => string | undefined,
): string;
