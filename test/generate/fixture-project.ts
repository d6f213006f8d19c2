import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/repository.ts';
import { fixtures } from '../fixtures.ts';
import { TestProject } from './project.ts';

const tsconfig = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    paths: { 'operator-runtime/apis/*': ['./node_modules/operator-runtime/apis/*.ts'] },
  },
};

/** A project with the sources of a folder of fixtures below `src`, and what they import of the runtime. */
export function fixtureProject(source: string, prefix?: string): TestProject {
  const files = { 'tsconfig.json': JSON.stringify(tsconfig), 'package.json': '{ "type": "module" }' };
  const project = new TestProject(files, prefix);
  cpSync(join(fixtures, source), project.path('src'), { recursive: true });
  for (const part of ['apis', 'kind', 'markers', 'scalars']) {
    cpSync(join(root, 'src/runtime', part), project.path(`node_modules/operator-runtime/${part}`), { recursive: true });
  }
  const manifest = { name: 'operator-runtime', type: 'module', exports: { '.': './index.ts' } };
  project.put('node_modules/operator-runtime/package.json', JSON.stringify(manifest));
  const types = ['./apis/meta/v1.ts', './scalars/scalars.ts'].map((part) => `export type * from '${part}';\n`);
  project.put('node_modules/operator-runtime/index.ts', types.join(''));
  return project;
}

/** Paths and texts of the YAML files below a folder. */
export function yamlBelow(folder: string): Record<string, string> {
  const files = globSync('**/*.yaml', { cwd: folder }).sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}
