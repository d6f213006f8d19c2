import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scaffoldedFolder } from '../../../test/support/scaffolded-folder.ts';

const project = scaffoldedFolder();
const { put, read, run } = project;

describe('create-operator dev', () => {
  it.each(['src', 'esbuild.config.mjs'])('says that %s is missing', async (path) => {
    rmSync(join(project.root, path), { recursive: true });
    const { code, stdout, stderr } = await run(['dev']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^error: ${path} is missing: .*\\n  help: take it from .*\\n$`));
  });

  it.each([
    ['is no JSON', '{', /operator\.json: .*JSON/],
    ['has conflict markers', '<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n', /operator\.json: .*JSON/],
    ['has no name of the project', '{}', /operator\.json: "projectName" is missing/],
    ['names another project', '{"projectName": "other"}', /ServiceAccount other-controller-manager: /],
  ])('says that it cannot start where operator.json %s', async (_what, text, message) => {
    put('operator.json', text);
    const { code, stdout, stderr } = await run(['dev']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: the API server cannot start with this project: .*\n {2}help: mend it, .*\n$/);
    expect(stderr).toMatch(message);
    expect(read('operator.json')).toBe(text);
  });
});
