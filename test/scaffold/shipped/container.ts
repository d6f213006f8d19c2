// Two ways to run the manager's container: with nothing but Linux namespaces, and with a container engine.
import { existsSync, lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run, runChecked } from '../../../tools/repository.ts';
import { Running } from '../project.ts';
import type { ImageSpec, PodSpec } from './pod.ts';

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Why the root file system cannot be made here; undefined when it can. */
export async function withoutNamespaces(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'this is no Linux';
  if (process.getuid?.() !== 0) return 'needs root, to become user 65532';
  const probe = 'mount -t tmpfs tmpfs /mnt';
  const { code } = await runOrFail('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', probe]);
  return code === 0 ? undefined : 'mounts are not permitted';
}

/** A container engine that answers: `docker` or `podman`. */
export async function findContainerEngine(): Promise<string | undefined> {
  // Elsewhere engines run in a machine of their own, whose network is not ours.
  if (process.platform !== 'linux') return undefined;
  for (const engine of ['docker', 'podman']) {
    if ((await runOrFail(engine, ['info', '--format', '{{json .}}'])).code === 0) return engine;
  }
  return undefined;
}

async function runOrFail(command: string, args: readonly string[]): Promise<{ readonly code: number }> {
  try {
    return await run(command, args);
  } catch {
    return { code: 127 };
  }
}

/**
 * Starts what the image would hold, without an engine: in a root file system of its own that is read-only and has the bundle, Node.js with
 * the system's libraries, and the ServiceAccount's files; as the image's user, who can gain no privileges.
 */
export function startInNamespaces(project: string, folder: string, image: ImageSpec, pod: PodSpec): Running {
  const root = join(folder, 'root');
  const account = join(folder, 'account');
  mkdirSync(account, { recursive: true });
  for (const [name, text] of Object.entries(pod.serviceAccount)) writeFileSync(join(account, name), text);
  const [program = '', ...flags] = image.entrypoint;
  const mounts: string[] = [`mount -t tmpfs -o mode=0755 tmpfs ${root}`, `cd ${root}`];
  const place = (source: string, target: string): void => {
    mounts.push(`mkdir -p .${target}`, `mount --rbind ${source} .${target}`, `mount -o remount,bind,ro .${target}`);
  };
  for (const library of ['/usr/lib', '/lib', '/lib64', '/usr/lib64']) {
    if (!existsSync(library)) continue;
    if (lstatSync(library).isSymbolicLink()) mounts.push(`ln -s ${readlinkSync(library)} .${library}`);
    else place(library, library);
  }
  mounts.push('mkdir -p ./proc ./dev', 'mount --rbind /proc ./proc', 'mount --rbind /dev ./dev');
  mounts.push(`mkdir -p .${join(program, '..')} .${image.workingDirectory}`, `touch .${program}`);
  mounts.push(`mount --bind ${process.execPath} .${program}`, `mount -o remount,bind,ro .${program}`);
  for (const file of image.files) mounts.push(`cp ${join(project, file)} .${image.workingDirectory}/${basename(file)}`);
  place(account, accountFolder);
  for (const empty of pod.emptyFolders)
    mounts.push(`mkdir -p .${empty}`, `mount -t tmpfs -o mode=1777 tmpfs .${empty}`);
  mounts.push(`mount -o remount,ro ${root}`);
  const [user = '', group = user] = image.user.split(':');
  const start =
    'exec setpriv --no-new-privs -- ' +
    `unshare --root=${root} --wd=${pod.workingDirectory} --setgid=${group} --setuid=${user} -- "$@"`;
  mkdirSync(root, { recursive: true });
  const script = ['set -e', ...mounts, start].join('\n');
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', program, ...flags, ...pod.arguments];
  return new Running('unshare', args, folder, environmentOf(image, pod));
}

/** The environment of the container, and nothing of the test's own but what finds programs. */
function environmentOf(image: ImageSpec, pod: PodSpec): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  return { ...own, PATH: process.env['PATH'], ...image.environment, ...pod.environment };
}

/** Builds the image by the project's Dockerfile. */
export async function buildImage(engine: string, project: string, tag: string): Promise<void> {
  await runChecked(engine, ['build', '--tag', tag, '.'], { cwd: project });
}

/** Starts the image as the Deployment would, on the network of this machine. */
export function startInEngine(engine: string, tag: string, folder: string, pod: PodSpec): Running {
  const account = join(folder, 'account');
  mkdirSync(account, { recursive: true });
  for (const [name, text] of Object.entries(pod.serviceAccount)) writeFileSync(join(account, name), text);
  const variables = Object.entries(pod.environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  // prettier-ignore
  const args = [
    'run', '--rm', '--network', 'host', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges',
    '--memory', pod.memoryLimit.replace(/Mi$/, 'm'), '--workdir', pod.workingDirectory,
    '--volume', `${account}:${accountFolder}:ro`,
    ...pod.emptyFolders.flatMap((path) => ['--tmpfs', `${path}:mode=1777`]),
    ...variables,
  ];
  return new Running(engine, [...args, tag, ...pod.arguments], folder);
}
