// The schedules of leader election and of sharding once more, on what an operator has inside when it is bundled into one file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { buildRuntime } from '../../tools/build.ts';
import { root } from '../../tools/repository.ts';
import { runElectionSchedules } from '../support/election-schedules.ts';
import type { ElectionCode } from '../support/election-schedules.ts';
import { runShardingSchedules } from '../support/sharding-schedules.ts';
import type { ShardingCode } from '../support/sharding-schedules.ts';

const schedules = 1000;
const folder = mkdtempSync(join(tmpdir(), 'create-operator-election-bundle-'));
let code: ElectionCode & ShardingCode;

beforeAll(async () => {
  await buildRuntime();
  const outfile = join(folder, 'election.mjs');
  // With the scaffold's settings, as far as they are about the code.
  await build({
    stdin: {
      contents: `
        export { LeaderElector, createLeaseLock } from 'operator-runtime/election';
        export { Sharder } from './src/runtime/dist/election/sharding/sharder.js';
        export { createShardLeases } from './src/runtime/dist/election/sharding/shard-leases.js';`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    logLevel: 'silent',
  });
  code = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as ElectionCode & ShardingCode;
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe(`${schedules} seeded schedules of pauses, partitions, clock jumps and errors, from a bundle`, () => {
  it('of leader election', async () => {
    await runElectionSchedules(code, schedules);
  }, 100_000);

  it('of sharding', async () => {
    await runShardingSchedules(code, schedules);
  }, 300_000);
});
