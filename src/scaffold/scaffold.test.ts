import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageManagerCommands, packageManagers } from '../project/package-manager.ts';
import { checkProjectName } from './names.ts';
import { choicesOf, renderScaffold } from './scaffold.ts';
import { render } from './templates.ts';

const versions = { 'create-operator': '^0.1.0', 'operator-runtime': '^0.1.0' };
const widget = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  controller: true,
} as const;

describe('renderScaffold', () => {
  it('asks for the version of client-node that the runtime has: both must find the same', async () => {
    const tree = await renderScaffold('/nowhere', choicesOf({ projectName: 'op', resources: [] }, versions));
    const { devDependencies } = JSON.parse(tree.get('package.json') ?? '') as {
      devDependencies: Record<string, string>;
    };
    const runtime = JSON.parse(readFileSync(new URL('../runtime/package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(devDependencies['@kubernetes/client-node']).toBe(runtime.dependencies['@kubernetes/client-node']);
  });

  it('asks for no package that a project may be called like', async () => {
    const tree = await renderScaffold('/nowhere', choicesOf({ projectName: 'op', resources: [] }, versions));
    const { dependencies, devDependencies } = JSON.parse(tree.get('package.json') ?? '') as Record<string, object>;
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      expect(checkProjectName(name)?.message, name).toContain('name');
    }
  });

  it('gives the same for the same choices, whatever stands in the folder', async () => {
    const choices = choicesOf({ projectName: 'op', resources: [widget] }, versions);
    const here = new URL('../..', import.meta.url).pathname;
    expect(await renderScaffold('/nowhere', choices)).toEqual(await renderScaffold(here, choices));
  });

  it.each(packageManagers)('leaves nothing open with %s', async (packageManager) => {
    for (const choice of [{}, { namespaced: true }, { multigroup: true }, { helm: false }, { workspace: true }]) {
      const file = { projectName: 'op', packageManager, ...choice, resources: [widget] };
      for (const [path, content] of await renderScaffold('/nowhere', choicesOf(file, versions))) {
        expect(content.trim(), path).not.toBe('');
        expect(content.endsWith('\n'), path).toBe(true);
        // Charts and workflows have braces of their own.
        if (!/^(dist\/chart|\.github)\//.test(path)) expect(content, path).not.toContain('{{');
      }
    }
    expect(packageManagerCommands[packageManager].install).toContain(packageManager);
  });

  it('has defaults for choices that operator.json does not name', () => {
    expect(choicesOf({ projectName: 'op', resources: [] }, versions)).toEqual({
      projectName: 'op',
      kubernetesVersion: '1.34',
      packageManager: 'npm',
      workspace: false,
      namespaced: false,
      multigroup: false,
      helm: true,
      kindRoles: 'plain',
      resources: [],
      dependencies: versions,
    });
  });
});

describe('render', () => {
  it('refuses a template that says what is not there', () => {
    expect(() => render('{{missing}}', {})).toThrow(/missing/);
    expect(
      render('{{#if yes}}{{text}}{{/if}}{{#each list}}{{name}},{{/each}}', {
        yes: true,
        text: '<',
        list: [{ name: 'a' }],
      }),
    ).toBe('<a,');
  });
});
