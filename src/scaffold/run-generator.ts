import { join, relative } from 'node:path';
import { createEnv } from 'yeoman-environment';
import Generator from 'yeoman-generator';
import type { PlannedFile } from './templates.ts';

/**
 * Runs one generator in a Yeoman environment and gives back what it would write, in order of path.
 *
 * Yeoman's own commit asks about conflicts file by file and leaves half a tree behind when it stops, so it is replaced: the generator
 * fills the environment's memory file system only, and the caller writes the plan as a whole or not at all.
 */
export async function plan(root: string, write: (generator: PlanWriter) => void): Promise<PlannedFile[]> {
  let planned: PlannedFile[] = [];
  // A folder that never is: what stands in the project is compared later, and must not be taken for rendered.
  const destination = join(root, '.create-operator', 'rendered');

  class PlanGenerator extends Generator {
    constructor(args: string[], options: Generator['options']) {
      super(args, options, { customInstallTask: true, customCommitTask: () => this.collect() });
    }

    /** A phase of Yeoman's run loop. */
    writing(): void {
      write({ write: (path, content) => this.fs.write(this.destinationPath(path), content) });
    }

    private collect(): void {
      const files: PlannedFile[] = [];
      this.env.sharedFs.each((file) => {
        const { state, contents, path } = file as { state?: string; contents?: Buffer | null; path: string };
        if (state !== 'modified' || !contents) return;
        files.push({ path: relative(destination, path).replaceAll('\\', '/'), content: contents.toString('utf8') });
      });
      planned = files.sort((a, b) => (a.path < b.path ? -1 : 1));
    }
  }

  const environment = createEnv({ cwd: root, skipInstall: true });
  environment.register(PlanGenerator, { namespace: 'create-operator:plan' });
  // The version check reads the nearest package.json, which in a bundle is not Yeoman's.
  const options = { ignoreVersionCheck: true, skipInstall: true, destinationRoot: destination, skipCache: true };
  await environment.run('create-operator:plan', options);
  return planned;
}

export interface PlanWriter {
  write(path: string, content: string): void;
}
