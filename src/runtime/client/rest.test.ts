import { describe, expect, it } from 'vitest';
import type { LogFields } from '../environment/logger.ts';
import { discardLogger } from '../environment/logger.ts';
import { ScriptedTransport, type ScriptedExchange } from '../environment/scripted-transport.ts';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import {
  apiError,
  ApiError,
  ConflictError,
  ConnectionError,
  ExpiredError,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  NotFoundError,
  retryAfter,
} from './errors.ts';
import { Rest, type RestRequest } from './rest.ts';
import { parseRetryAfter } from './retry-after.ts';

const get: RestRequest = { verb: 'get', method: 'GET', path: '/api/v1/namespaces/a/secrets/b' };
const post: RestRequest = {
  verb: 'create',
  method: 'POST',
  path: '/api/v1/namespaces/a/secrets',
  body: { password: 'hunter2' },
};
const status = (code: number, reason: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  code,
  reason,
  message: `it is ${reason}`,
});

function setUp(handler: (exchange: ScriptedExchange) => void, options: { beforeWrite?: () => void } = {}) {
  const environment = createVirtualEnvironment();
  const transport = new ScriptedTransport(handler);
  const warnings: (LogFields | undefined)[] = [];
  const logger = { ...discardLogger, warn: (_message: string, fields?: LogFields) => void warnings.push(fields) };
  return { environment, transport, warnings, rest: new Rest({ transport, environment, logger, ...options }) };
}

describe('errors', () => {
  it.each([
    [404, 'NotFound', NotFoundError],
    [409, 'Conflict', ConflictError],
    [410, 'Expired', ExpiredError],
    [410, 'Gone', ExpiredError],
    [418, 'Teapot', ApiError],
  ])('%i %s has its class, status and request', async (code, reason, type) => {
    const { rest } = setUp((exchange) => exchange.answer(code, status(code, reason)));
    const error = await rest.json(get).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({
      reason,
      code,
      status: { message: `it is ${reason}` },
      request: { verb: 'get', path: get.path },
      message: `get ${get.path}: it is ${reason} (${reason})`,
    });
  });

  it('an answer without a Status is told apart by its code, and its text is not repeated', async () => {
    const { rest } = setUp((exchange) =>
      exchange.answer(403, '<html>token=abc</html>', { 'content-type': 'text/html' }),
    );
    const error = await rest.json(get).catch((caught: unknown) => caught);
    expect(isForbidden(error)).toBe(true);
    expect(String(error)).toContain('HTTP status 403 with text/html');
    expect(String(error)).not.toContain('abc');
  });

  it('guards go by reason, not by class: another copy of the package counts', () => {
    const foreign = Object.assign(new Error('x'), { reason: 'NotFound' });
    expect(isNotFound(foreign)).toBe(true);
    expect(isConflict(foreign)).toBe(false);
    expect([isNotFound(undefined), isNotFound('NotFound'), isNotFound({ reason: 'NotFound' })]).toEqual([
      false,
      false,
      false,
    ]);
    expect(isExpired(apiError(410, {}, { verb: 'list', path: '/x' }))).toBe(true);
    expect(retryAfter(apiError(429, {}, { verb: 'list', path: '/x' }, 3000))).toBe(3000);
  });

  it.each([
    ['HTML with 200', '<html>'],
    ['an array', '[]'],
    ['half an object', '{"kind":'],
  ])('%s is no answer', async (_name, body) => {
    const { rest } = setUp((exchange) => exchange.answer(200, body));
    await expect(rest.json(get)).rejects.toMatchObject({ reason: 'UnexpectedAnswer' });
  });

  it('no message holds a body', async () => {
    const { rest } = setUp((exchange) => exchange.fail(new ConnectionError('reset')));
    const error = await rest.json(post).catch((caught: unknown) => caught);
    expect(String(error)).toBe('ConnectionError: create /api/v1/namespaces/a/secrets: reset');
  });
});

