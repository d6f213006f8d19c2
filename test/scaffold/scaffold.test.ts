// End to end, from the packed tarballs: what a newcomer does, and what a project's CI does.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { run, runChecked } from '../../tools/repository.ts';
import { findProgram, findPrograms, withoutPrograms } from '../conformance/kubernetes/programs.ts';
import { endAll, packages, type Packages, Running, ScaffoldedProject } from './project.ts';

const minute = 60_000;
const kubectl = await findProgram('kubectl');
const withoutKubectl = kubectl === undefined ? ' (skipped: there is no kubectl)' : '';

let packed: Packages;
let project: ScaffoldedProject;

beforeAll(async () => {
  packed = await packages();
  project = await ScaffoldedProject.create(packed, 'my-operator');
}, 5 * minute);
afterEach(endAll, minute);
afterAll(() => packed?.remove());

const folders = (): string[] =>
  readdirSync(join(project.root, 'config')).filter((name) =>
    existsSync(join(project.root, 'config', name, 'kustomization.yaml')),
  );

async function kustomize(folder: string): Promise<string> {
  return runChecked(kubectl ?? '', ['kustomize', join('config', folder)], { cwd: project.root });
}

describe('a new project', () => {
  it.skipIf(kubectl === undefined)(`has kustomizations that build${withoutKubectl}`, async () => {
    expect(folders()).toEqual([
      'crd',
      'default',
      'manager',
      'network-policy',
      'prometheus',
      'rbac',
      'samples',
      'webhook',
    ]);
    for (const folder of folders()) await kustomize(folder);
    const all = await kustomize('default');
    expect(all).toContain('namespace: my-operator-system');
    expect(all).toContain('name: my-operator-controller-manager');
    expect(all).toContain('--metrics-bind-address=:8443');
    expect(all).toContain('name: my-operator-controller-manager-metrics-service');
  });

  it(
    'type-checks',
    async () => {
      expect(await project.npm(['run', 'typecheck'])).toMatchObject({ code: 0 });
    },
    minute,
  );
});

