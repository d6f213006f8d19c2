// `create-operator generate --watch`
import { afterEach, beforeEach, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { recordingIo } from '../../src/cli/testing/io.ts';
import { TestProject, widget } from './project.ts';

let project: TestProject;
beforeEach(() => {
  project = new TestProject({ 'src/api/v1/widget.types.ts': widget() });
});
afterEach(() => project.remove());

it('runs again when a source changes, goes on after problems, and ends when told to', async () => {
  const { io, printed } = recordingIo(project.root);
  const waiting = new Set<() => void>();
  const noted = (write: (text: string) => void) => (text: string) => {
    write(text);
    for (const look of waiting) look();
  };
  /** Resolves once something like this has been printed. */
  const seen = (stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!pattern.test(printed[stream])) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const interrupt = Promise.withResolvers<void>();
  const ended = main(['generate', '--source', 'src/**/*.ts', '--crd-dir', 'crd', '--watch'], {
    ...io,
    stdout: { ...io.stdout, write: noted(io.stdout.write) },
    stderr: { ...io.stderr, write: noted(io.stderr.write) },
    interrupted: () => interrupt.promise,
  });

  await seen('stderr', /^watching/m);
  expect(printed.stdout).toBe('1 kind, 0 roles, 1 file (1 written)\n');
  project.put('src/api/v1/widget.types.ts', widget('Widget', 'bad: Missing;'));
  await seen('stderr', /\d errors?; nothing was written\n$/);
  project.put('src/api/v1/widget.types.ts', widget('Basket'));
  await seen('stdout', /1 kind, 0 roles, 1 file \(1 written, 1 removed\)\n$/);
  expect(Object.keys(project.tree('crd'))).toEqual(['crd/example.com_baskets.yaml']);

  interrupt.resolve();
  expect(await ended).toBe(0);
});
