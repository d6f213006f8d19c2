import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';

/** What a run of the command line gave. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with sources, in which the command line runs. */
export class TestProject {
  readonly root: string;

  constructor(files: Readonly<Record<string, string>> = {}, prefix = 'project-') {
    this.root = mkdtempSync(join(tmpdir(), prefix));
    for (const [path, content] of Object.entries(files)) this.put(path, content);
  }

  path(path: string): string {
    return join(this.root, path);
  }

  put(path: string, content: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  /** Paths and contents of all files below a folder. */
  tree(folder = '.'): Record<string, string> {
    const entries = readdirSync(this.path(folder), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1));
    return Object.fromEntries(paths.sort().map((path) => [path, this.read(path)]));
  }

  async run(...argv: string[]): Promise<Run> {
    return await this.runIn('.', ...argv);
  }

  /** Runs in a folder of the project. */
  async runIn(folder: string, ...argv: string[]): Promise<Run> {
    const { io, printed } = recordingIo(this.path(folder));
    const code = await main(argv, io);
    return { code, ...printed };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A kind with JSDoc tags, which needs nothing installed. */
export function widget(kind = 'Widget', extra = ''): string {
  return `/** The wanted state. */
export interface ${kind}Spec {
  /**
   * size is how large it is.
   * @minimum 1
   * @default 3
   */
  size?: number;
  ${extra}
}

/**
 * ${kind} is a thing.
 * @resource { group: 'example.com', version: 'v1' }
 * @statusSubresource
 * @printerColumn { name: 'Size', type: 'integer', jsonPath: '.spec.size' }
 * @rbac { verbs: ['get', 'list'] }
 */
export interface ${kind} {
  spec: ${kind}Spec;
  status?: { ready?: boolean };
}
`;
}
