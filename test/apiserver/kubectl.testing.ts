import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { cacheFolder } from '../conformance/kubernetes/programs.ts';

/** A kubectl that was found. */
export interface FoundKubectl {
  readonly path: string;
  /** `1.27.16`; of one whose name tells it, `1.27`. */
  readonly version: string;
}

/** The folders where a kubectl may be: with several, more of them stand as `kubectl.1.27` beside one. */
function foldersOfKubectl(): readonly string[] {
  const named = [
    process.env['KUBEBUILDER_ASSETS'] ?? '',
    cacheFolder(),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  const found = named.filter((folder) => folder !== '' && existsSync(join(folder, 'kubectl')));
  return [...new Set(found.map((folder) => dirname(realpathSync(join(folder, 'kubectl')))))];
}

function findKubectls(): readonly FoundKubectl[] {
  return foldersOfKubectl().flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^kubectl(\.\d+\.\d+)?$/.test(name))
      .flatMap((name) => {
        const path = join(folder, name);
        const version = /\d+\.\d+$/.exec(name)?.[0] ?? versionOf(path);
        return version === undefined ? [] : [{ path, version }];
      }),
  );
}

/** Nothing where the program does not run here. */
function versionOf(path: string): string | undefined {
  const { status, stdout } = spawnSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  return status === 0 ? /"gitVersion": *"v([^"]+)"/.exec(stdout)?.[1] : undefined;
}

function order(left: FoundKubectl, right: FoundKubectl): number {
  return left.version.localeCompare(right.version, 'en', { numeric: true });
}

const built = realPath(join(cacheFolder(), 'kubectl'));
const all = [...findKubectls()].sort(order);

function realPath(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

/** The oldest and the newest kubectl that there are, and the one that the build of the real server makes: its result is binding. */
export const kubectls: readonly FoundKubectl[] = all.filter(
  (found, index) => index === 0 || index === all.length - 1 || found.path === built,
);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl as one user; its own files go into a folder. */
export class Kubectl {
  readonly #path: string;
  readonly #kubeconfig: string;
  readonly #folder: string;

  constructor(path: string, kubeconfig: string, folder: string) {
    this.#path = path;
    this.#kubeconfig = kubeconfig;
    this.#folder = folder;
  }

  run(args: readonly string[], input = ''): Promise<Outcome> {
    return new Promise((resolve) => {
      const child = execFile(
        this.#path,
        args,
        {
          timeout: 20_000,
          env: {
            ...process.env,
            KUBECONFIG: this.#kubeconfig,
            HOME: this.#folder,
            KUBECACHEDIR: join(this.#folder, 'cache'),
            KUBE_EDITOR: `sed -i s/red/green/`,
          },
        },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  }

  /** What it prints when it succeeds. */
  async ok(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    expect(stderr, args.join(' ')).not.toMatch(/^error|^Error/m);
    expect(code, args.join(' ')).toBe(0);
    return stdout.trim();
  }

  /** The same with a document as its input. */
  async piped(input: string, ...args: readonly string[]): Promise<string> {
    const { stdout, stderr, code } = await this.run([...args, '-f', '-'], input);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  }
}
