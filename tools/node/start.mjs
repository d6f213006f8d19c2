// Runs a command with Node.js >= 22.19: the one that is running, or the one that `npm ci` brought for machines with an older one.
// usage: node tools/node/start.mjs COMMAND [ARGUMENT ...]   (written for any Node.js >= 18: it is what finds the newer one)
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const [major, minor] = process.versions.node.split('.').map(Number);
const recentEnough = major > 22 || (major === 22 && minor >= 19);

/** The folder of a node that is recent enough: the running one's, else that of the package for this platform. */
function binFolder() {
  if (recentEnough) return dirname(process.execPath);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    const folder = join(root, 'node_modules', name, 'bin');
    if (existsSync(join(folder, executable))) return folder;
  }
  return undefined;
}

const folder = binFolder();
const [command, ...rest] = process.argv.slice(2);
if (folder === undefined || command === undefined) {
  console.error(
    command === undefined
      ? 'usage: node tools/node/start.mjs COMMAND [ARGUMENT ...]'
      : `Node.js ${process.versions.node} is too old (>= 22.19 is needed) and npm has brought no newer one: run "npm ci" without --omit=optional`,
  );
  process.exit(2);
}

const bin = join(root, 'node_modules', '.bin');
const child = spawn(command, rest, {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, PATH: [folder, bin, process.env.PATH ?? ''].join(delimiter) },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
if (process.env.npm_lifecycle_event !== undefined) {
  // npm passes a signal on to its shell alone, which ends without telling us: what npm started ends with it.
  const shell = process.ppid;
  setInterval(() => process.ppid === shell || child.kill('SIGTERM'), 200).unref();
}
child.on('error', (error) => {
  console.error(`${command}: ${error.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
