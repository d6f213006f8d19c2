import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';

const folder = fileURLToPath(new URL('../../../shared/crds/gateway-api/', import.meta.url));
const isThere = existsSync(folder);

interface Cause {
  readonly field?: string;
  readonly message: string;
  readonly reason?: string;
}

interface Verdict {
  readonly object: string;
  readonly code: number;
  readonly status?: {
    readonly reason?: string;
    readonly message: string;
    readonly details?: { readonly causes?: readonly Cause[] };
  };
}

interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const verdicts = isThere
  ? (JSON.parse(readFileSync(`${folder}verdicts.json`, 'utf8')) as Readonly<Record<string, readonly Verdict[]>>)
  : {};

/** The real server tells several errors in no certain order. */
const sorted = (causes: readonly Cause[] | undefined): readonly string[] =>
  (causes ?? []).map((cause) => JSON.stringify([cause.field, cause.reason, cause.message])).sort();

describe.skipIf(!isThere)('the examples of the Gateway API (skipped: no ../shared beside the repository)', () => {
  let environment: TestEnvironment;
  const plurals = new Map<string, string>();

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: '', crdPaths: [`${folder}crds`] });
    const namespaces = new Set<string>();
    for (const file of Object.keys(verdicts)) {
      for (const { metadata } of examples(file))
        if (metadata.namespace !== undefined) namespaces.add(metadata.namespace);
    }
    for (const name of namespaces)
      await environment.install({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  afterAll(async () => {
    await environment.stop();
  });

  const examples = (file: string): readonly Example[] =>
    parseAllDocuments(readFileSync(`${folder}${file}`, 'utf8'), { version: '1.1' }).flatMap((document) => {
      const value = document.toJS() as Example | null;
      // Namespaces were there already when the verdicts were recorded.
      return value === null || value.kind === 'Namespace' ? [] : [value];
    });
  const pathOf = async ({ apiVersion, kind, metadata }: Example): Promise<string> => {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    if (!plurals.has(`${apiVersion} ${kind}`)) {
      const { resources } = (await environment.request({ path: base })).json() as {
        resources: { name: string; kind: string; namespaced: boolean }[];
      };
      for (const found of resources) {
        if (!found.name.includes('/'))
          plurals.set(`${apiVersion} ${found.kind}`, found.namespaced ? `namespaces/{}/${found.name}` : found.name);
      }
    }
    return `${base}/${(plurals.get(`${apiVersion} ${kind}`) ?? '').replace('{}', metadata.namespace ?? 'default')}`;
  };

  it('are all there', () => {
    const files = ['valid', 'invalid'].flatMap((name) =>
      readdirSync(`${folder}${name}`).map((file) => `${name}/${file}`),
    );
    expect(Object.keys(verdicts).sort()).toEqual(files.sort());
    expect(Object.values(verdicts).flat()).toHaveLength(109);
  });

  it.each(Object.entries(verdicts))('%s', async (file, expected) => {
    const found = examples(file);
    expect(found.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(expected.map(({ object }) => object));
    for (const [index, example] of found.entries()) {
      const verdict = expected[index];
      const answer = await environment.request({
        method: 'POST',
        path: `${await pathOf(example)}?dryRun=All&fieldValidation=Strict`,
        body: example,
      });
      const body = answer.json() as NonNullable<Verdict['status']>;
      expect([answer.status, body.message], verdict?.object).toEqual([
        verdict?.code,
        // Several errors stand in one message, in the order of the causes.
        (verdict?.status?.details?.causes?.length ?? 0) > 1 ? body.message : verdict?.status?.message,
      ]);
      expect(sorted(body.details?.causes)).toEqual(sorted(verdict?.status?.details?.causes));
    }
  });
});
