import { expect } from 'vitest';
import type { Condition, KubernetesObject } from '../../src/runtime/apis/meta/v1.ts';
import type { Reconcile } from '../../src/runtime/controller/reconcile.ts';
import { done } from '../../src/runtime/controller/result.ts';
import { discardLogger } from '../../src/runtime/environment/logger.ts';
import { createVirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import type { VirtualEnvironment } from '../../src/runtime/environment/virtual.ts';
import { defineKind } from '../../src/runtime/kind/kind.ts';
import type { Kind } from '../../src/runtime/kind/kind.ts';
import { createManager } from '../../src/runtime/manager/manager.ts';
import type { Manager } from '../../src/runtime/manager/types.ts';
import type { LeaderElectionOptions, ManagerOptions } from '../../src/runtime/manager/options.ts';
import { VirtualApiServer } from './virtual-api-server.ts';
import type { Stored } from './virtual-api-server.ts';

export interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { ready: number; conditions?: Condition[] };
}

export const Widget: Kind<Widget, 'Namespaced', 'status'> = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status'],
});
export const Gadget = defineKind<KubernetesObject, 'Namespaced'>({
  ...Widget,
  kind: 'Gadget',
  plural: 'gadgets',
  subresources: [],
});
export const leases = 'apis/coordination.k8s.io/v1/namespaces/ns/leases';
export const path = (name: string): string => `apis/example.com/v1/namespaces/ns/widgets/${name}`;
export const widget = (name: string, size = 1): Stored => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'ns' },
  spec: { size },
});

/** NaN when there is no such widget. */
export function sizeOf(name: string): number {
  const spec = server.get(path(name))?.['spec'];
  return typeof spec === 'object' && spec !== null && 'size' in spec ? Number(spec.size) : Number.NaN;
}

export interface Replica {
  readonly manager: Manager;
  readonly reconciled: string[];
  /** What became of `start`: nothing yet, `stopped`, or the error. */
  readonly outcome: () => unknown;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export const leaderElection: LeaderElectionOptions = { id: 'op', namespace: 'ns', identity: 'a' };
export let world: VirtualEnvironment;
export let server: VirtualApiServer;

export function setUp(): void {
  world = createVirtualEnvironment();
  server = new VirtualApiServer({ widgets: 'Widget' });
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void world.clock.setTimer(resolve, milliseconds));

export function replica(reconcile: Reconcile, options: ManagerOptions = {}): Replica {
  const manager = createManager({ environment: world, transport: server.transport, logger: discardLogger, ...options });
  const reconciled: string[] = [];
  manager
    .controller('widget')
    .for(Widget)
    .reconcile((request, context) => {
      reconciled.push(request.name);
      return reconcile(request, context);
    });
  const abort = new AbortController();
  let outcome: unknown;
  let running: Promise<void> | undefined;
  return {
    manager,
    reconciled,
    outcome: () => outcome,
    start() {
      running = manager.start({ signal: abort.signal }).then(
        () => void (outcome = 'stopped'),
        (error: unknown) => void (outcome = error),
      );
    },
    async stop() {
      abort.abort();
      await world.runUntil(() => outcome !== undefined);
      await running;
    },
  };
}

export const writeStatus: Reconcile = async (request, { client }) => {
  const object = await client.get(Widget, request);
  if (object !== undefined) {
    await client.updateStatus(Widget, object, (draft) => {
      draft.status = { ready: draft.spec.size };
    });
  }
  return done;
};

/** To be called after each test: whatever was started has stopped, and no timer and no request is left. */
export function expectNothingLeft(): void {
  expect(world.pendingTimers).toBe(0);
  expect(server.transport.open).toEqual([]);
}
