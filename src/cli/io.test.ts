import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasColor } from './io.ts';
import { recordingIo } from './testing/io.ts';

describe('hasColor', () => {
  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['a terminal', true, {}, true],
    ['no terminal', false, {}, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
    ['FORCE_COLOR', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ])('decides for %s', (_name, terminal, environment, expected) => {
    const { io } = recordingIo('/', { terminal, environment });
    expect(hasColor(io, io.stdout)).toBe(expected);
  });
});

describe('processIo', () => {
  const run = (script: string, stdout: number | 'pipe' = 'pipe') => {
    const module = JSON.stringify(new URL('io.ts', import.meta.url).href);
    const program = `import { processIo } from ${module}; const io = processIo(); ${script}`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      stdio: ['ignore', stdout, 'pipe'],
    });
  };

  it.skipIf(process.platform === 'win32')('puts off a signal until it is released', () => {
    const script = `
      const release = io.holdSignals();
      process.kill(process.pid, 'SIGINT');
      setImmediate(() => setImmediate(() => { io.stdout.write('whole\\n'); release(); setInterval(() => {}, 1000); }));`;
    expect(run(script)).toMatchObject({ stdout: 'whole\n', signal: 'SIGINT' });
  });

  it.skipIf(process.platform === 'win32')('is interrupted when npm has let its shell end alone', () => {
    const module = JSON.stringify(new URL('io.ts', import.meta.url).href);
    const program = `import { processIo } from ${module};
      processIo().interrupted().then(() => { console.log('interrupted'); process.exit(); });
      console.log('waits');
      process.kill(process.ppid, 'SIGTERM');
      setInterval(() => {}, 1000);`;
    // Something stands behind it, so that the shell does not become the program.
    const { stdout } = spawnSync('sh', ['-c', '"$NODE" --input-type=module -e "$PROGRAM"; exit 1'], {
      encoding: 'utf8',
      timeout: 20_000,
      env: { ...process.env, NODE: process.execPath, PROGRAM: program, npm_lifecycle_event: 'dev' },
    });
    expect(stdout).toBe('waits\ninterrupted\n');
  });

  it('is no terminal in a pipe', () => {
    expect(run('io.stdout.write(String(io.stdout.isTerminal));').stdout).toBe('false');
  });

  it.skipIf(!existsSync('/dev/full'))('ends with one line and code 2 where the output takes no more', () => {
    const full = openSync('/dev/full', 'w');
    try {
      const { stderr, status } = run("io.stdout.write('lost\\n'); process.exitCode = 0;", full);
      expect({ stderr, status }).toEqual({ stderr: 'error: cannot print: no space left on the device\n', status: 2 });
    } finally {
      closeSync(full);
    }
  });
});
