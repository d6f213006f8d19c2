// npm run quickstart: what a user does, from the packed tarballs in a fresh folder: install, generate, look, and apply on
// a real API server where one can be had. Ends 0 and leaves nothing behind; Ctrl-C stops it at any point.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from './pack.ts';
import { startApiServer, type ApiServer } from './quickstart/api-server.ts';
import { command, excerpt, heading, say, show, tree } from './quickstart/screen.ts';
import { main, root, run, runChecked } from './repository.ts';

const interrupted = new AbortController();
const { signal } = interrupted;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());

/** What `generate` is asked for. */
// prettier-ignore
const generateArguments = [
  'generate', '--source', 'src/api/v1/*.types.ts', '--crd-dir', 'config/crd/bases', '--rbac-dir', 'config/rbac',
  '--role-name', 'manager-role', '--client-dir', 'src/generated',
];

async function quickstart(folder: string): Promise<void> {
  heading('Pack both packages');
  const tarballs = await pack(join(folder, 'tarballs'));
  for (const { path, size } of tarballs) say(`${path.slice(folder.length + 1)}  ${(size / 1000).toFixed(0)} kB`);

  heading('Install them into a fresh project');
  const project = join(folder, 'project');
  mkdirSync(join(project, 'src', 'api'), { recursive: true });
  const [tool, runtime] = ['create-operator', 'operator-runtime'].map(
    (name) => `file:${tarballs.find((tarball) => tarball.name === name)?.path}`,
  );
  const manifest = {
    name: 'quickstart',
    private: true,
    type: 'module',
    dependencies: { 'operator-runtime': runtime },
    devDependencies: { 'create-operator': tool },
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest, undefined, 2));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }, undefined, 2));
  command('npm', ['install']);
  await runChecked('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: project, signal });
  cpSync(join(root, 'fixtures', 'compute', 'decorators'), join(project, 'src', 'api', 'v1'), { recursive: true });
  say('The API: three kinds of compute.cloud.com/v1 with markers in their types.');
  show(
    excerpt(readFileSync(join(project, 'src', 'api', 'v1', 'ec2-instance.types.ts'), 'utf8'), 'class BlockDevice', 19),
  );

  heading('Generate');
  command('npx create-operator', generateArguments);
  show(await runChecked('npx', ['--no-install', 'create-operator', ...generateArguments], { cwd: project, signal }));
  show(tree(project, ['node_modules', 'package-lock.json']));
  say('');
  say('config/crd/bases/compute.cloud.com_ec2instances.yaml:');
  const definition = readFileSync(join(project, 'config/crd/bases/compute.cloud.com_ec2instances.yaml'), 'utf8');
  show(excerpt(definition, 'blockDevices:', 24));
  say('config/rbac/role.yaml:');
  show(excerpt(readFileSync(join(project, 'config/rbac/role.yaml'), 'utf8'), 'rules:', 20));

  heading('Check, as CI would');
  command('npx create-operator', ['generate', '--check', '...']);
  const check = ['--no-install', 'create-operator', ...generateArguments, '--check'];
  show(
    (await runChecked('npx', check, { cwd: project, signal })) || 'exit code 0: nothing is missing, stale or changed',
  );

  heading('Apply on a real API server');
  signal.throwIfAborted();
  const server = await startApiServer(signal);
  if (server === undefined) return;
  try {
    await apply(server, project);
  } finally {
    await server.kubernetes.stop();
    say('The server is stopped, its data removed.');
  }
}

async function apply({ kubernetes, kubectl }: ApiServer, project: string): Promise<void> {
  signal.throwIfAborted();
  const kubeconfig = kubernetes.kubeconfig();
  const call = async (args: readonly string[], expected = 0): Promise<void> => {
    command('kubectl', args);
    const { code, stdout, stderr } = await run(kubectl, args, {
      cwd: project,
      signal,
      env: { KUBECONFIG: kubeconfig },
    });
    show(`${stdout}${stderr}`);
    if (code !== expected) throw new Error(`kubectl ended with code ${code}, ${expected} was expected`);
  };
  for (const set of ['valid', 'refused']) {
    cpSync(join(root, 'fixtures', 'compute', 'samples', set), join(project, 'samples', set), { recursive: true });
  }
  await call(['apply', '--validate=strict', '-f', 'config/crd/bases', '-f', 'config/rbac']);
  await call(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
  await call(['apply', '--validate=strict', '-f', 'samples/valid/ec2instance-full.yaml']);
  say('This one breaks a validation, and the server refuses it:');
  await call(['apply', '-f', 'samples/refused/ec2instance-size-above.yaml'], 1);
  say('What an operator would write into the status, in the columns of the CRD:');
  const status = { status: { state: 'running', publicIP: '192.0.2.7' } };
  await call(['patch', 'ec2', 'full', '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
  await call(['get', 'ec2instances']);
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  experimentalDecorators: true,
  useDefineForClassFields: false,
};

await main(async () => {
  if (process.argv.length > 2) {
    console.error(`usage: npm run quickstart   ("${process.argv.slice(2).join(' ')}" is not known)`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-quickstart-'));
  try {
    await quickstart(folder);
    console.log('\nDone.');
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error('\nStopped.');
    return 130;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
