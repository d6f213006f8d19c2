import type { Transport, TransportRequest, TransportResponse } from '../environment/environment.ts';

/** A transport that is made when it is first needed: what says how to reach the cluster may have to be read first. */
export class DeferredTransport implements Transport {
  readonly #make: () => Promise<Transport>;
  #transport: Transport | undefined;
  #making: Promise<Transport> | undefined;

  constructor(make: () => Promise<Transport>) {
    this.#make = make;
  }

  /** Makes the transport; rejects with the reason why it cannot be made. May be tried again. */
  async ready(): Promise<Transport> {
    if (this.#transport !== undefined) {
      return this.#transport;
    }
    this.#making ??= this.#make();
    try {
      this.#transport = await this.#making;
      return this.#transport;
    } finally {
      this.#making = undefined;
    }
  }

  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    return this.#transport === undefined
      ? this.ready().then((transport) => transport.send(request, signal))
      : this.#transport.send(request, signal);
  }

  async close(): Promise<void> {
    const transport = this.#transport ?? (await this.#making?.catch(() => undefined));
    await transport?.close();
  }
}
