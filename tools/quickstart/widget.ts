// The quickstart with an operator of its own: from nothing to a Widget that is reconciled.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifests } from '../../src/testing/manifests.ts';
import { readProject } from '../../src/testing/project.ts';
import { pack } from '../pack.ts';
import { startApiServer } from './api-server.ts';
import { Cluster, type SeenObject } from './cluster.ts';
import { OperatorLog } from './operator-log.ts';
import { command, excerpt, fact, heading, say, show, tree } from './screen.ts';
import { eventually, type Background, type Session } from './session.ts';

const name = 'widgets';
const collection = '/apis/example.com/v1/namespaces/default/widgets';
const widget = `${collection}/widget-sample`;

/** What is left for the user to look at, with `--keep`. */
export interface Kept {
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Commands to try. */
  readonly commands: readonly string[];
  readonly operator: Background;
  readonly log: OperatorLog;
}

export async function widgetQuickstart(session: Session, keep: boolean): Promise<Kept> {
  const project = await scaffold(session);

  heading('Start the embedded API server');
  const kubeconfig = join(session.folder, 'kubeconfig');
  await startApiServer(session, join(project, 'node_modules', '.bin', 'create-operator'), kubeconfig);

  const cluster = await Cluster.open(session, project, kubeconfig);
  try {
    heading('Install the definition and the permissions');
    const { manifests, namespace } = await readProject(project);
    await cluster.apply(['-k', 'config/default'], () => Promise.resolve(manifests));
    say('The Deployment is only data here: this server starts no pods.');

    heading('Run the operator as its ServiceAccount');
    const account = join(session.folder, 'operator.kubeconfig');
    const text = await cluster.serviceAccountKubeconfig(namespace, `${name}-controller-manager`);
    writeFileSync(account, text, { mode: 0o600 });
    const log = new OperatorLog();
    const args = ['dist/main.js', '--kubeconfig', '../operator.kubeconfig', '--health-probe-bind-address', '0'];
    command('node', args);
    const operator = session.start(process.execPath, ['--enable-source-maps', ...args], {
      cwd: project,
      line: log.line,
    });
    await log.says('Starting workers', session.signal, operator);

    await reconcile(session, cluster, project, log, operator, keep);
    return {
      kubeconfig,
      commands: ['kubectl get widgets -o wide', 'kubectl delete widget widget-sample'],
      operator,
      log,
    };
  } finally {
    cluster.close();
  }
}

/** From the tarballs to a built operator; returns the folder of the project. */
async function scaffold(session: Session): Promise<string> {
  heading('Pack both packages');
  const tarballs = await pack(join(session.folder, 'tarballs'));
  for (const { path, size } of tarballs) {
    say(`${path.slice(session.folder.length + 1)}  ${(size / 1000).toFixed(0)} kB`);
  }
  session.signal.throwIfAborted();

  heading('Scaffold a project');
  const tool = tarballs.find((tarball) => tarball.name === 'create-operator')?.path ?? '';
  // What npx does, in a folder that goes away again.
  const npx = join(session.folder, 'npx');
  command('npx create-operator', [name, '--skip-install']);
  await session.run('npm', ['install', '--prefer-offline', '--no-save', '--prefix', npx, tool]);
  const create = join(npx, 'node_modules', '.bin', 'create-operator');
  show((await session.run(create, [name, '--skip-install'])).split('\n\n')[0] ?? '');
  const project = join(session.folder, name);
  command(
    'npm install',
    tarballs.map(({ path }) => `../tarballs/${path.slice(path.lastIndexOf('/') + 1)}`),
  );
  await session.run('npm', ['install', '--prefer-offline', ...tarballs.map(({ path }) => path)], { cwd: project });

  heading('Add a kind');
  const api = ['api', '--group', 'example.com', '--version', 'v1', '--kind', 'Widget'];
  command('npx create-operator', api);
  await session.run(join(project, 'node_modules', '.bin', 'create-operator'), api, { cwd: project });
  show(tree(project, ['node_modules', 'package-lock.json', '.git']));
  say('src/api/v1/widget.types.ts, from which definition, role and client are made:');
  show(excerpt(readFileSync(join(project, 'src/api/v1/widget.types.ts'), 'utf8'), 'class WidgetSpec', 12));

  heading('Check, test and build it');
  await script(session, project, ['run', 'check'], /^\d+ kinds?, .*$/m);
  await script(session, project, ['test'], /^ *Tests .*$/m);
  await script(session, project, ['run', 'build']);
  say(`dist/main.js  ${(readFileSync(join(project, 'dist/main.js')).length / 1000).toFixed(0)} kB`);
  return project;
}

