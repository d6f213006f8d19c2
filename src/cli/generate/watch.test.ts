import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCode } from '../exit-code.ts';
import { recordingIo } from '../testing/io.ts';
import type { Plan } from './plan.ts';
import { watchSources } from './watch.ts';

it('runs again for what is edited during the first run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-watch-'));
  try {
    const { io } = recordingIo(folder);
    const second = Promise.withResolvers<void>();
    const plan = { root: folder, globs: ['**/*.ts'] } as unknown as Plan;
    let runs = 0;
    const ended = watchSources(plan, { ...io, interrupted: () => second.promise }, async () => {
      runs++;
      if (runs === 1) writeFileSync(join(folder, 'widget.types.ts'), 'export {};\n');
      else second.resolve();
      return exitCode.done;
    });
    expect(await ended).toBe(exitCode.done);
    expect(runs).toBeGreaterThanOrEqual(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
