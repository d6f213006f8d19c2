// What is scaffolded besides code: kustomizations, Makefile, workflows, scripts. For each choice that changes them.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, parseManifests } from '../../src/testing/manifests.ts';
import { readProject } from '../../src/testing/project.ts';
import { startTestEnvironment } from '../../src/testing/index.ts';
import { run, runChecked } from '../../tools/repository.ts';
import { findProgram, findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { LinkedProject } from './shipped/project.ts';

const minute = 60_000;
const name = 'my-operator';
const kubectl = await findProgram('kubectl');
const withoutKubectl = kubectl === undefined ? ' (skipped: there is no kubectl)' : '';

const projects = [
  { choice: 'no choice', flags: [] },
  { choice: '--namespaced', flags: ['--namespaced'] },
  { choice: '--multigroup --no-helm', flags: ['--multigroup', '--no-helm'] },
  { choice: '--package-manager pnpm', flags: ['--package-manager', 'pnpm'] },
  { choice: '--package-manager yarn', flags: ['--package-manager', 'yarn'] },
  { choice: '--package-manager bun', flags: ['--package-manager', 'bun'] },
];

interface Binding extends Manifest {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const foreignBinding = `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: view
  namespace: ${name}-system
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: view
subjects:
  - kind: ServiceAccount
    name: controller-manager
    namespace: elsewhere
`;

/** Definitions, accounts, roles and bindings by kind, namespace and name; and the other objects, but for the namespace itself. */
function byKey(
  objects: readonly Manifest[],
  namespace: string,
): { defined: Map<string, Manifest>; others: Manifest[] } {
  const isDefined = ({ kind }: Manifest): boolean =>
    /^(CustomResourceDefinition|ServiceAccount|.*Role(Binding)?)$/.test(kind);
  const key = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
  const defined = objects.filter(isDefined).map((object): [string, Manifest] => [key(object), object]);
  const others = objects.filter((object) => !isDefined(object) && object.metadata.name !== namespace);
  return { defined: new Map(defined.sort(([a], [b]) => (a < b ? -1 : 1))), others };
}

describe.each(projects)('a project with $choice', ({ flags }) => {
  let project: LinkedProject;
  beforeAll(async () => {
    project = await LinkedProject.create(name, [['--kind', 'Widget']], ...flags);
  }, minute);
  afterAll(() => project?.remove());

  const text = (path: string): string => readFileSync(project.path(path), 'utf8');
  const kustomize = async (folder: string): Promise<readonly Manifest[]> =>
    parseManifests(await runChecked(kubectl ?? '', ['kustomize', `config/${folder}`], { cwd: project.root }));
  const targets = (): string[] => [...text('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, target = '']) => target);

  it.skipIf(kubectl === undefined)(`has overlays that build, each with objects${withoutKubectl}`, async () => {
    const overlays = readdirSync(project.path('config')).filter((folder) =>
      existsSync(project.path('config', folder, 'kustomization.yaml')),
    );
    expect(overlays).toEqual(readdirSync(project.path('config')));
    for (const overlay of overlays) expect(await kustomize(overlay), overlay).not.toEqual([]);
  });

  it.skipIf(kubectl === undefined)(
    `binds roles that are there to a ServiceAccount that is there${withoutKubectl}`,
    async () => {
      const all = await kustomize('default');
      const has = (kind: string, object: string, namespace?: string): boolean =>
        all.some(
          ({ kind: other, metadata }) => kind === other && metadata.name === object && metadata.namespace === namespace,
        );
      const bindings = all.filter((object): object is Binding => object.kind.endsWith('RoleBinding'));
      expect(bindings.length).toBeGreaterThan(3);
      for (const { roleRef, subjects, metadata } of bindings) {
        const namespace = roleRef.kind === 'Role' ? metadata.namespace : undefined;
        expect(has(roleRef.kind, roleRef.name, namespace), metadata.name).toBe(true);
        for (const subject of subjects)
          expect(has(subject.kind, subject.name, subject.namespace), metadata.name).toBe(true);
      }
      for (const { kind, metadata } of all) {
        expect(metadata.namespace ?? `${name}-system`, `${kind} ${metadata.name}`).toBe(`${name}-system`);
      }
    },
  );

  it.skipIf(kubectl === undefined)(
    `is installed in test environments as kustomize makes it${withoutKubectl}`,
    async () => {
      // A role of the cluster's own, for somebody else.
      project.write('config/rbac/view.yaml', foreignBinding);
      const kustomization = project.path('config/rbac/kustomization.yaml');
      const before = readFileSync(kustomization, 'utf8');
      writeFileSync(kustomization, `${before}  - view.yaml\n`);
      try {
        const { manifests, namespace, user } = await readProject(project.root);
        const { defined, others } = byKey(await kustomize('default'), namespace);
        expect(byKey(manifests, namespace)).toEqual({ defined, others: [] });
        expect(others.length).toBeGreaterThan(1);
        expect(user).toBe(`system:serviceaccount:${name}-system:${name}-controller-manager`);
      } finally {
        writeFileSync(kustomization, before);
        rmSync(project.path('config/rbac/view.yaml'));
      }
    },
  );

  it('has a Makefile whose targets are what is expected, and scripts with the same names', async () => {
    const { scripts } = JSON.parse(text('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const expected =
      'generate manifests build test run install uninstall deploy undeploy docker-build build-installer lint check dev test-e2e'.split(
        ' ',
      );
    expect(targets()).toEqual(expect.arrayContaining(expected));
    for (const target of expected) {
      // Package managers run scripts called install when they install.
      const script = /^(un)?install$/.test(target) ? `${target}-crds` : target;
      expect(Object.keys(scripts)).toContain(script);
    }
    // What a recipe runs exists.
    const called = [...text('Makefile').matchAll(/^\t.*(?:npm|pnpm|yarn|bun) run ([\w-]+)$/gm)].map(
      ([, script]) => script,
    );
    expect(called.length).toBeGreaterThan(5);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
    for (const target of targets()) await runChecked('make', ['--dry-run', target, 'IMG=a/b:c'], { cwd: project.root });
    expect(await runChecked('make', ['help'], { cwd: project.root })).toContain('docker-build');
  });

  it('has workflows that set up what the project needs, and run targets that are there', () => {
    const folder = '.github/workflows';
    const workflows = readdirSync(project.path(folder));
    expect(workflows).toEqual(expect.arrayContaining(['lint.yml', 'test-e2e.yml', 'test.yml']));
    interface Step {
      readonly run?: string;
      readonly uses?: string;
      readonly shell?: string;
    }
    for (const workflow of workflows) {
      const { jobs, permissions } = parse(text(join(folder, workflow))) as {
        readonly permissions: unknown;
        readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
      };
      expect(permissions).toEqual({ contents: 'read' });
      for (const step of Object.values(jobs).flatMap(({ steps }) => steps)) {
        const target = /^make (\S+)$/.exec(step.run ?? '')?.[1];
        if (target !== undefined) expect(targets()).toContain(target);
        else expect(step.uses ?? step.run).toMatch(/^(\.\/\.github\/actions\/setup|[a-z-]+\/[a-z-]+@v\d+|helm .*)$/);
      }
    }
    const { runs } = parse(text('.github/actions/setup/action.yml')) as {
      readonly runs: { readonly steps: readonly Step[] };
    };
    const manager = flags.includes('--package-manager') ? flags[1] : 'npm';
    const install = runs.steps.at(-1);
    expect(install?.run).toMatch(new RegExp(`^${manager} `));
    for (const step of runs.steps) if (step.run !== undefined) expect(step.shell).toBe('bash');
  });

  it('has a devcontainer that is JSON, and scripts that bash reads', async () => {
    expect(JSON.parse(text('.devcontainer/devcontainer.json'))).toMatchObject({ image: expect.stringMatching(/:24/) });
    await runChecked('bash', ['-n', '.devcontainer/post-install.sh'], { cwd: project.root });
  });

  it('tells of commands that are there', () => {
    const { scripts } = JSON.parse(text('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    for (const page of ['README.md', 'AGENTS.md']) {
      const named = [...text(page).matchAll(/\b(?:npm|pnpm|yarn|bun) run ([\w-]+)/g)].map(([, script = '']) => script);
      expect(named.length, page).toBeGreaterThan(4);
      for (const script of named)
        if (script !== 'create-operator') expect(Object.keys(scripts), page).toContain(script);
      for (const [, words = ''] of text(page).matchAll(/(?:^|`)make ([a-z0-9 -]+[a-z0-9])/gm)) {
        for (const target of words.split(' ')) expect(targets(), page).toContain(target);
      }
    }
  });
});

describe('hack/set-image.mjs', () => {
  let project: LinkedProject;
  beforeAll(async () => {
    project = await LinkedProject.create(name, []);
  }, minute);
  afterAll(() => project?.remove());

  it
    .skipIf(kubectl === undefined)
    .each([
      'b:v1',
      'registry.example.com:5000/a/b:v1.2_x-3',
      `registry.example.com/a/b@sha256:${'a1'.repeat(32)}`,
      'registry.example.com:5000/b',
      'b:1.10',
    ])(`makes config/manager use %s${withoutKubectl}`, async (image) => {
    await runChecked('make', ['set-image', `IMG=${image}`], { cwd: project.root });
    const rendered = await runChecked(kubectl ?? '', ['kustomize', 'config/manager'], { cwd: project.root });
    const expected = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
    expect(/^ +image: (.*)$/m.exec(rendered)?.[1]).toBe(expected);
  });

  it.each(['', 'a b', 'a:b:c', 'a@sha256:1', 'a/'])('refuses %j', async (image) => {
    const before = readFileSync(project.path('config/manager/kustomization.yaml'), 'utf8');
    const { code, stderr } = await run(process.execPath, ['hack/set-image.mjs', image], { cwd: project.root });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is no image: write IMG=') });
    expect(readFileSync(project.path('config/manager/kustomization.yaml'), 'utf8')).toBe(before);
  });
});

const assets = findPrograms();

it.skipIf(kubectl === undefined || assets === undefined)(
  `a real kube-apiserver takes the manager's pod in a namespace of restricted pods, and no pod with more rights${withoutPrograms}`,
  async () => {
    // The longest name that a project may have: with all endings it is one that a server takes.
    const longest = 'a'.repeat(28);
    const project = await LinkedProject.create(longest, []);
    try {
      const rendered = parseManifests(
        await runChecked(kubectl ?? '', ['kustomize', 'config/default'], { cwd: project.root }),
      );
      await using environment = await startTestEnvironment({
        project: false,
        manifests: rendered,
        assets: assets ?? '',
      });
      const namespace = `${longest}-system`;
      const deployment = rendered.find(({ kind }) => kind === 'Deployment') as unknown as {
        readonly spec: { readonly template: { readonly spec: object } };
      };
      const create = async (pod: string, spec: object) =>
        environment.request({
          method: 'POST',
          path: `/api/v1/namespaces/${namespace}/pods`,
          body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace }, spec },
        });
      const { spec } = deployment.spec.template;
      const allowed = await create('allowed', spec);
      expect(allowed.status, allowed.text).toBe(201);
      const refused = await create('refused', { ...spec, securityContext: {} });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('violates PodSecurity \\"restricted');
    } finally {
      project.remove();
    }
  },
  2 * minute,
);
