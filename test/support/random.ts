// Before each test file: property tests draw the same values in every run, so that what passed here passes in CI.
// FAST_CHECK_SEED=<number> draws others, FAST_CHECK_SEED=random new ones each time; a failure prints its seed.
import fc from 'fast-check';

const wanted = process.env['FAST_CHECK_SEED'] ?? '20261130';
if (wanted !== 'random') {
  const seed = Number(wanted);
  if (!Number.isInteger(seed)) throw new Error(`FAST_CHECK_SEED=${wanted}: write a whole number, or random`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
