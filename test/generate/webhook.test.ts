// The webhooks of fixtures/webhook, with decorators and with JSDoc tags: what they give is what controller-gen gives for Go.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../../tools/repository.ts';
import { fixtures } from '../fixtures.ts';
import { TestProject } from './project.ts';

const flags = ['generate', '--source', 'src/webhooks/*.ts', '--webhook-dir', 'config/webhook'];
const golden = new URL('../../../shared/golden/webhook/', import.meta.url);

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function webhookProject(source?: string): TestProject {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    types: [],
    strict: true,
    experimentalDecorators: true,
    useDefineForClassFields: false,
  };
  const project = new TestProject({ 'tsconfig.json': JSON.stringify({ compilerOptions }) });
  projects.push(project);
  for (const part of ['package.json', 'markers']) {
    cpSync(join(root, 'src/runtime', part), project.path(`node_modules/operator-runtime/${part}`), { recursive: true });
  }
  const manifest = { name: 'operator-runtime', type: 'module', exports: { './markers': './markers/index.ts' } };
  project.put('node_modules/operator-runtime/package.json', JSON.stringify(manifest));
  if (source !== undefined) project.put('src/webhooks/webhooks.ts', source);
  return project;
}

function objects(text: string): unknown[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as unknown);
}

const widget = `name: 'vwidget-v1.kb.io', path: '/a', groups: ['example.com'], versions: ['v1'], resources: ['widgets'], verbs: ['create']`;
const webhook = (marker: string, options: string): string => `/** @${marker} { ${options} } */\nexport class Hook {}\n`;

describe.each(['decorators', 'jsdoc'])('fixtures/webhook with %s', (form) => {
  it.each(['webhook', 'webhook-defaults'])('gives the objects of %s', async (name) => {
    const project = webhookProject();
    cpSync(join(fixtures, 'webhook/sources', form, name), project.path('src/webhooks'), { recursive: true });
    const { code, stderr } = await project.run(...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const manifests = project.read('config/webhook/manifests.yaml');
    expect(objects(manifests)).toEqual(
      objects(readFileSync(join(fixtures, 'webhook/expected', name, 'manifests.yaml'), 'utf8')),
    );
    expect((await project.run(...flags, '--check')).code).toBe(0);
  });
});

describe.skipIf(!existsSync(golden))('fixtures/webhook/expected (needs ../shared/golden)', () => {
  it.each(['webhook', 'webhook-defaults'])('is what controller-gen wrote: %s', (name) => {
    expect(objects(readFileSync(join(fixtures, 'webhook/expected', name, 'manifests.yaml'), 'utf8'))).toEqual(
      objects(readFileSync(new URL(`${name}/manifests.yaml`, golden), 'utf8')),
    );
  });
});

describe('generate --webhook-dir', () => {
  it('writes nothing without webhooks, and prunes the manifest that it has written', async () => {
    const project = webhookProject(webhook('validatingWebhook', widget));
    expect((await project.run(...flags)).stdout).toContain('1 written');
    project.put('config/webhook/service.yaml', 'kind: Service\n');
    project.put(
      'src/webhooks/webhooks.ts',
      `/** @rbac { groups: [''], resources: ['pods'], verbs: ['get'] } */\nexport class Other {}\n`,
    );
    const check = await project.run(...flags, '--check');
    expect(check.code).toBe(1);
    expect(check.stdout).toContain('stale config/webhook/manifests.yaml');
    expect((await project.run(...flags)).stdout).toContain('1 removed');
    expect(Object.keys(project.tree('config'))).toEqual(['config/webhook/service.yaml']);
  });

  it('is on in a project, in config/webhook', async () => {
    const project = webhookProject(webhook('mutatingWebhook', widget));
    project.put('operator.json', '{}');
    expect((await project.run('generate')).code).toBe(0);
    expect(Object.keys(project.tree('config'))).toEqual(['config/webhook/manifests.yaml']);
  });

  it('prints the configurations', async () => {
    const project = webhookProject(webhook('mutatingWebhook', widget));
    const { stdout } = await project.run('generate', '--source', 'src/webhooks', '--stdout');
    expect(objects(stdout)).toMatchObject([{ kind: 'MutatingWebhookConfiguration' }]);
  });

  it.each<[string, string, string, string]>([
    [
      'an unknown verb',
      'validatingWebhook',
      widget.replace("'create'", "'patch'"),
      "must be one of 'create', 'update'",
    ],
    [
      'a reinvocation policy',
      'validatingWebhook',
      `${widget}, reinvocationPolicy: 'Never'`,
      "no option 'reinvocationPolicy'",
    ],
    ['no name', 'mutatingWebhook', widget.replace("name: 'vwidget-v1.kb.io', ", ''), "its option 'name' is missing"],
    ['side effects', 'mutatingWebhook', `${widget}, sideEffects: 'Some'`, "'None', 'NoneOnDryRun'"],
    ['a selector', 'mutatingWebhook', `${widget}, objectSelector: { matchLabel: {} }`, "no option 'matchLabel'"],
    ['a condition', 'mutatingWebhook', `${widget}, matchConditions: [{ name: 'a' }]`, "'expression' is missing"],
    ['a time', 'mutatingWebhook', `${widget}, timeoutSeconds: 31`, 'CO2508: MutatingWebhook: timeoutSeconds is 31'],
  ])('refuses %s at its place, and writes nothing', async (_what, marker, options, problem) => {
    const project = webhookProject(webhook(marker, options));
    const { code, stderr } = await project.run(...flags);
    expect(code).toBe(1);
    expect(stderr).toContain('src/webhooks/webhooks.ts:1:');
    expect(stderr).toContain(problem);
    expect(existsSync(project.path('config'))).toBe(false);
  });

  it('wants a class for a webhook', async () => {
    const project = webhookProject(webhook('mutatingWebhook', widget).replace('class', 'interface'));
    expect((await project.run(...flags)).stderr).toContain('CO1105: MutatingWebhook cannot stand on an interface');
  });
});