/** Runs a script of the project, and shows the line of its output that says how it went. */
async function script(session: Session, project: string, args: readonly string[], line?: RegExp): Promise<void> {
  command('npm', args);
  const output = await session.run('npm', args, { cwd: project, env: { NO_COLOR: '1', FORCE_COLOR: undefined } });
  const found = line?.exec(output)?.[0];
  if (found !== undefined) show(found.trim());
}

async function reconcile(
  session: Session,
  cluster: Cluster,
  project: string,
  log: OperatorLog,
  operator: Background,
  keep: boolean,
): Promise<void> {
  const { signal } = session;
  const external = join(project, 'external');
  const sizeIs = (size: number): Promise<SeenObject> =>
    eventually(`a status with size ${size}`, signal, async () => {
      const object = await cluster.object(widget);
      return object?.status?.['size'] === size ? object : undefined;
    });

  heading('Create a widget');
  await cluster.apply(['-k', 'config/samples'], () => readManifests([join(project, 'config/samples')]));
  await log.says('finalizer added', signal, operator);
  await log.says('external resource created', signal, operator);
  await log.says('status written', signal, operator);
  const created = await sizeIs(3);
  fact('finalizer', created.metadata.finalizers?.join(', ') ?? 'none');
  fact('external resource', onlyFile(external, created));
  show(readFileSync(join(external, `${externalName(created)}.json`), 'utf8'));
  fact(
    'status',
    `size ${String(created.status?.['size'])}, generation ${String(created.status?.['observedGeneration'])}`,
  );
  await cluster.columns('widgets', collection);

  heading('Change it');
  await cluster.patch('widget', widget, { spec: { size: 5 } });
  await log.says('external resource changed', signal, operator);
  await log.says('status written', signal, operator);
  const changed = await sizeIs(5);
  fact('external resource', onlyFile(external, changed));
  await cluster.columns('widgets', collection);
  if (keep) return;

  heading('Delete it');
  await cluster.delete('widget', widget);
  await log.says('external resource deleted', signal, operator);
  await log.says('finalizer removed', signal, operator);
  await eventually('the end of the widget', signal, async () =>
    (await cluster.object(widget)) === undefined ? true : undefined,
  );
  const left = readdirSync(external);
  if (left.length > 0) throw new Error(`the operator left ${left.join(', ')}`);
  fact('external resource', 'gone');
  fact('widget', 'gone');

  heading('Stop the operator');
  await operator.stop();
  const ending = await operator.ended;
  if (ending !== 'exit code 0') throw new Error(`the operator ended with ${ending}`);
  fact('operator', 'ended in order, exit code 0');
}

function externalName({ metadata }: SeenObject): string {
  return `widget-${metadata.uid}`;
}

/** The one file that stands for the widget outside, whose name follows from the widget's uid. */
function onlyFile(folder: string, object: SeenObject): string {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const expected = `${externalName(object)}.json`;
  if (files.length !== 1 || files[0] !== expected) {
    throw new Error(`external/ holds ${files.join(', ') || 'nothing'}, not ${expected}`);
  }
  return `external/${expected}`;
}
