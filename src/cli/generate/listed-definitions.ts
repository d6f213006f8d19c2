import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { compareText, type Diagnostic, type OutputFile } from '../../model/index.ts';
import type { Plan } from './plan.ts';

type Place = Pick<Plan, 'root' | 'namedSources'> & { readonly outputs: Pick<Plan['outputs'], 'crdDir'> };

/** The kustomization that takes the definitions of a scaffolded project, relative to its root; `undefined` elsewhere. */
export function kustomizationOf({ namedSources, outputs: { crdDir } }: Place): string | undefined {
  return namedSources || crdDir === undefined ? undefined : posix.join(posix.dirname(crdDir), 'kustomization.yaml');
}

/** The definitions that a project's kustomization names, by their files' names; `undefined` where it takes a whole folder, or is not there. */
export function listedDefinitions(plan: Place): ReadonlySet<string> | undefined {
  const file = kustomizationOf(plan);
  const folder = basename(plan.outputs.crdDir ?? '');
  const path = file === undefined ? undefined : join(plan.root, file);
  if (path === undefined || !existsSync(path)) return undefined;
  // Names are all that counts here, in whatever style of YAML they stand.
  const words = readFileSync(path, 'utf8')
    .replace(/(^|\s)#.*$/gm, '')
    .split(/[\s,'"[\]]+/)
    .map((word) => posix.normalize(word));
  if (words.some((word) => word === folder || word === `${folder}/`)) return undefined;
  return new Set(words.filter((word) => posix.dirname(word) === folder).map((word) => posix.basename(word)));
}

/**
 * Warns where the kustomization of a project names other definitions than `generate` writes: kustomize leaves out those that it does not
 * name, and fails for those that are not there. `api` and `delete api` keep both the same; types that were imported, or moved by hand, do not.
 */
export function checkListedDefinitions(plan: Place, files: readonly Pick<OutputFile, 'path'>[]): Diagnostic[] {
  const listed = listedDefinitions(plan);
  const kustomization = kustomizationOf(plan);
  const { crdDir } = plan.outputs;
  if (listed === undefined || kustomization === undefined || crdDir === undefined) return [];
  const written = files.map(({ path }) => path).filter((path) => posix.dirname(path) === posix.normalize(crdDir));
  const names = new Set(written.map((path) => posix.basename(path)));
  const missing = [...names].filter((name) => !listed.has(name)).sort(compareText);
  const surplus = [...listed].filter((name) => !names.has(name) && !existsSync(join(plan.root, crdDir, name)));
  const folder = basename(crdDir);
  const lines = (all: readonly string[]): string => all.map((name) => `${folder}/${name}`).join(', ');
  return [
    ...(missing.length === 0
      ? []
      : [
          warning(
            `${kustomization} does not name ${lines(missing)}: kubectl apply -k ${dirname(kustomization)} leaves out what it does not name`,
            'add to its resources what is to be installed',
          ),
        ]),
    ...(surplus.length === 0
      ? []
      : [
          warning(
            `${kustomization} names ${lines(surplus)}, which no type defines`,
            'take the types back, or the kind out of the project: create-operator delete api',
          ),
        ]),
  ];
}

function warning(message: string, remedy: string): Diagnostic {
  return { code: 'CO2402', severity: 'warning', message, remedy };
}
