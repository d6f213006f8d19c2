// Users' formatters and linters leave generated files alone, so that generate --check stays clean.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGenerated } from '../../src/model/index.ts';
import { root as repository, run, runChecked } from '../../tools/repository.ts';
import { LinkedProject } from './shipped/project.ts';

const tool = (name: string): string => join(repository, 'node_modules', '.bin', name);

let project: LinkedProject;
beforeAll(async () => {
  project = await LinkedProject.create('my-operator', [
    ['--kind', 'Widget'],
    ['--kind', 'Policy', '--scope', 'Cluster', '--no-controller'],
  ]);
  project.write(
    'src/webhooks/widget.ts',
    `import { ValidatingWebhook } from 'operator-runtime/markers';

@ValidatingWebhook({ name: 'a.b.c', path: '/a', groups: ['example.com'], versions: ['v1'], resources: ['widgets'], verbs: ['create'] })
export class Widgets {}
`,
  );
  await project.run('generate');
}, 60_000);
afterAll(() => project?.remove());

/** All files of the project with their texts. */
function files(): Map<string, string> {
  return new Map(
    readdirSync(project.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(project.root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
  );
}

const generated = (): [string, string][] => [...files()].filter(([, text]) => isGenerated(text));

it('has generated files of each sort', () => {
  const paths = generated().map(([path]) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'config/crd/bases/example.com_widgets.yaml',
      'config/rbac/role.yaml',
      'config/rbac/role_binding.yaml',
      'config/rbac/policy_viewer_role.yaml',
      'config/webhook/manifests.yaml',
      'dist/chart/templates/crd/example.com_widgets.yaml',
      'dist/chart/templates/rbac/generated/role.yaml',
      'dist/chart/templates/webhook/generated/manifests.yaml',
      'src/api/v1/widget.ts',
      'src/generated/registry.ts',
    ]),
  );
});

describe.each([
  { options: 'its own settings', args: ['--no-config'] },
  {
    options: 'other settings',
    args: ['--no-config', '--tab-width', '8', '--single-quote', '--no-semi', '--print-width', '60'],
  },
])('prettier with $options', ({ args }) => {
  it('changes no generated file, and none that generate --check looks at', async () => {
    const before = generated();
    const { code, stdout, stderr } = await run(tool('prettier'), ['--write', ...args, '.'], { cwd: project.root });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/src\/main\.ts/);
    expect(generated()).toEqual(before);
    await project.run('generate', '--check');
  });
});

it('keeps linters off generated TypeScript, by a line in the file and by their settings', async () => {
  const sources = generated().filter(([path]) => path.endsWith('.ts'));
  for (const [path, text] of sources) expect(text, path).toMatch(/^\/\/ Code generated .*\n\/\* eslint-disable \*\/\n/);
  const { code, stdout } = await run(tool('oxlint'), ['--format', 'json'], { cwd: project.root });
  expect(code, stdout).toBe(0);
  const linted = (JSON.parse(stdout) as { readonly number_of_files: number }).number_of_files;
  const own = [...files()].filter(([path, text]) => /\.m?ts$|\.mjs$/.test(path) && !isGenerated(text));
  expect(linted).toBe(own.length);
});

it('says in .gitattributes what is generated, and nothing else', async () => {
  await runChecked('git', ['init', '--quiet', '.'], { cwd: project.root });
  const paths = [...files().keys()].filter((path) => !path.startsWith('.git/'));
  const answer = await runChecked('git', ['check-attr', '--stdin', 'linguist-generated'], {
    cwd: project.root,
    input: paths.join('\n'),
  });
  const marked = answer.split('\n').flatMap((line) => /^(.*): linguist-generated: set$/.exec(line)?.[1] ?? []);
  const expected = [...generated().map(([path]) => path), '.create-operator/base.json'];
  expect(marked.sort()).toEqual(expected.sort());
});
