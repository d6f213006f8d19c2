import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEnvironment, type TestEnvironment } from '../../src/testing/index.ts';
import { mergePatch } from './sequence.ts';
import { WatchStream } from './stream.ts';

const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';
const servers = [{ kind: 'embedded', folder: '' }, ...(assets === '' ? [] : [{ kind: 'real', folder: assets }])];

/** The same on both servers; what steers the server is for the embedded one only. */
describe.each(servers)('watches of the $kind server', ({ kind, folder }) => {
  let environment: TestEnvironment;
  const open = new Set<WatchStream>();
  const base = '/api/v1/namespaces/default/configmaps';

  beforeAll(async () => {
    environment = await startTestEnvironment({ assets: folder, timeout: 120_000 });
    await environment.install({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'watched' } });
  }, 120_000);
  afterAll(async () => {
    for (const stream of open) stream.close();
    await environment.stop();
  });

  const watch = async (query: string, path = base): Promise<WatchStream> => {
    const stream = await WatchStream.open(environment.connection(), `${path}?watch=true&${query}`);
    open.add(stream);
    return stream;
  };
  const create = (name: string, labels: Record<string, string> = {}) =>
    environment.request({
      method: 'POST',
      path: base,
      body: { metadata: { name, labels: { test: 'watch', ...labels } }, data: { x: '1' } },
    });
  const patch = (name: string, body: unknown) =>
    environment.request({ method: 'PATCH', path: `${base}/${name}`, body, headers: mergePatch });
  const remove = (name: string) => environment.request({ method: 'DELETE', path: `${base}/${name}` });
  const versionNow = async (): Promise<string> =>
    ((await environment.request({ path: base })).json() as { metadata: { resourceVersion: string } }).metadata
      .resourceVersion;

  it('tells of each write after the version of a list, and of no write that changes nothing', async () => {
    const version = await versionNow();
    await create('a');
    const stream = await watch(`resourceVersion=${version}&labelSelector=test%3Dwatch`);
    await patch('a', { data: { x: '2' } });
    await patch('a', { data: { x: '2' } });
    await remove('a');
    await create('b');
    expect(await stream.take(4)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
    await remove('b');
    stream.close();
  });

  it('shows what enters and leaves a selector, with the content before and the version of the write', async () => {
    const stream = await watch(`resourceVersion=${await versionNow()}&labelSelector=color%3Dred`);
    await create('c');
    await patch('c', { metadata: { labels: { color: 'red' } } });
    await patch('c', { data: { x: '2' } });
    const leaving = (await patch('c', { metadata: { labels: { color: 'blue' } } })).json() as {
      metadata: { resourceVersion: string };
    };
    expect(await stream.take(2)).toEqual(['ADDED c', 'MODIFIED c']);
    const deleted = await stream.next();
    expect(deleted?.type).toBe('DELETED');
    expect(deleted?.object.metadata.labels?.['color']).toBe('red');
    expect(deleted?.object.data).toEqual({ x: '2' });
    expect(deleted?.object.metadata.resourceVersion).toBe(leaving.metadata.resourceVersion);
    await remove('c');
    stream.close();
  });

  it('starts with all objects and ends the start with a bookmark when asked to', async () => {
    await create('d');
    await create('e');
    const stream = await watch(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=test%3Dwatch',
    );
    expect(await stream.take(2)).toEqual(['ADDED d', 'ADDED e']);
    const bookmark = await stream.next();
    expect(bookmark?.type).toBe('BOOKMARK');
    expect(bookmark?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(Number(bookmark?.object.metadata.resourceVersion)).toBeGreaterThan(0);
    await remove('d');
    await remove('e');
    expect(await stream.take(2)).toEqual(['DELETED d', 'DELETED e']);
    stream.close();
  });

  it('watches one object by a field selector, as kubectl wait does', async () => {
    const stream = await watch(`resourceVersion=${await versionNow()}&fieldSelector=metadata.name%3Dg`);
    await create('f');
    await create('g');
    await remove('f');
    await remove('g');
    expect(await stream.take(2)).toEqual(['ADDED g', 'DELETED g']);
    stream.close();
  });

  it('watches all namespaces', async () => {
    const stream = await watch(`resourceVersion=${await versionNow()}&labelSelector=test%3Dall`, '/api/v1/configmaps');
    for (const namespace of ['default', 'watched']) {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await environment.request({
        method: 'POST',
        path,
        body: { metadata: { name: `in-${namespace}`, labels: { test: 'all' } } },
      });
    }
    expect(await stream.take(2)).toEqual(['ADDED in-default', 'ADDED in-watched']);
    stream.close();
  });

  it('ends when its time is over', async () => {
    const stream = await watch(`resourceVersion=${await versionNow()}&timeoutSeconds=1`);
    expect(await stream.next()).toBeUndefined();
  });

  it.skipIf(kind === 'real')('answers 410 in the stream when the history is gone', async () => {
    const version = await versionNow();
    await create('h');
    environment.server?.compact();
    const stream = await watch(`resourceVersion=${version}`);
    const error = await stream.next();
    expect(error).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    expect(await stream.next()).toBeUndefined();
    await remove('h');
  });

  it.skipIf(kind === 'real')(
    'answers 410 to a continue token whose revision is gone, with a token that goes on',
    async () => {
      for (const name of ['p', 'q', 'r']) await create(name, { page: 'yes' });
      const first = (await environment.request({ path: `${base}?limit=1&labelSelector=page` })).json() as {
        metadata: { continue: string };
      };
      await remove('r');
      environment.server?.compact();
      const expired = await environment.request({
        path: `${base}?limit=1&labelSelector=page&continue=${first.metadata.continue}`,
      });
      expect(expired.status).toBe(410);
      const next = (expired.json() as { metadata: { continue: string } }).metadata.continue;
      const rest = await environment.request({ path: `${base}?labelSelector=page&continue=${next}` });
      expect(
        (rest.json() as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name),
      ).toEqual(['q']);
      for (const name of ['p', 'q']) await remove(name);
    },
  );

  it.skipIf(kind === 'real')('cuts, ends and holds back watches on demand', async () => {
    const faults = environment.server?.faults;
    const held = await watch(`resourceVersion=${await versionNow()}&labelSelector=test%3Dwatch`);
    faults?.pauseWatches('configmaps');
    await create('s');
    faults?.resumeWatches('configmaps');
    expect(await held.take(1)).toEqual(['ADDED s']);
    faults?.endWatches('configmaps');
    expect(await held.next()).toBeUndefined();
    const cut = await watch(`resourceVersion=${await versionNow()}`);
    faults?.cutWatches();
    expect(await cut.next()).toBeUndefined();
    await remove('s');
  });
});
