import type { Logger } from '../environment/logger.ts';

const names = ['SIGTERM', 'SIGINT'] as const;

/**
 * Calls `stop` at the first SIGTERM or SIGINT. After it the signals have their usual effect again, so that a second one ends the
 * process at once. Disposing it does the same.
 */
export function onTermination(stop: () => void, log: Logger): Disposable {
  const remove = (): void => {
    for (const name of names) {
      process.removeListener(name, received);
    }
  };
  const received = (name: NodeJS.Signals): void => {
    remove();
    log.info('Stopping; the next signal ends the process at once', { signal: name });
    stop();
  };
  for (const name of names) {
    process.on(name, received);
  }
  return { [Symbol.dispose]: remove };
}
