// npm test [-- ARGUMENT ...]: builds what is needed, then runs vitest with the arguments given.
// TEST_REPORT=FILE writes vitest's JSON report into FILE besides what is shown.
import { build } from './build.ts';
import { main, run } from './repository.ts';

await main(async () => {
  await build();
  const report = process.env['TEST_REPORT'];
  const reporters =
    report === undefined ? [] : ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run('vitest', ['run', ...reporters, ...process.argv.slice(2)], { output: 'inherit' });
  return code;
});
