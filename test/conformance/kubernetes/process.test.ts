import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePorts, startProcess } from './process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-operator-process-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadline = { timeout: 20_000, interval: 20 };
/** A program that writes its process id to a file and stays. */
const stays = `require('node:fs').writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000);`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '', deadline).toBe(true);
  return Number(readFileSync(file, 'utf8'));
}

it('kills a program, and removes its folder', async () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  const started = startProcess(
    'stays',
    process.execPath,
    ['-e', stays, join(folder, 'pid')],
    join(folder, 'log'),
    data,
  );
  const pid = await pidIn(join(folder, 'pid'));
  expect(started.running).toBe(true);
  await started.kill();
  expect([isRunning(pid), started.running, existsSync(data)]).toEqual([false, false, false]);
});

it('says when a program has ended by itself, and what it said', async () => {
  const script = `console.log('one'); console.error('two'); process.exit(3);`;
  const started = startProcess('ends', process.execPath, ['-e', script], join(folder, 'log'));
  await expect.poll(() => started.running, deadline).toBe(false);
  expect(started.lastOutput().split('\n').sort()).toEqual(['one', 'two']);
});

it('leaves nothing behind when whoever started a program is killed', async () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  const module = pathToFileURL(join(import.meta.dirname, 'process.ts')).href;
  const args = [process.execPath, ['-e', stays, join(folder, 'pid')], join(folder, 'log'), data];
  const script = join(folder, 'parent.ts');
  writeFileSync(
    script,
    `import { startProcess } from '${module}'; startProcess('stays', ...${JSON.stringify(args)}); setInterval(() => {}, 1000);`,
  );
  const parent = spawn(process.execPath, [script], { stdio: 'ignore' });
  const pid = await pidIn(join(folder, 'pid'));
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isRunning(pid) || existsSync(data), deadline).toBe(false);
});

it('finds ports that differ and are free', async () => {
  const ports = await freePorts(3);
  expect(new Set(ports).size).toBe(3);
  for (const port of ports) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const server = createServer().once('error', reject).listen(port, '127.0.0.1', resolve);
    await promise;
    server.close();
  }
});
