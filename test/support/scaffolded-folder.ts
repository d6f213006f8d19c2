import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';

/** A new project, `my-op`, for each test of a file. */
export class ScaffoldedFolder {
  /** The folder that the project stands in. */
  folder = '';

  get root(): string {
    return join(this.folder, 'my-op');
  }

  /** Runs a command in the project, or elsewhere. */
  run = async (argv: readonly string[], where = this.root, environment: Readonly<Record<string, string>> = {}) => {
    const { io, printed } = recordingIo(where, { environment: { PATH: '', ...environment } });
    const code = await main(argv, io);
    return { code, ...printed };
  };

  read = (path: string): string => readFileSync(join(this.root, path), 'utf8');

  json = (path: string): Record<string, unknown> => JSON.parse(this.read(path)) as Record<string, unknown>;

  put = (path: string, content: string): void => {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  };

  edit = (path: string, from: string, to: string): void => {
    expect(this.read(path)).toContain(from);
    this.put(path, this.read(path).replace(from, to));
  };

  /** All files of the project by path. */
  tree = (): Record<string, string> => {
    const files = readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1)).sort();
    return Object.fromEntries(paths.map((path) => [path, this.read(path)]));
  };
}

/** Gives the tests of a file their projects. One is made, and copied: what `init` writes is also waited for on the disk. */
export function scaffoldedFolder(): ScaffoldedFolder {
  const project = new ScaffoldedFolder();
  let fresh: string;
  beforeAll(async () => {
    fresh = realpathSync(mkdtempSync(join(tmpdir(), 'scaffold-fresh-')));
    expect((await project.run(['my-op', '--skip-install'], fresh)).code).toBe(0);
  });
  afterAll(() => rmSync(fresh, { recursive: true, force: true }));
  beforeEach(() => {
    project.folder = realpathSync(mkdtempSync(join(tmpdir(), 'scaffold-')));
    cpSync(join(fresh, 'my-op'), project.root, { recursive: true });
  });
  afterEach(() => rmSync(project.folder, { recursive: true, force: true }));
  return project;
}

/** The flags that name a kind of `example.com/v1`. */
export function kindFlags(name: string, ...more: string[]): string[] {
  return ['--group', 'example.com', '--version', 'v1', '--kind', name, ...more];
}

export function api(name: string, ...more: string[]): string[] {
  return ['api', ...kindFlags(name, ...more)];
}
