import type { Credentials, CredentialSource } from '../../config/types.ts';
import { errorOf } from './messages.ts';
import type { PlainError } from './messages.ts';

/**
 * The main thread's credentials on another thread: only there can they be read anew (files, exec plugins, what a user wrote). Those at
 * hand serve while newer ones are asked for, so that a busy main thread does not hold up a renewal; after a refusal only new ones do.
 */
export class ThreadCredentials implements CredentialSource {
  readonly #ask: (refused: boolean) => void;
  #known: Credentials | undefined;
  #awaited: PromiseWithResolvers<Credentials> | undefined;

  /** `ask` asks the main thread, which answers with `receive` or `failed`. */
  constructor(ask: (refused: boolean) => void) {
    this.#ask = ask;
  }

  current(): Promise<Credentials> {
    if (this.#awaited !== undefined) return this.#awaited.promise;
    if (this.#known === undefined) return this.#wait(false);
    this.#ask(false);
    return Promise.resolve(this.#known);
  }

  invalidate(refused: Credentials): void {
    if (refused === this.#known && this.#awaited === undefined) {
      // Whoever asks for them next deals with a failure.
      this.#wait(true).catch(() => undefined);
    }
  }

  receive(credentials: Credentials): void {
    // The same object as long as nothing has changed: it tells a refusal of these from one of their predecessors.
    if (JSON.stringify(credentials) !== JSON.stringify(this.#known)) this.#known = credentials;
    this.#awaited?.resolve(this.#known ?? credentials);
    this.#awaited = undefined;
  }

  failed(error: PlainError): void {
    this.#awaited?.reject(errorOf(error));
    this.#awaited = undefined;
  }

  #wait(refused: boolean): Promise<Credentials> {
    this.#awaited = Promise.withResolvers();
    this.#ask(refused);
    return this.#awaited.promise;
  }
}
