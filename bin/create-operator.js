#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`create-operator needs Node.js 22.19 or newer; this is Node.js ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  (await import('node:module')).enableCompileCache?.();
  const { main } = await import('../dist/cli/main.js');
  process.exitCode = await main(process.argv.slice(2));
}
