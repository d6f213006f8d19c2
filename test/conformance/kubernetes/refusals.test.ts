// Asks a real API server about what generate refuses. `vitest run FILE -u` records its answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConversions } from '../../../src/generate/crd/conversion.ts';
import { definitionToJson } from '../../../src/generate/crd/definition.ts';
import { kind, version } from '../../../src/generate/testing/model.ts';
import { stringifyJson } from '../../../src/schema/json.ts';
import { readSources } from '../../../src/reader/testing/read-sources.ts';
import type { Definition } from '../../fixtures.ts';
import { definitionOf, type Refusal, refusals, sourceOf, type Verdict } from '../../generate/refusals.ts';
import { type ApiClient, createClient, isStatus } from './client.ts';
import { install } from './definitions.ts';
import { findPrograms, withoutPrograms } from './programs.ts';
import { sharedKubernetes } from './shared.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(refusal: Refusal): unknown {
  const made = definitionOf(refusal);
  if (made !== undefined) return made;
  const [first] = readSources({ 'thing.ts': sourceOf(refusal) }).model.kinds;
  if (first === undefined) throw new Error(`there is no kind in: ${refusal.source}`);
  return JSON.parse(stringifyJson(definitionToJson(first)));
}

describe.skipIf(findPrograms() === undefined)(`a real kube-apiserver${withoutPrograms}`, () => {
  let client: ApiClient;
  beforeAll(async () => {
    client = createClient(await sharedKubernetes());
  });
  afterAll(() => client?.close());

  it('says what is recorded of each definition that generate refuses', async () => {
    const verdicts: Verdict[] = [];
    for (const refusal of refusals) {
      const query = { dryRun: 'All', fieldValidation: 'Strict' };
      const { status, body } = await client.request('POST', path, { query, body: definition(refusal) });
      const causes = isStatus(body) ? (body.details?.causes ?? [{ message: body.message }]) : [];
      const texts = causes.map(({ field, message }) => (field === undefined ? `${message}` : `${field}: ${message}`));
      const { code, what } = refusal;
      verdicts.push({ code, what, accepted: status === 201, causes: texts });
    }
    await expect(`${JSON.stringify(verdicts, undefined, 2)}\n`).toMatchFileSnapshot('../../../fixtures/refusals.json');
  });

  it('serves a kind whose versions a webhook converts, and warns of nothing', async () => {
    const versions = [version({ name: 'v1' }), version({ name: 'v1beta1', storage: false })];
    const converted = kind({ group: 'conversion.example.com', versions });
    const { kinds } = withConversions([converted], [{ ...converted, declaredIn: 'operator.json' }]);
    const [first] = kinds.map((each) => JSON.parse(stringifyJson(definitionToJson(each))) as Definition);
    if (first === undefined) throw new Error('there is no kind');
    expect(await install(client, first)).toEqual([]);
  });
});
