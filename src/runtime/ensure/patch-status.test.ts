import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import { freeze } from '../client/cached.ts';
import type { Cached } from '../client/cached.ts';
import { apiError } from '../client/errors.ts';
import type { Client } from '../client/types.ts';
import { defineKind } from '../kind/kind.ts';
import { patchStatus } from './patch-status.ts';

interface Widget extends KubernetesObject {
  status?: { tries: number };
}
const Widget = defineKind<Widget, 'Namespaced', 'status'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status'],
});
const key = { namespace: 'ns', name: 'w' };
const widget = (resourceVersion: string, uid = 'u'): Cached<Widget> =>
  freeze({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { ...key, uid, resourceVersion } });
const refusal = (code: number, reason: string): Error =>
  apiError(code, { reason }, { verb: 'patch', path: '/apis/example.com/v1/namespaces/ns/widgets/w/status' });
const conflict = refusal(409, 'Conflict');

/** Writes the status; each write meets the next refusal, if there is one. `versions`: of the drafts that were asked about. */
async function write(refusals: readonly Error[], live: () => Cached<Widget> | undefined, cached = widget('1')) {
  const left = [...refusals];
  const versions: (string | undefined)[] = [];
  const client = {
    get: async () => cached,
    live: { get: async () => live() },
    updateStatus: async (_kind: unknown, object: Widget, change: (draft: Widget) => void) => {
      const draft = structuredClone(object);
      change(draft);
      const refused = left.shift();
      if (refused !== undefined) throw refused;
      return draft;
    },
  } as unknown as Client;
  const result = patchStatus(client, Widget, key, (draft) => {
    versions.push(draft.metadata.resourceVersion);
    draft.status = { tries: versions.length };
  });
  return { result: await result.catch((error: unknown) => error), versions };
}

describe('a status that is patched', () => {
  it('is made anew of what the server has after each conflict, five times in all', async () => {
    let version = 1;
    const next = (): Cached<Widget> => widget(String(++version));
    expect(await write([conflict, conflict], next)).toMatchObject({
      result: { status: { tries: 3 } },
      versions: ['1', '2', '3'],
    });
    version = 1;
    const given = await write(
      Array.from({ length: 9 }, () => conflict),
      next,
    );
    expect([given.result, given.versions]).toEqual([conflict, ['1', '2', '3', '4', '5']]);
  });

  it.each<[string, Error[], () => Cached<Widget> | undefined]>([
    ['is gone', [refusal(404, 'NotFound')], () => undefined],
    ['is gone after a conflict', [conflict], () => undefined],
    ['has another object in its place', [conflict], () => widget('9', 'another')],
  ])('of an object that %s is given up', async (_, refusals, live) => {
    expect(await write(refusals, live)).toEqual({ result: undefined, versions: ['1'] });
  });

  it('that is refused for another reason is not tried again', async () => {
    const invalid = refusal(422, 'Invalid');
    expect(await write([invalid], () => widget('2'))).toEqual({ result: invalid, versions: ['1'] });
  });
});
