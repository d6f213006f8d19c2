import type { Environment, Timer, Transport } from '../../src/runtime/environment/environment.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';

/**
 * A process of its own in a virtual world: it can be stopped and continued (SIGSTOP, SIGCONT), and has a wall clock of its own. While it
 * is stopped none of its timers rings and no answer reaches it; what it has sent goes on to the server.
 */
export class VirtualProcess {
  readonly environment: Environment;
  readonly #world: VirtualEnvironment;
  #wallOffset = 0;
  #stopped = false;
  /** What shall happen as soon as it continues. */
  #held: (() => void)[] = [];

  constructor(world: VirtualEnvironment) {
    this.#world = world;
    this.environment = {
      random: world.random,
      scheduler: world.scheduler,
      clock: {
        monotonic: () => world.clock.monotonic(),
        wall: () => world.clock.wall() + this.#wallOffset,
        setTimer: (callback, milliseconds) => this.#setTimer(callback, milliseconds),
      },
    };
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
  }

  continue(): void {
    this.#stopped = false;
    const held = this.#held;
    this.#held = [];
    for (const happen of held) {
      happen();
    }
  }

  jumpWall(milliseconds: number): void {
    this.#wallOffset += milliseconds;
  }

  /** The transport as this process sees it. */
  transport(transport: Transport): Transport {
    return {
      send: async (request, signal) => {
        try {
          const response = await transport.send(request, signal);
          await this.#awake();
          return response;
        } catch (error) {
          await this.#awake();
          throw error;
        }
      },
      close: () => transport.close(),
    };
  }

  #setTimer(callback: () => void, milliseconds: number): Timer {
    let cancelled = false;
    const timer = this.#world.clock.setTimer(() => {
      const ring = (): void => {
        if (!cancelled) callback();
      };
      if (this.#stopped) this.#held.push(ring);
      else ring();
    }, milliseconds);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  async #awake(): Promise<void> {
    while (this.#stopped) {
      await new Promise<void>((resolve) => this.#held.push(resolve));
    }
  }
}
