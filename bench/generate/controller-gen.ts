import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { root, run, runChecked } from '../../tools/repository.ts';
import { writeGoKinds } from './go-kinds.ts';

/** controller-gen on one Go module. */
export interface GoModule {
  /** Writes the module's outputs as files. */
  readonly generate: () => Promise<unknown>;
  /** Where they are written. */
  readonly outputs: string;
}

/** Whether `controller-gen` can be run. */
export async function hasControllerGen(): Promise<boolean> {
  const found = await run('controller-gen', ['--version']).catch(() => undefined);
  return found?.code === 0;
}

/** The kinds of `writeKinds` in Go, in a module of their own below `folder`, and only their definitions. */
export function goKinds(folder: string, count: number): GoModule {
  const module = join(folder, `kinds-${count}`);
  writeGoKinds(module, count);
  // Without descriptions, most of which would be those of Kubernetes' types: ours leaves these out as well.
  return goModule(module, join(module, 'config'), ['crd:maxDescLen=0']);
}

/** The API of fixtures/compute in Go; its outputs go below `folder`. */
export function goCompute(folder: string): GoModule {
  const module = join(root, 'fixtures', 'compute', 'go');
  return goModule(module, join(folder, 'compute'), ['crd', 'rbac:roleName=manager-role']);
}

function goModule(module: string, outputs: string, generators: readonly string[]): GoModule {
  const args = [...generators, 'paths=./...', `output:dir=${outputs}`];
  return { outputs, generate: async () => await runChecked('controller-gen', args, { cwd: module }) };
}

/** Throws unless two folders have the same definitions, descriptions and the annotation with controller-gen's version aside. */
export function assertSameDefinitions(ours: string, theirs: string): void {
  const [mine, others] = [definitionsIn(ours), definitionsIn(theirs)];
  if (mine.size === 0) throw new Error(`there is no definition in ${ours}`);
  for (const name of new Set([...mine.keys(), ...others.keys()])) {
    if (!isDeepStrictEqual(mine.get(name), others.get(name))) {
      throw new Error(`controller-gen writes another ${name}: the kinds in Go are not those in TypeScript`);
    }
  }
}

/** Definitions are `<group>_<plural>.yaml`, with both. */
function definitionsIn(folder: string): Map<string, unknown> {
  const files = globSync('*_*.yaml', { cwd: folder }).sort();
  return new Map(files.map((file) => [file, comparable(parse(readFileSync(join(folder, file), 'utf8')))]));
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  // A property may be called `description`, too: it is no text.
  const members = Object.entries(value).filter(
    ([name, member]) => name !== 'annotations' && !(name === 'description' && typeof member === 'string'),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}
