import type { Clock } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';

const names = ['SIGTERM', 'SIGINT'] as const;

/**
 * How long repetitions of the first signal count as the same one, in milliseconds: a Ctrl-C under npm, or a signal to a group of
 * processes one of which passes it on, arrives twice.
 */
const repetition = 500;

/**
 * Calls `stop` at the first SIGTERM or SIGINT. Soon after it the signals have their usual effect again, so that a second one ends the
 * process at once. Disposing it does the same.
 */
export function onTermination(stop: () => void, log: Logger, clock: Clock): Disposable {
  const remove = (): void => {
    timer?.cancel();
    for (const name of names) {
      process.removeListener(name, received);
    }
  };
  let timer: ReturnType<Clock['setTimer']> | undefined;
  const received = (name: NodeJS.Signals): void => {
    if (timer !== undefined) {
      return;
    }
    timer = clock.setTimer(remove, repetition, { keepAlive: false });
    log.info('Stopping; the next signal ends the process at once', { signal: name });
    stop();
  };
  for (const name of names) {
    process.on(name, received);
  }
  return { [Symbol.dispose]: remove };
}
