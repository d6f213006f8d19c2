import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Where the declarations of operator-runtime stand in one file, below its `dist`. */
export const programDeclarations = 'program.d.ts';

const header = `// All declarations of operator-runtime's entries in one file: create-operator reads it in place of theirs, to which each import of a
// module would be another file. Programs do not import it.
`;

/**
 * Writes `<runtime>/dist/program.d.ts`: each module that an entry of the package reaches as an ambient one, without its comments. Left
 * out are the entries below `testing` and `apis`, but for what others import of these.
 */
export function writeProgramDeclarations(runtime: string): void {
  const dist = join(runtime, 'dist');
  const { exports } = JSON.parse(readFileSync(join(runtime, 'package.json'), 'utf8')) as { exports: PackageExports };
  const read = (module: string): string | undefined => {
    const file = join(dist, `${module}.d.ts`);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const apis = globSync('apis/**/*.d.ts', { cwd: dist }).map((path) => path.replaceAll('\\', '/').slice(0, -5));
  writeFileSync(join(dist, programDeclarations), programText(entriesOf(exports, apis), read));
}

type PackageExports = Readonly<Record<string, string | { readonly types: string }>>;

/** The modules by the names under which programs import them; those below `apis` in place of the pattern. */
function entriesOf(exports: PackageExports, apis: readonly string[]): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [name, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    const module = target.types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '');
    const specifier = posix.join('operator-runtime', name);
    if (!name.includes('*')) entries.set(specifier, module);
    else for (const api of apis) entries.set(specifier.replace('*', api.slice('apis/'.length)), api);
  }
  return entries;
}

/** The text of the file: `entries` are modules by the names under which they are imported, `read` gives the declarations of a module. */
export function programText(
  entries: ReadonlyMap<string, string>,
  read: (module: string) => string | undefined,
): string {
  const modules = new Map<string, string>();
  const waiting = [...entries.values()].filter((module) => !/^(apis|testing)\//.test(module));
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    const text = modules.has(module) ? undefined : read(module);
    if (text === undefined) continue;
    const from = posix.dirname(module);
    const linked = text.replaceAll(
      /\b(from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
      (_, before: string, path: string) => {
        const target = posix.join(from, path);
        waiting.push(target);
        return `${before}'operator-runtime:${target}'`;
      },
    );
    modules.set(module, ambient(`operator-runtime:${module}`, linked));
  }
  const named = [...entries]
    .filter(([, module]) => modules.has(module))
    .map(([name, module]) => ambient(name, `export * from 'operator-runtime:${module}';\n`));
  const byPath = [...modules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return [header, ...byPath, ...named].join('');
}

function ambient(name: string, declarations: string): string {
  const text = declarations
    .replaceAll(/^[ \t]*\/\*\*[^]*?\*\/[ \t]*\n/gm, '')
    .replaceAll(/^\/\/.*\n/gm, '')
    .replaceAll(/^(export )?declare /gm, '$1')
    .replaceAll(/^ +/gm, '');
  return `declare module '${name}' {\n${text}}\n`;
}
