import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Clock, Scheduler } from '../environment/environment.ts';
import { TurnBudget } from '../environment/turn-budget.ts';
import { Handlers } from './handlers.ts';
import { StoredObject } from './lazy-object.ts';

/** Time passes only while handlers work, and turns of the event loop are given by the test. */
class World {
  now = 0;
  readonly #turns: (() => void)[] = [];
  readonly clock = { monotonic: () => this.now } as Clock;
  readonly scheduler: Scheduler = {
    yield: () => new Promise((resolve) => this.#turns.push(resolve)),
  };
  caughtUp = 0;
  readonly handlers = new Handlers<KubernetesObject>({
    clock: this.clock,
    budget: new TurnBudget({ clock: this.clock, scheduler: this.scheduler }),
    onError: (error) => {
      throw error;
    },
    onCaughtUp: () => {
      this.caughtUp++;
    },
  });

  async turn(): Promise<void> {
    this.#turns.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const object = (name: string, resourceVersion = '1', uid = `uid-${name}`): StoredObject<KubernetesObject> =>
  StoredObject.of<KubernetesObject>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'ns', uid, resourceVersion },
  });

describe('a late handler of many objects', () => {
  /** Five objects, of which each takes six milliseconds: two in a slice. */
  function late() {
    const world = new World();
    const heard: string[] = [];
    const hear = (what: string): void => {
      world.now += 6;
      heard.push(what);
    };
    const objects = ['a', 'b', 'c', 'd', 'e'].map((name) => object(name));
    const registration = world.handlers.add(
      {
        add: ({ name, resourceVersion }, initial) => hear(`add ${name} ${resourceVersion}${initial ? ' initial' : ''}`),
        update: (previous, { name, resourceVersion }) =>
          hear(`update ${name} ${previous.resourceVersion} ${resourceVersion}`),
        delete: ({ name }) => hear(`delete ${name}`),
        resync: ({ name }) => hear(`resync ${name}`),
      },
      objects,
    );
    return { world, heard, registration, objects };
  }

  it('is told in slices, the first at once, and is synced at the end', async () => {
    const { world, heard, registration } = late();
    expect(heard).toEqual(['add a 1 initial', 'add b 1 initial']);
    await world.turn();
    expect(heard).toHaveLength(4);
    expect([registration.caughtUp, world.caughtUp]).toEqual([false, 0]);
    await world.turn();
    expect(heard).toHaveLength(5);
    expect([registration.caughtUp, world.caughtUp]).toEqual([true, 1]);
    await world.handlers.idle();
  });

  it('hears the latest state of what has changed meanwhile, once, and nothing of what came and went', async () => {
    const { world, heard, registration, objects } = late();
    const [a, , c, d, e] = objects as [Stored, Stored, Stored, Stored, Stored];
    const told = [registration];
    let previous = c;
    for (let version = 2; version < 1000; version++) {
      const next = object('c', String(version));
      world.handlers.tell(told, { type: 'update', previous, object: next }, false);
      previous = next;
    }
    world.handlers.tell(told, { type: 'update', previous: a, object: object('a', '2') }, false);
    world.handlers.tell(told, { type: 'delete', object: d, finalStateUnknown: false }, false);
    // Another object under the same name.
    world.handlers.tell(told, { type: 'delete', object: e, finalStateUnknown: true }, false);
    world.handlers.tell(told, { type: 'add', object: object('e', '9', 'other') }, false);
    world.handlers.resync(told, previous);
    world.handlers.resync(told, a);
    expect(registration.pending.size).toBe(1);
    expect(heard.slice(2)).toEqual(['update a 1 2', 'add e 9', 'resync a']);
    await world.turn();
    await world.turn();
    expect(heard.slice(5)).toEqual(['add c 999 initial']);
    expect(registration.caughtUp).toBe(true);
  });

  it('that is removed on the way hears no more', async () => {
    const { world, heard, registration } = late();
    world.handlers.remove(registration);
    await world.turn();
    await world.handlers.idle();
    expect(heard).toHaveLength(2);
    expect(world.handlers.current).toEqual([]);
  });
});

type Stored = StoredObject<KubernetesObject>;
