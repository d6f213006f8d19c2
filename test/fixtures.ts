// The fixtures as tests read them.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../tools/repository.ts';

/** `fixtures/` */
export const fixtures = join(root, 'fixtures');

/** An object as it stands in a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

export interface Definition extends Manifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly DefinitionVersion[];
  };
}

export interface DefinitionVersion {
  readonly name: string;
  readonly schema: { readonly openAPIV3Schema: unknown };
  readonly additionalPrinterColumns?: readonly { readonly name: string }[];
}

/** A file with one definition; `file` is relative to {@link fixtures}. */
export interface DefinitionFile {
  readonly file: string;
  readonly definition: Definition;
}

/** Every definition that fixtures expect to be generated: `<fixture>/expected/crd/*.yaml`. */
export function expectedDefinitions(): DefinitionFile[] {
  return globSync('*/expected/crd/**/*.yaml', { cwd: fixtures })
    .sort()
    .map((file) => ({ file, definition: parse(readFileSync(join(fixtures, file), 'utf8')) as Definition }));
}

/** What a server says is wrong with an object. */
export interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** A manifest of `<fixture>/samples/<set>/`. */
export interface Sample {
  /** The file's name without its ending. */
  readonly name: string;
  /** Its documents: one, or for an update the old and the new object. */
  readonly objects: readonly Manifest[];
  /** From its leading comments, `# REASON FIELD: MESSAGE`, sorted. */
  readonly causes: readonly Cause[];
}

/** The samples of a fixture. Sets: `valid`, `refused`, `refused-update` (old object, new object), `refused-status`. */
export function samples(fixture: string, set: string): Sample[] {
  const folder = join(fixtures, fixture, 'samples', set);
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}`);
  return globSync('*.yaml', { cwd: folder })
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
      return { name: basename(file, '.yaml'), objects, causes: sortCauses(leadingCauses(text, file)) };
    });
}

function leadingCauses(text: string, file: string): Cause[] {
  const comments = text.split('\n').filter((line) => line.startsWith('# '));
  return comments.map((line) => {
    const [, reason, field, message] = /^# (\S+) (.*?): (.*)$/.exec(line) ?? [];
    if (reason === undefined || field === undefined || message === undefined) {
      throw new Error(`${file}: "${line}" is not "# REASON FIELD: MESSAGE"`);
    }
    return { reason, field, message };
  });
}

/** In an order that does not depend on who reports them: servers report in the order of Go's maps. */
export function sortCauses(causes: readonly Cause[]): Cause[] {
  const key = ({ field, reason, message }: Cause): string => `${field}\0${reason}\0${message}`;
  return [...causes].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
