#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`create-operator needs Node.js 22.19 or newer; this is Node.js ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  const argv = process.argv.slice(2);
  if (major <= 26 && argv[0] === 'generate' && !argv.includes('--watch')) {
    // Such a run is over before what V8 optimises beside it pays. Before the cache is enabled: what is kept there depends on flags.
    (await import('node:v8')).setFlagsFromString('--invocation-count-for-turbofan=30000');
  }
  (await import('node:module')).enableCompileCache?.();
  const { load, repeat } = await import('../dist/chunks/repeat.js');
  process.exitCode = repeat(argv) ?? (await (await load(argv)).main(argv));
}
