import { sleep } from '../environment/child-signal.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import { isWatchPath } from './paths.ts';

export interface RateLimit {
  /** Requests in a second, in the long run; above 0. */
  readonly qps: number;
  /** Requests at once after a pause; at least 1. */
  readonly burst: number;
}

/**
 * A transport that sends no more requests than a token bucket allows; those beyond wait their turn, in order. Watches are not counted, as
 * in client-go. The API server's priority and fairness makes this unnecessary: it is for servers that lack it, or are shared with others
 * who must not notice.
 */
export function rateLimited(transport: Transport, { qps, burst }: RateLimit, environment: Environment): Transport {
  if (!(qps > 0) || !(burst >= 1)) throw new RangeError('a rate limit needs qps above 0 and a burst of at least 1');
  const { clock } = environment;
  let tokens = burst;
  let counted = clock.monotonic();
  /** How long this request waits; takes its token at once, so that the next waits longer. */
  const take = (): number => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - counted) / 1000) * qps);
    counted = now;
    tokens -= 1;
    return tokens >= 0 ? 0 : (-tokens / qps) * 1000;
  };
  return {
    async send(request, signal) {
      if (!isWatchPath(request.path)) {
        const wait = take();
        if (wait > 0) {
          try {
            await sleep(clock, wait, signal);
          } catch (error) {
            // Whoever goes away gives the token back.
            tokens += 1;
            throw error;
          }
        }
      }
      return transport.send(request, signal);
    },
    close: () => transport.close(),
  };
}
