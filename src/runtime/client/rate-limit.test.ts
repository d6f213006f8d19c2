import { expect, it } from 'vitest';
import { ScriptedTransport } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { rateLimited } from './rate-limit.ts';

const get = (path: string) => ({ method: 'GET', path, headers: {} }) as const;

it('sends a burst at once, then one after the other; watches pass, whoever leaves gives its place back', async () => {
  const environment = createVirtualEnvironment();
  const scripted = new ScriptedTransport((one) => one.answer(200, {}));
  const transport = rateLimited(scripted, { qps: 10, burst: 2 }, environment);
  const never = new AbortController().signal;
  const leave = new AbortController();
  const sent = Promise.all([get('/1'), get('/2'), get('/3')].map((request) => transport.send(request, never)));
  const left = expect(transport.send(get('/left'), leave.signal)).rejects.toThrow('away');
  await environment.settle();
  expect(scripted.exchanges).toHaveLength(2);
  await transport.send(get('/4?watch=true'), never);
  leave.abort(new Error('away'));
  await left;
  await environment.advance(100);
  await sent;
  expect(scripted.exchanges.map((one) => one.path)).toEqual(['/1', '/2', '/4', '/3']);
  const fourth = transport.send(get('/5'), never);
  await environment.advance(100);
  await fourth;
  expect(scripted.exchanges.at(-1)?.path).toBe('/5');
  expect(() => rateLimited(scripted, { qps: 0, burst: 1 }, environment)).toThrow(RangeError);
});
