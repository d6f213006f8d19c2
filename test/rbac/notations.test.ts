import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { root } from '../../tools/repository.ts';
import { TestProject } from '../generate/project.ts';
import { installRuntime } from './widget-project.ts';

const fixture = (path: string): string => readFileSync(join(root, 'fixtures/rbac', path), 'utf8');

let project: TestProject | undefined;
afterEach(() => project?.remove());

it.each(['sources', 'decorators'])(
  'permissions in the notation of fixtures/rbac/%s give the same roles',
  async (folder) => {
    project = new TestProject({
      'package.json': JSON.stringify({ name: 'project', type: 'module' }),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'nodenext',
          target: 'es2022',
          types: [],
          experimentalDecorators: true,
          useDefineForClassFields: false,
          allowImportingTsExtensions: true,
          noEmit: true,
        },
      }),
      'src/controller.ts': fixture(`${folder}/controller.ts`),
    });
    installRuntime(project.root);
    const { code, stderr } = await project.run('generate', '--source', 'src/*.ts', '--rbac-dir', 'rbac');
    // Of the subresources of replicasets, all of which controller-gen lets one name.
    const warnings = stderr.split('\n').filter((line) => line.startsWith('src/'));
    expect({ code, warnings }).toEqual({ code: 0, warnings: [expect.stringContaining(' - warning CO2112: ')] });
    expect(project.tree('rbac')).toEqual({ 'rbac/role.yaml': fixture('expected/rbac/role.yaml') });
  },
);
