// The real programs of Kubernetes that tests compare with: where they are, and how they are built where they are not.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../../tools/lock.ts';
import { run, runChecked } from '../../../tools/repository.ts';

/** The modules that pin the programs, with `go.mod` and `go.sum`. */
const modules = fileURLToPath(new URL('binaries', import.meta.url));

export const programNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;
export type ProgramName = (typeof programNames)[number];

/** What a server cannot do without. */
const serverPrograms: readonly ProgramName[] = ['etcd', 'kube-apiserver'];

/** The oldest Go that builds the modules, as their `go` directive says. */
const oldestGo = [1, 26] as const;

/** The version of Kubernetes that the modules pin: `v1.37.2`. */
export const kubernetesVersion = pinnedVersion();

function pinnedVersion(): string {
  const found = /^require k8s\.io\/kubernetes (v\S+)$/m.exec(
    readFileSync(join(modules, 'kubernetes', 'go.mod'), 'utf8'),
  );
  if (found?.[1] === undefined) throw new Error('binaries/kubernetes/go.mod does not require k8s.io/kubernetes');
  return found[1];
}

/** Where programs are built to: the user's cache, never the checkout. */
export function cacheFolder(): string {
  const caches = process.env['XDG_CACHE_HOME'];
  const base = caches === undefined || caches === '' ? join(homedir(), '.cache') : caches;
  return join(base, 'create-operator', 'kubernetes', kubernetesVersion);
}

/** The folder that holds a server's programs: `KUBEBUILDER_ASSETS` when it is set, else the cache; undefined when they are not there. */
export function findPrograms(): string | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const folder = assets === undefined || assets === '' ? cacheFolder() : assets;
  return serverPrograms.every((program) => existsSync(join(folder, program))) ? folder : undefined;
}

/** A title's end for tests that need the programs: it says why they are skipped. */
export const withoutPrograms =
  findPrograms() === undefined
    ? ' (skipped: there is no kube-apiserver; build one by "node test/conformance/kubernetes/build.ts" where Go >= 1.26 is installed, or set KUBEBUILDER_ASSETS)'
    : '';

/** The path of a program, from the folder of the server's programs or else from PATH; undefined when it is nowhere. */
export async function findProgram(name: ProgramName): Promise<string | undefined> {
  const folder = findPrograms();
  if (folder !== undefined && existsSync(join(folder, name))) return join(folder, name);
  const cached = join(cacheFolder(), name);
  if (existsSync(cached)) return cached;
  const args = name === 'kubectl' ? ['version', '--client'] : ['--version'];
  return (await succeeds(name, args)) ? name : undefined;
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  try {
    return (await run(command, args)).code === 0;
  } catch {
    return false;
  }
}

/** Why programs cannot be built here, in one line; undefined when they can. */
export async function cannotBuild(): Promise<string | undefined> {
  const needed = `Go >= ${oldestGo.join('.')} is needed to build Kubernetes`;
  let version: string;
  try {
    version = (await run('go', ['env', 'GOVERSION'])).stdout.trim();
  } catch {
    return `${needed}, and there is no go in PATH`;
  }
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  const recent = Number(major) > oldestGo[0] || (Number(major) === oldestGo[0] && Number(minor) >= oldestGo[1]);
  return recent ? undefined : `${needed}, and the installed one is ${version}`;
}

/** The programs that a build still has to make, in the order of {@link programNames}. */
export function missingPrograms(programs: readonly ProgramName[]): ProgramName[] {
  return programNames.filter((name) => programs.includes(name) && !existsSync(join(cacheFolder(), name)));
}

/**
 * Builds programs into the cache folder and returns it. What is there already is left as it is; several processes may
 * call it at once: one builds, the others wait for it.
 */
export async function buildPrograms(
  programs: readonly ProgramName[] = serverPrograms,
  log: (line: string) => void = () => {},
  signal?: AbortSignal,
): Promise<string> {
  const folder = cacheFolder();
  if (missingPrograms(programs).length === 0) return folder;
  const reason = await cannotBuild();
  if (reason !== undefined) throw new Error(reason);
  await mkdir(folder, { recursive: true });
  const waiting = (owner: number): void => log(`waiting for process ${owner}, which builds the same programs`);
  await withLock(join(folder, '.lock'), waiting, async () => {
    for (const name of missingPrograms(programs)) await buildProgram(name, folder, log, signal);
  });
  return folder;
}

async function buildProgram(
  name: ProgramName,
  folder: string,
  log: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  log(`building ${name} from its Go modules ...`);
  const started = performance.now();
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
  const variable = 'k8s.io/component-base/version.git';
  const stamp = `-X ${variable}Version=${kubernetesVersion} -X ${variable}Major=${major} -X ${variable}Minor=${minor}`;
  const isEtcd = name === 'etcd';
  const temporary = join(folder, `.${name}.${process.pid}.tmp`);
  const flags = ['-ldflags', isEtcd ? '-s -w' : `-s -w ${stamp}`];
  const packagePath = isEtcd ? '.' : `k8s.io/kubernetes/cmd/${name}`;
  try {
    await runChecked('go', ['build', '-buildvcs=false', ...flags, '-o', temporary, packagePath], {
      cwd: join(modules, isEtcd ? 'etcd' : 'kubernetes'),
      env: { CGO_ENABLED: '0' },
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await rename(temporary, join(folder, name));
  log(`built ${join(folder, name)} in ${Math.round((performance.now() - started) / 1000)} s`);
}