describe('retries', () => {
  it.each([
    [
      '429 with Retry-After',
      get,
      (one: ScriptedExchange) => one.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '3' }),
      11,
    ],
    [
      'a write, too',
      post,
      (one: ScriptedExchange) => one.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '3' }),
      11,
    ],
    [
      '503 with Retry-After',
      post,
      (one: ScriptedExchange) => one.answer(503, status(503, 'ServiceUnavailable'), { 'retry-after': '1' }),
      11,
    ],
    ['429 without', get, (one: ScriptedExchange) => one.answer(429, status(429, 'TooManyRequests')), 1],
    ['500', get, (one: ScriptedExchange) => one.answer(500, status(500, 'InternalError')), 1],
    [
      '409 with Retry-After',
      post,
      (one: ScriptedExchange) => one.answer(409, status(409, 'Conflict'), { 'retry-after': '1' }),
      1,
    ],
    ['a broken connection of a read', get, (one: ScriptedExchange) => one.fail(new ConnectionError('reset')), 11],
    ['a broken connection of a write', post, (one: ScriptedExchange) => one.fail(new ConnectionError('reset')), 1],
  ])('%s', async (_name, request, handler, tries) => {
    const { rest, environment, transport } = setUp(handler);
    const failed = expect(rest.json(request)).rejects.toThrow();
    await environment.advance(120_000);
    await failed;
    expect(transport.exchanges).toHaveLength(tries);
    expect(environment.pendingTimers).toBe(0);
  });

  it('waits as long as it is told, at most a minute', async () => {
    const { rest, environment, transport } = setUp((one) =>
      one.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '99999' }),
    );
    const stop = new AbortController();
    const failed = expect(rest.json({ ...get, signal: stop.signal })).rejects.toThrow('enough');
    await environment.advance(59_999);
    expect(transport.exchanges).toHaveLength(1);
    await environment.advance(6002);
    expect(transport.exchanges).toHaveLength(2);
    stop.abort(new Error('enough'));
    await failed;
    expect(environment.pendingTimers).toBe(0);
  });

  it('asks the fence before each try of a write, and never for reads', async () => {
    let open = true;
    let asked = 0;
    const beforeWrite = (): void => {
      asked++;
      if (!open) throw new Error('not the leader');
    };
    const { rest, environment, transport } = setUp(
      (one) => one.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '3' }),
      { beforeWrite },
    );
    const failed = expect(rest.json(post)).rejects.toThrow('not the leader');
    await environment.settle();
    open = false;
    await environment.advance(5000);
    await failed;
    expect(transport.exchanges).toHaveLength(1);
    expect(asked).toBe(2);
  });

  it.each([
    ['7', 7000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('Retry-After %s is %s ms', (header, expected) => {
    expect(parseRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(expected);
  });
});

describe('deadlines and signals', () => {
  it('a request that is not answered in a minute fails, also when the body stops', async () => {
    for (const handler of [() => undefined, (one: ScriptedExchange) => one.head()]) {
      const { rest, environment, transport } = setUp(handler);
      const failed = expect(rest.json(get)).rejects.toMatchObject({
        reason: 'DeadlineExceeded',
        request: { verb: 'get' },
      });
      await environment.advance(60_000);
      await failed;
      expect(transport.open).toEqual([]);
      expect(environment.pendingTimers).toBe(0);
    }
  });

  it('an aborted call rejects with the reason of its signal', async () => {
    const { rest, environment, transport } = setUp(() => undefined);
    const stop = new AbortController();
    const failed = expect(rest.json({ ...get, signal: stop.signal })).rejects.toThrow('enough');
    await environment.settle();
    stop.abort(new Error('enough'));
    await failed;
    expect(transport.open).toEqual([]);
    await expect(rest.json({ ...get, signal: stop.signal })).rejects.toThrow('enough');
  });
});

it('warnings of the server are logged once each', async () => {
  const warning = '299 - "policy/v1beta1 is \\"old\\"", 299 - "second"';
  const { rest, warnings } = setUp((one) => one.answer(200, {}, { warning }));
  await rest.json(get);
  await rest.json(get);
  expect(warnings).toEqual([{ warning: 'policy/v1beta1 is "old"' }, { warning: 'second' }]);
});