describe('a project with kinds', () => {
  beforeAll(async () => {
    const api = ['api', '--group', 'example.com', '--version', 'v1', '--kind'];
    const kinds = [
      [...api, 'Widget'],
      [...api, 'Policy', '--scope', 'Cluster'],
      ['api', '--group', 'other.example.com', '--version', 'v1beta1', '--kind', 'Plain', '--no-controller'],
    ];
    for (const args of kinds) {
      const { code, stdout, stderr } = await project.createOperator(...args);
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    }
  }, minute);

  it('is up to date: generate --check has nothing to say', async () => {
    expect(await project.npm(['run', 'check'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is up to date in a checkout with CRLF line ends, too', async () => {
    const copy = join(packed.folder, 'crlf');
    cpSync(project.root, copy, { recursive: true, filter: (path) => !path.includes('node_modules') });
    symlinkSync(join(project.root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || path.includes('node_modules')) continue;
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    }
    const check = await run(project.program, ['generate', '--check'], { cwd: copy });
    expect(check).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(kubectl === undefined)(`has kustomizations that build${withoutKubectl}`, async () => {
    for (const folder of folders()) await kustomize(folder);
    const all = await kustomize('default');
    for (const definition of ['widgets.example.com', 'policies.example.com', 'plains.other.example.com']) {
      expect(all).toContain(`name: ${definition}`);
    }
    expect(await kustomize('samples')).toContain('kind: Policy');
  });

  it(
    'type-checks',
    async () => {
      expect(await project.npm(['run', 'typecheck'])).toMatchObject({ code: 0 });
    },
    minute,
  );

  it(
    'passes its unit tests and its tests on the embedded API server',
    async () => {
      const { code, stdout, stderr } = await project.npm(['test'], { KUBEBUILDER_ASSETS: undefined });
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toMatch(/Test Files\s+4 passed \(4\)/);
    },
    2 * minute,
  );

  it.skipIf(findPrograms() === undefined)(
    `passes them on a real kube-apiserver, too${withoutPrograms}`,
    async () => {
      const { code, stdout, stderr } = await project.npm(['test'], { KUBEBUILDER_ASSETS: findPrograms() });
      expect(code, stdout + stderr).toBe(0);
    },
    2 * minute,
  );

  it(
    'builds one file that says what it takes',
    async () => {
      expect(await project.npm(['run', 'build'])).toMatchObject({ code: 0 });
      const help = await run(process.execPath, ['dist/main.js', '--help'], { cwd: project.root });
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain('--leader-elect');
      const wrong = await run(process.execPath, ['dist/main.js', '--nope'], { cwd: project.root });
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
    },
    minute,
  );
});

describe.each([
  { server: 'the embedded API server', assets: '', skipped: false },
  {
    server: `a real kube-apiserver${withoutPrograms}`,
    assets: findPrograms() ?? '',
    skipped: findPrograms() === undefined,
  },
])('the built operator on $server', ({ assets, skipped }) => {
  it.skipIf(skipped)(
    'does its work as its ServiceAccount, with the permissions of its roles alone',
    async () => {
      const { startTestEnvironment } = await project.testing();
      await using environment = await startTestEnvironment({ project: project.root, assets });
      const external = join(packed.folder, `external-${assets === '' ? 'embedded' : 'real'}`);
      // prettier-ignore
      const args = [
        'dist/main.js', '--kubeconfig', await environment.kubeconfigFile(environment.operatorUser),
        '--health-probe-bind-address', '0', '--leader-elect=true', '--leader-election-namespace', 'my-operator-system',
        '--metrics-bind-address=127.0.0.1:0',
      ];
      const folders = { EXTERNAL_WIDGET_DIR: external, EXTERNAL_POLICY_DIR: external };
      const operator = new Running(process.execPath, args, project.root, folders);

      const apply = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
      const objects = [
        ['/apis/example.com/v1/namespaces/default/widgets', 'Widget'],
        ['/apis/example.com/v1/policies', 'Policy'],
      ] as const;
      for (const [path, kind] of objects) {
        const body = { apiVersion: 'example.com/v1', kind, metadata: { name: 'one' }, spec: { size: 3 } };
        expect(await environment.request({ ...apply, path, body })).toMatchObject({ status: 201 });
      }
      const statusOf = async (path: string): Promise<unknown> =>
        ((await environment.request({ path: `${path}/one` })).json() as { status?: { size?: number } }).status?.size;
      for (const [path] of objects) {
        await vi.waitFor(async () => expect(await statusOf(path), operator.output).toBe(3), { timeout: minute });
      }
      expect(readdirSync(external)).toHaveLength(2);
      expect(operator.output).toContain('Serving metrics');

      if (kubectl !== undefined) {
        const env = { KUBECONFIG: await environment.kubeconfigFile() };
        const columns = await runChecked(kubectl, ['get', 'widgets,policies'], { env });
        expect(columns.match(/^\S+\/one +3 +True +\d+s$/gm), columns).toHaveLength(2);
      }

      for (const [path] of objects) await environment.request({ method: 'DELETE', path: `${path}/one` });
      for (const [path] of objects) {
        const gone = async (): Promise<void> =>
          expect((await environment.request({ path: `${path}/one` })).status, operator.output).toBe(404);
        await vi.waitFor(gone, { timeout: minute });
      }
      expect(readdirSync(external)).toEqual([]);

      expect(await operator.end('SIGTERM'), operator.output).toBe(0);
      expect(operator.output).not.toMatch(/forbidden|"level":"error"|"code":403/i);
    },
    3 * minute,
  );
});

describe('create-operator dev', () => {
  it(
    'runs the operator, again after a change of the types, survives a broken one, and ends with nothing left',
    async () => {
      const types = join(project.root, 'src/api/v1/widget.types.ts');
      const before = readFileSync(types, 'utf8');
      const kubeconfig = join(packed.folder, 'dev.kubeconfig');
      const dev = new Running(project.program, ['dev', '--kubeconfig', kubeconfig], project.root);
      const says = async (text: string, times: number): Promise<void> => {
        const count = (): number => dev.output.split(text).length - 1;
        await vi.waitFor(() => expect(count(), dev.output).toBeGreaterThanOrEqual(times), { timeout: minute });
      };
      try {
        await says('Starting workers', 2);
        expect(dev.output).toContain(`export KUBECONFIG=${kubeconfig}`);

        writeFileSync(types, `${before}\nexport const broken: = 1;\n`);
        await says('Waiting for a change', 1);
        expect(dev.output).toContain('src/api/v1/widget.types.ts:');

        writeFileSync(types, before.replace('@Maximum(100)', '@Maximum(50)'));
        // Both controllers of a second operator.
        await says('Starting workers', 4);
        if (kubectl !== undefined) {
          const env = { KUBECONFIG: kubeconfig };
          const path = [
            '-o',
            'jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.maximum}',
          ];
          expect(await runChecked(kubectl, ['get', 'crd', 'widgets.example.com', ...path], { env })).toBe('50');
        }
        expect(await dev.end('SIGTERM'), dev.output).toBe(0);
        expect(existsSync(join(project.root, 'dist/main.js'))).toBe(true);
      } finally {
        writeFileSync(types, before);
      }
    },
    3 * minute,
  );
});

describe('create-operator init', () => {
  let registry: Server;
  let asked: Promise<void>;
  let address: string;

  /** A registry that never answers. */
  beforeAll(async () => {
    asked = new Promise((resolve) => {
      registry = createServer(() => resolve());
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const bound = registry.address();
    address = typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
  });
  afterAll(() => registry?.close());

  const cache = (): { npm_config_cache: string } => ({ npm_config_cache: join(packed.folder, 'empty-cache') });

  const files = (name: string): string[] =>
    readdirSync(join(packed.folder, name), { recursive: true, encoding: 'utf8' }).sort();

  it(
    'leaves a complete project and one clear line when there is no network',
    async () => {
      // A port that nothing listens on.
      const env = { ...cache(), npm_config_registry: 'http://127.0.0.1:9' };
      const { code, stderr } = await run(packed.createOperator, ['offline'], { cwd: packed.folder, env });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^error: the project is complete, but its dependencies are not installed: .*\n  help: .*\n$/,
      );
      await runChecked(packed.createOperator, ['complete', '--skip-install'], { cwd: packed.folder });
      expect(files('offline')).toEqual(files('complete'));
      rmSync(join(packed.folder, 'offline'), { recursive: true });
    },
    minute,
  );

  it(
    'leaves a complete project and one clear line when Ctrl-C comes while npm installs',
    async () => {
      const env = { ...cache(), npm_config_registry: address };
      const init = new Running(packed.createOperator, ['stopped'], packed.folder, env);
      await asked;
      expect(await init.end('SIGINT')).toBe('SIGINT');
      expect(init.output).toMatch(/not installed: npm was interrupted\n  help: run npm install in stopped\n$/);
      expect(files('stopped')).toEqual(files('complete'));
    },
    minute,
  );

  it(
    'leaves a whole project or none, whenever Ctrl-C comes',
    async () => {
      const whole = files('complete');
      for (const [attempt, milliseconds] of [1, 60, 120, 180, 240, 300, 360].entries()) {
        const name = `attempt-${attempt}`;
        const init = new Running(packed.createOperator, [name, '--skip-install'], packed.folder);
        setTimeout(() => void init.end('SIGINT'), milliseconds);
        await init.ended;
        if (existsSync(join(packed.folder, name))) expect(files(name), `after ${milliseconds} ms`).toEqual(whole);
      }
    },
    minute,
  );
});
