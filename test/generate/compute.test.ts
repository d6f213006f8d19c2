// The three kinds of fixtures/compute, with decorators and with JSDoc tags: what they give is what controller-gen gives for Go.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../tools/repository.ts';
import { clientEntry, clientFolders } from '../support/client-runtime.ts';
import { fixtures } from '../fixtures.ts';
import { TestProject } from './project.ts';

const forms = ['decorators', 'jsdoc'] as const;
const flags = [
  'generate',
  '--source',
  'src/api/v1/*.types.ts',
  '--crd-dir',
  'crd',
  '--rbac-dir',
  'rbac',
  '--client-dir',
  'src/api',
];

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

/** A project with the fixture's sources and what they import of the runtime. */
function computeProject(form: (typeof forms)[number], prefix?: string): TestProject {
  const project = new TestProject({ 'tsconfig.json': tsconfig, 'package.json': '{ "type": "module" }' }, prefix);
  projects.push(project);
  cpSync(join(fixtures, 'compute', form), project.path('src/api/v1'), { recursive: true });
  for (const part of ['package.json', ...clientFolders, 'markers']) {
    cpSync(join(root, 'src/runtime', part), project.path(`node_modules/operator-runtime/${part}`), { recursive: true });
  }
  project.put('node_modules/operator-runtime/index.ts', clientEntry(['./scalars/scalars.ts']));
  return project;
}

const tsconfig = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    experimentalDecorators: true,
    useDefineForClassFields: false,
    paths: {
      'operator-runtime/markers': ['./node_modules/operator-runtime/markers/index.ts'],
      'operator-runtime/apis/*': ['./node_modules/operator-runtime/apis/*.ts'],
      'operator-runtime': ['./node_modules/operator-runtime/index.ts'],
    },
    allowImportingTsExtensions: true,
    noEmit: true,
  },
});

/** Paths and contents of what was generated. */
function outputs(project: TestProject): Record<string, string> {
  const files = { ...project.tree('crd'), ...project.tree('rbac'), ...project.tree('src') };
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith('.types.ts')));
}

/** `fixtures/compute/expected`: the definitions, the role, and the clients under `generated`. */
function expected(): Record<string, string> {
  const folder = join(fixtures, 'compute', 'expected');
  const files = globSync('**/*.{yaml,ts}', { cwd: folder }).sort();
  return Object.fromEntries(
    files.map((file) => [file.replace(/^generated\//, 'src/api/'), readFileSync(join(folder, file), 'utf8')]),
  );
}

describe.each(forms)('fixtures/compute with %s', (form) => {
  it('gives what is expected, byte for byte', async () => {
    const project = computeProject(form);
    const { code, stderr } = await project.run(...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(outputs(project)).toEqual(expected());
  });

  it('gives clients that compile with their declarations, and whose objects have the declared types', async () => {
    const project = computeProject(form);
    expect((await project.run(...flags)).code).toBe(0);
    project.put(
      'src/use.ts',
      `import { SqsQueue } from './api/v1/sqsqueue.js';
const queue: SqsQueue = {
  apiVersion: 'compute.cloud.com/v1', kind: 'SqsQueue', metadata: { name: 'a' }, spec: { queueName: 'a.fifo', fifo: true },
};
export const plural: string = SqsQueue.plural;
export const url: string | undefined = queue.status?.queueURL;
// @ts-expect-error the name of a queue is a text
queue.spec.queueName = 1;
`,
    );
    const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project.root], {
      encoding: 'utf8',
    });
    expect({ code: tsc.status, stdout: tsc.stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('gives the same bytes in another folder, locale and time zone, from CRLF sources in another order', async () => {
    const project = computeProject(form, 'İstanbul ı ');
    for (const [path, text] of Object.entries(project.tree('src'))) {
      // Names decide the order in which sources are found.
      project.put(path.replace('ec2', 'zz').replace('s3', 'aa'), text.replaceAll('\n', '\r\n'));
    }
    for (const path of Object.keys(project.tree('src')).filter((name) => /\/(ec2|s3)/.test(name)))
      project.put(path, 'export {};\n');
    const cli = fileURLToPath(new URL('from-source.ts', import.meta.url));
    const run = spawnSync(process.execPath, [cli, ...flags], {
      cwd: project.root,
      encoding: 'utf8',
      env: { ...process.env, LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Chatham', NO_COLOR: '1' },
    });
    expect({ code: run.status, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const renamed = Object.entries(outputs(project)).map(([path, text]) => [
      path,
      text.replace('./zz-instance', './ec2-instance').replace('./aa-bucket', './s3-bucket'),
    ]);
    expect(Object.fromEntries(renamed)).toEqual(expected());
  });
});

const golden = new URL('../../../shared/golden/compute/', import.meta.url);

describe.skipIf(!existsSync(golden))('fixtures/compute/expected beside controller-gen (needs ../shared/golden)', () => {
  const ours = (path: string): unknown =>
    parse(readFileSync(join(fixtures, 'compute', 'expected', path), 'utf8'), { version: '1.1' });
  const theirs = (path: string): unknown => parse(readFileSync(new URL(path, golden), 'utf8'), { version: '1.1' });

  it.each(['ec2instances', 's3buckets', 'sqsqueues'])('defines %s alike', (plural) => {
    const definition = theirs(`crds/compute.cloud.com_${plural}.yaml`) as { metadata: { annotations?: unknown } };
    delete definition.metadata.annotations;
    expect(withoutForeignTexts(ours(`crd/compute.cloud.com_${plural}.yaml`))).toEqual(withoutForeignTexts(definition));
  });

  it('grants the same', () => {
    expect(ours('rbac/role.yaml')).toEqual(theirs('rbac/role.yaml'));
  });
});

/** Leaves out the descriptions of `apiVersion` and `kind` and of what Kubernetes' own types hold. */
function withoutForeignTexts(value: unknown, foreign = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutForeignTexts(item, foreign));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(foreign && name === 'description' && typeof member === 'string'))
      .map(([name, member]) => [
        name,
        withoutForeignTexts(
          member,
          foreign ||
            ['apiVersion', 'credentialsRef', 'keySecret'].includes(name) ||
            (name === 'kind' && typeof member === 'object'),
        ),
      ]),
  );
}
