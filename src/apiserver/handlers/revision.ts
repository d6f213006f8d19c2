import type { Store } from '../storage/store.ts';

/** How long a request waits for a revision that is not reached yet, in milliseconds. */
const patience = 3000;

/** Waits until the store reaches a revision, for no longer than the real server waits; the caller checks whether it did. */
export async function waitForRevision(store: Store, revision: number, signal: AbortSignal): Promise<void> {
  if (store.revision >= revision) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, patience);
    const stop = store.onEvent(() => {
      if (store.revision >= revision) finish();
    });
    signal.addEventListener('abort', finish, { once: true });
    if (signal.aborted) finish();
  });
}
