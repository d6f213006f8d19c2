// The same types give the same bytes, wherever and however they are read (B26).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { generate } from '../../src/generate/generate.ts';
import { read } from '../../src/reader/index.ts';
import { fixtures } from '../fixtures.ts';
import { fixtureProject, yamlBelow } from './fixture-project.ts';
import type { TestProject } from './project.ts';

const sets = ['cluster', 'composition', 'forms', 'topology', 'validation', 'versions'] as const;
const cli = fileURLToPath(new URL('from-source.ts', import.meta.url));

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function open(set: string, prefix?: string): TestProject {
  const project = fixtureProject(join(set, 'jsdoc'), prefix);
  projects.push(project);
  return project;
}

const expected = (set: string): Record<string, string> => yamlBelow(join(fixtures, set, 'expected/crd'));

describe.each(sets)('fixtures/%s', (set) => {
  it('gives the same bytes in another folder, locale and time zone, from CRLF sources', () => {
    const project = open(set, 'İstanbul ı ');
    for (const [path, text] of Object.entries(project.tree('src'))) project.put(path, text.replaceAll('\n', '\r\n'));
    const run = spawnSync(process.execPath, [cli, 'generate', '--source', 'src/**/*.types.ts', '--crd-dir', 'crd'], {
      cwd: project.root,
      encoding: 'utf8',
      env: { ...process.env, LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Chatham', NO_COLOR: '1' },
    });
    expect({ code: run.status, errors: / error /.exec(run.stderr) }).toEqual({ code: 0, errors: null });
    expect(yamlBelow(project.path('crd'))).toEqual(expected(set));
  });

  it('gives the same bytes whatever the order of the files', () => {
    const project = open(set);
    const files = Object.keys(project.tree('src'))
      .filter((path) => path.endsWith('.types.ts'))
      .map((path) => project.path(path));
    fc.assert(
      fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
        const { model, diagnostics } = read({
          files: shuffled,
          root: project.root,
          tsconfig: project.path('tsconfig.json'),
        });
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        const outputs = {
          root: project.root,
          crdDir: '.',
          roleName: 'manager-role',
          kindRoles: false,
          kubernetesVersion: { major: 1, minor: 34 },
        };
        const written = generate(model, outputs).files.map(({ path, content }) => [path, content]);
        expect(Object.fromEntries(written)).toEqual(expected(set));
      }),
      { numRuns: files.length === 1 ? 1 : 4 },
    );
  });
});
