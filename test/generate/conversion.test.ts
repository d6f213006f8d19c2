// The conversion stanza: declared in operator.json or by a flag, there being no marker for what is said of a whole kind.
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TestProject, widget } from './project.ts';

const second = widget().replace("version: 'v1'", "version: 'v1beta1'");
const first = widget().replace("version: 'v1'", "version: 'v1', storage: true");
const sources = { 'src/api/v1/widget.types.ts': first, 'src/api/v1beta1/widget.types.ts': second };
const crd = 'config/crd/bases/example.com_widgets.yaml';

const stanza = {
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { name: 'webhook-service', namespace: 'system', path: '/convert' } },
    conversionReviewVersions: ['v1'],
  },
};

const projects: TestProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function open(files: Readonly<Record<string, string>>): TestProject {
  const project = new TestProject(files);
  projects.push(project);
  return project;
}

function operatorFile(webhooks: object | undefined, kind = 'Widget'): string {
  const resource = { group: 'example.com', version: 'v1', kind, plural: 'widgets', scope: 'Namespaced' };
  return JSON.stringify({ projectName: 'demo', resources: [{ ...resource, controller: true, webhooks }] });
}

const conversionOf = (project: TestProject, path: string): unknown =>
  (parse(project.read(path)) as { spec: { conversion?: unknown } }).spec.conversion;

describe('a conversion webhook', () => {
  it.each([
    [{ conversion: true }, stanza],
    [{ conversion: false }, undefined],
    [undefined, undefined],
  ])('that operator.json declares as %j', async (webhooks, expected) => {
    const project = open({ ...sources, 'operator.json': operatorFile(webhooks) });
    const run = await project.run('generate');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(conversionOf(project, crd)).toEqual(expected);
  });

  it('shows in --check when it is declared and not yet written', async () => {
    const project = open({ ...sources, 'operator.json': operatorFile(undefined) });
    await project.run('generate');
    project.put('operator.json', operatorFile({ conversion: true }));
    const run = await project.run('generate', '--check');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('+    strategy: Webhook');
  });

  const flags = ['--source', 'src', '--crd-dir', 'crd'];

  it('that a flag declares', async () => {
    const project = open(sources);
    const run = await project.run('generate', ...flags, '--conversion-webhook', 'Widget.example.com');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(conversionOf(project, 'crd/example.com_widgets.yaml')).toEqual(stanza);
  });

  it.each([
    ['Widget', 2, 'names no kind'],
    ['widgets/example.com', 2, 'names no kind'],
    ['Widgets.example.com', 1, 'did you mean Widget.example.com?'],
  ])('that the flag declares for %s is an error', async (name, code, message) => {
    const project = open(sources);
    const run = await project.run('generate', ...flags, '--conversion-webhook', name);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
    expect(Object.keys(project.tree())).toEqual(Object.keys(sources));
  });

  it('that operator.json declares for no kind of the sources is an error', async () => {
    const project = open({ ...sources, 'operator.json': operatorFile({ conversion: true }, 'Gadget') });
    const run = await project.run('generate');
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('operator.json declares a conversion webhook for Gadget in example.com');
  });
});
