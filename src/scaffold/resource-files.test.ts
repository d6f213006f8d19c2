import { describe, expect, it } from 'vitest';
import type { ProjectResource } from '../project/operator-file.ts';
import { checkKind } from './names.ts';
import { resourceFiles } from './resource-files.ts';
import type { ProjectChoices } from './template-data.ts';
import { namesInTemplates } from './templates.ts';

const choices: ProjectChoices = {
  projectName: 'op',
  kubernetesVersion: '1.34',
  packageManager: 'npm',
  workspace: false,
  namespaced: false,
  multigroup: false,
  helm: true,
  kindRoles: 'plain',
  resources: [],
  dependencies: { 'create-operator': '^0.1.0', 'operator-runtime': '^0.1.0' },
};

function filesOf(kind: string, parts: Partial<ProjectResource> = {}): Map<string, string> {
  const resource: ProjectResource = {
    group: 'example.com',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Namespaced',
    controller: true,
    ...parts,
  };
  return new Map(resourceFiles(resource, choices).map(({ path, content }) => [path, content]));
}

/** The local names that the imports of a module bind. */
function imported(text: string): string[] {
  return [...text.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((part) =>
        part
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      )
      .filter((name) => name !== ''),
  );
}

describe('resourceFiles', () => {
  const kinds = [...namesInTemplates('api')].filter((name) => checkKind(name) === undefined);

  it('knows the names of its templates', () => {
    expect(kinds).toEqual(expect.arrayContaining(['Condition', 'Manager', 'Request', 'Resource', 'Result']));
    expect(namesInTemplates('api').has('done')).toBe(true);
  });

  it.each(kinds)('binds no name twice for the kind %s', (kind) => {
    for (const [path, text] of [...filesOf(kind), ...filesOf(kind, { types: 'imported', client: 'src/x/y.ts' })]) {
      const names = imported(text);
      const declared = [...text.matchAll(/^(?:export )?(?:class|interface|const|function|let) (\w+)/gm)].map(
        ([, name = '']) => name,
      );
      expect([...names, ...declared].sort(), path).toEqual([...new Set([...names, ...declared])].sort());
      if (/\bkind: '/.test(text)) expect(text, path).toContain(`kind: '${kind}'`);
    }
  });

  it('gives an import another name where the kind has it', () => {
    const types = filesOf('Condition').get('src/api/v1/condition.types.ts') ?? '';
    expect(types).toContain('import type { Condition as Condition_, int32, int64 }');
    expect(types).toContain('conditions?: Condition_[];');
    expect(types).toContain('export class Condition {');
    const controller = filesOf('Result').get('src/controllers/result-controller.ts') ?? '';
    expect(controller).toContain('): Promise<Result_> {');
    expect(controller).toContain("import { Result } from '../api/v1/result.js';");
  });

  it('gives the class of a kind Reconciler the name that others import it by', () => {
    const controller = filesOf('Reconciler').get('src/controllers/reconciler-controller.ts') ?? '';
    expect(controller).toContain('export class ReconcilerReconciler implements Reconciler_ {');
    expect(controller).toContain('new ReconcilerReconciler(');
  });

  it.each([
    ['DbUser', 'dbUser'],
    ['Done', 'doneObject'],
    ['First', 'firstObject'],
    ['Import', 'importObject'],
  ])('calls an object of %s %s', (kind, variable) => {
    const file = `src/controllers/${kind.toLowerCase()}-controller.ts`;
    expect(filesOf(kind).get(file)).toContain(`const ${variable} = await client.get(${kind}, request);`);
  });
});
