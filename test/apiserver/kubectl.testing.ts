import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';

const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
const folders = [...(assets === '' ? [] : [assets]), ...(process.env['PATH'] ?? '').split(delimiter)];

/** The kubectl that there is; nothing when there is none. */
export const kubectl = folders.map((folder) => join(folder, 'kubectl')).find((path) => existsSync(path));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl as one user; its own files go into a folder. */
export class Kubectl {
  readonly #kubeconfig: string;
  readonly #folder: string;

  constructor(kubeconfig: string, folder: string) {
    this.#kubeconfig = kubeconfig;
    this.#folder = folder;
  }

  run(args: readonly string[], input = ''): Promise<Outcome> {
    return new Promise((resolve) => {
      const child = execFile(
        kubectl ?? '',
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
