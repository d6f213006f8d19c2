// Where we refuse something about a schema or a kind, the API server or controller-gen does, too, or it is said why we are stricter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkKinds } from '../../src/generate/checks/index.ts';
import { problems } from '../../src/reader/problems.ts';
import { readSources } from '../../src/reader/testing/read-sources.ts';
import { fixtures } from '../fixtures.ts';
import { refusals, sourceOf, type Verdict } from './refusals.ts';

const verdicts = JSON.parse(readFileSync(join(fixtures, 'refusals.json'), 'utf8')) as readonly Verdict[];

/** Codes that speak of how something is written, not of a schema: there is no definition that the API server could judge. */
const notation: readonly string[] = Object.values({
  filesAndSettings: 'CO1001 CO1002 CO1003 CO1004 CO1005 CO1006',
  markersThatCannotBeRead: 'CO1101 CO1103 CO1104 CO1106 CO1108 CO1109 CO1110 CO1112 CO1118 CO1119 CO1120',
  markersInWrongPlaces: 'CO1105 CO1113 CO1310',
  membersThatNoJsonHas: 'CO1207 CO1209 CO1211 CO1212 CO1216',
  placesOfKinds: 'CO1301 CO1302 CO1309',
}).flatMap((codes) => codes.split(' '));

describe('what is refused', () => {
  it.each(refusals)('$code $what is found', ({ code, ...refusal }) => {
    const { model, diagnostics } = readSources({ 'thing.ts': sourceOf({ code, ...refusal }) });
    const failed = diagnostics.some(({ severity }) => severity === 'error');
    const found = failed ? diagnostics : checkKinds(model.kinds, { major: 1, minor: 34 });
    expect(found.map((each) => each.code)).toContain(code);
  });

  it.each(refusals)('$code $what has the verdict that is claimed', ({ code, what, agreement }) => {
    const verdict = verdicts.find((each) => each.code === code && each.what === what);
    expect(verdict?.accepted).toBe(agreement.by !== 'server');
    if (agreement.by === 'server') expect(verdict?.causes).not.toEqual([]);
  });

  it('has no verdict too many', () => {
    expect(verdicts.map(({ code, what }) => `${code} ${what}`)).toEqual(
      refusals.map(({ code, what }) => `${code} ${what}`),
    );
  });

  it('has a verdict for every code of the reader that speaks of schemas', () => {
    const judged = new Set(refusals.map(({ code }) => code));
    const codes = Object.values(problems).map(([code]) => code);
    expect(codes.filter((code) => !judged.has(code) && !notation.includes(code))).toEqual([]);
    expect(notation.filter((code) => judged.has(code))).toEqual([]);
  });
});
