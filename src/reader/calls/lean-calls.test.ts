import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCallsLean, readCallsWhole } from './read-calls.ts';
import { fileOf, sourcesOf } from './testing/case-sources.ts';
import { calls } from './testing/direct-calls.ts';
import { ways } from './testing/indirect-calls.ts';
import { withPackages } from './testing/package-calls.ts';
import { isBuilt, readBothWays, type RuntimeForm } from './testing/read-calls.ts';
import { several } from './testing/several-calls.ts';
import { unknown } from './testing/unknown-calls.ts';

const cases = [...calls, ...ways, ...several, ...unknown, ...withPackages];

const forms: readonly RuntimeForm[] = ['sources', 'built'];
const readers = new Map<RuntimeForm, ReturnType<typeof readBothWays>>();

function both(file: string, form: RuntimeForm = 'sources'): ReturnType<ReturnType<typeof readBothWays>> {
  const read = readers.get(form) ?? readBothWays(sourcesOf(cases), form);
  readers.set(form, read);
  return read(file);
}

beforeAll(() => {
  for (const form of forms) if (form === 'sources' || isBuilt) both(fileOf(0), form);
}, 120_000);

describe('reading calls without packages', () => {
  describe.each(forms)('beside the %s of operator-runtime', (form) => {
    const skipped = form === 'built' && !isBuilt;
    const title = skipped
      ? 'says the same of %s, or nothing (operator-runtime is not built, or not as it is now)'
      : 'says the same of %s, or nothing';
    it.skipIf(skipped).each(cases.map((each, index) => [each[0], index] as const))(title, (_title, index) => {
      const { lean, whole } = both(fileOf(index), form);
      if (lean !== undefined) expect(lean).toEqual(whole);
      expect(lean === undefined).toBe(both(fileOf(index)).lean === undefined);
    });
  });

  it('is enough for calls as people write them', () => {
    const enough = calls.filter((_, index) => both(fileOf(index)).lean !== undefined);
    const wanting = calls.filter((each) => !enough.includes(each)).map(([title]) => title);
    expect(wanting).toEqual([]);
  });

  it('is enough for the example of several kinds, and says the same', () => {
    const folder = fileURLToPath(new URL('../../../', import.meta.url))
      .replaceAll('\\', '/')
      .replace(/\/$/, '');
    const options = {
      files: [`${folder}/fixtures/compute/operator/operator.ts`],
      root: folder,
      tsconfig: `${folder}/test/tsconfig.json`,
    };
    const lean = readCallsLean(options);
    expect(lean?.uses.length).toBeGreaterThan(30);
    expect(lean).toEqual(readCallsWhole(options));
  }, 120_000);

  it('needs the whole program where a call is not resolved, or a package has a hand in it', () => {
    const from = calls.length + ways.length + several.length;
    const rest = cases.slice(from).filter((_, index) => both(fileOf(from + index)).lean !== undefined);
    expect(rest.map(([title]) => title)).toEqual([
      'a base class of a package',
      'what only looks like a client',
      'a field of a package',
      'calls of packages as people write them',
      'requests of its own to others',
    ]);
  });
});
