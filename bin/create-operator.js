#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`create-operator needs Node.js 22.19 or newer; this is Node.js ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  (await import('node:module')).enableCompileCache?.();
  const argv = process.argv.slice(2);
  const { load, repeat } = await import('../dist/chunks/repeat.js');
  process.exitCode = repeat(argv) ?? (await (await load(argv)).main(argv));
}
