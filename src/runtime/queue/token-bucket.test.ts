import { describe, expect, it } from 'vitest';
import { createVirtualEnvironment } from '../environment/virtual.ts';
import { ExponentialBackoff } from './rate-limiter.ts';
import { MaxOf, TokenBucket } from './token-bucket.ts';
import { WorkQueue } from './work-queue.ts';

describe('a token bucket', () => {
  it('lets a burst pass, then a key for each token', async () => {
    const world = createVirtualEnvironment();
    const bucket = new TokenBucket<string>({ clock: world.clock, qps: 10, burst: 3 });
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => bucket.when(key))).toEqual([0, 0, 0, 100, 200]);
    await world.advance(150);
    expect(bucket.when('f')).toBe(150);
    await world.advance(10_000);
    expect(['g', 'h', 'i', 'j'].map((key) => bucket.when(key))).toEqual([0, 0, 0, 100]);
  });

  it('gives a key that waits no other token, and no later time', async () => {
    const world = createVirtualEnvironment();
    const bucket = new TokenBucket<string>({ clock: world.clock, qps: 1, burst: 1 });
    bucket.when('first');
    expect(bucket.when('a')).toBe(1000);
    await world.advance(400);
    expect([bucket.when('a'), bucket.when('a'), bucket.when('b')]).toEqual([600, 600, 1600]);
    await world.advance(600);
    expect(bucket.when('a')).toBe(2000);
  });

  it('makes nobody wait longer than its limit, though thousands fail at once', () => {
    const world = createVirtualEnvironment();
    const bucket = new TokenBucket<number>({ clock: world.clock, qps: 10, burst: 1, maxDelay: 60_000 });
    const delays = Array.from({ length: 10_000 }, (_, key) => bucket.when(key));
    expect(Math.max(...delays)).toBe(60_000);
    expect(delays.slice(0, 3)).toEqual([0, 100, 200]);
  });

  it('hands a key that is added over and over out at the rate of the tokens, and others soon after', async () => {
    const world = createVirtualEnvironment();
    const queue = new WorkQueue<string>({
      ...world,
      rateLimiter: new TokenBucket({ clock: world.clock, qps: 5, burst: 1 }),
    });
    const handedOut: { key: string; at: number }[] = [];
    const worker = (async () => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
        handedOut.push({ key, at: world.clock.monotonic() });
        queue.done(key);
      }
    })();
    for (let at = 0; at < 60_000; at += 100) {
      queue.addRateLimited('hot');
      await world.advance(100);
    }
    const hot = handedOut.length;
    expect(hot).toBeGreaterThanOrEqual(299);
    expect(hot).toBeLessThanOrEqual(301);
    queue.addRateLimited('other');
    await world.advance(1_000);
    expect(handedOut.find(({ key }) => key === 'other')?.at).toBeLessThanOrEqual(61_000);
    queue.shutDown();
    await worker;
  });

  it('takes no token for a key that is ready, and not handed out yet', async () => {
    const world = createVirtualEnvironment();
    const queue = new WorkQueue<string>({
      ...world,
      rateLimiter: new TokenBucket({ clock: world.clock, qps: 5, burst: 1 }),
    });
    expect(Array.from({ length: 100 }, () => queue.addRateLimited('ready'))).toEqual(
      Array.from({ length: 100 }, () => 0),
    );
    expect(queue.addRateLimited('other')).toBe(200);
    expect([queue.tryGet(), queue.addRateLimited('ready')]).toEqual(['ready', 400]);
    await world.advance(200);
    queue.shutDown();
  });

  it('takes a token for the failure of a run during which the key was added', () => {
    const { clock, random } = createVirtualEnvironment();
    const queue = new WorkQueue<string>({ clock, random, rateLimiter: new TokenBucket({ clock, qps: 5, burst: 1 }) });
    queue.addRateLimited('a');
    queue.tryGet();
    queue.add('a');
    // The event runs it again in any case; the retry is one more.
    expect(queue.addRateLimited('a')).toBe(200);
    queue.shutDown();
  });

  it('takes no token for a key that has one and waits for its backoff', async () => {
    const world = createVirtualEnvironment();
    const identity = (key: string): string => key;
    const queue = new WorkQueue<string>({
      ...world,
      rateLimiter: new MaxOf<string>([
        new ExponentialBackoff({ random: world.random, baseDelay: 1_000, jitter: 0, identity }),
        new TokenBucket({ clock: world.clock, qps: 1, burst: 1, identity }),
      ]),
    });
    expect(queue.addRateLimited('slow')).toBe(1_000);
    for (let count = 0; count < 50; count++) {
      await world.advance(10);
      queue.addRateLimited('slow');
    }
    // Only the first call took a token: the next one is there half a second from now, before the backoff is over.
    expect(queue.addRateLimited('next')).toBe(1_000);
    expect(queue.addRateLimited('after')).toBe(1_500);
    await world.advance(500);
    expect(queue.tryGet()).toBe('slow');
    // A delay of another kind holds no token.
    queue.addAfter('periodic', 3_600_000);
    queue.addRateLimited('periodic');
    queue.shutDown();
  });

  it.each([
    { qps: 0, burst: 1 },
    { qps: 1, burst: 0 },
    { qps: Number.NaN, burst: 1 },
    { qps: 1, burst: 1, maxDelay: 0 },
  ])('cannot be made of %o', (options) => {
    expect(() => new TokenBucket({ clock: createVirtualEnvironment().clock, ...options })).toThrow(RangeError);
  });
});

describe('the longest of several delays', () => {
  it("is client-go's default: backoff for each key, tokens for all", () => {
    const world = createVirtualEnvironment();
    const limiter = new MaxOf<string>([
      new ExponentialBackoff({ random: world.random, jitter: 0 }),
      new TokenBucket({ clock: world.clock, qps: 10, burst: 2 }),
    ]);
    expect([limiter.when('a'), limiter.when('a'), limiter.when('b')]).toEqual([5, 10, 100]);
    expect([limiter.numRequeues('a'), limiter.numRequeues('b')]).toEqual([2, 1]);
    limiter.forget('a');
    expect(limiter.numRequeues('a')).toBe(0);
    expect(new MaxOf<string>([]).when('a')).toBe(0);
  });
});
