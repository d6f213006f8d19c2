import {
  addFinalizer,
  createManager,
  defineKind,
  done,
  hasFinalizer,
  isBeingDeleted,
  isConflict,
  removeFinalizer,
  requeueAfter,
  TerminalError,
  withControllerReference,
  type Condition,
  type Kind,
  type KubernetesObject,
  type Reconcile,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
} from 'operator-runtime';
import type { Cached } from 'operator-runtime/client';

// As generated: value and type of one name.
interface Widget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Widget';
  spec: { size: number; config?: Record<string, string>; args?: string[] };
  status?: { ready: number; conditions?: Condition[] };
}
const Widget: Kind<Widget, 'Namespaced', 'status'> = /* @__PURE__ */ defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: ['status'],
});
interface ConfigMap extends KubernetesObject {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  data?: Record<string, string>;
}
const ConfigMap: Kind<ConfigMap, 'Namespaced', never> = /* @__PURE__ */ defineKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  subresources: [],
});
const finalizer = 'example.com/cleanup';

/** A whole reconciler as a user writes it. */
export class WidgetReconciler implements Reconciler {
  async reconcile(request: Request, { client, log, signal }: ReconcileContext): Promise<Result> {
    const widget = await client.get(Widget, request);
    if (widget === undefined) return done;
    if (isBeingDeleted(widget)) {
      if (hasFinalizer(widget, finalizer)) {
        await fetch('https://cloud.example.com', { signal });
        await removeFinalizer(client, Widget, widget, finalizer);
      }
      return done;
    }
    const current: Cached<Widget> = await addFinalizer(client, Widget, widget, finalizer);

    // Cached parts go into the child without a copy.
    const desired = withControllerReference(Widget, current, {
      apiVersion: 'v1' as const,
      kind: 'ConfigMap' as const,
      metadata: { namespace: request.namespace, name: request.name, labels: current.metadata.labels ?? {} },
      data: current.spec.config ?? {},
    });
    const child = await client.get(ConfigMap, request);
    if (child === undefined) await client.create<ConfigMap>(desired);
    else {
      await client.update(ConfigMap, child, (draft) => {
        draft.data = { ...current.spec.config };
      });
    }
    const children = await client.list(ConfigMap, { namespace: request.namespace, labels: { app: request.name } });
    if (children.length > current.spec.size) throw new TerminalError('too many');

    try {
      await client.updateStatus(Widget, current, (draft) => {
        draft.status = { ...draft.status, ready: children.length };
      });
    } catch (error) {
      if (!isConflict(error)) throw error;
      log.info('Changed by somebody else', { code: error.code, path: error.request.path });
    }
    return children.length < current.spec.size ? requeueAfter('30s') : done;
  }
}

export async function main(signal: AbortSignal): Promise<void> {
  const manager = createManager({ leaderElection: { id: 'widgets.example.com' } });
  manager
    .controller('widget', { maxConcurrentReconciles: 4 })
    .for(Widget)
    .owns(ConfigMap)
    .watches(ConfigMap, (configMap) => [
      { namespace: configMap.metadata.namespace ?? '', name: configMap.data?.['widget'] ?? '' },
    ])
    .reconcile(new WidgetReconciler());
  await manager.start({ signal, handleSignals: true });
}

// @ts-expect-error a path without a result
// oxlint-disable-next-line typescript/consistent-return -- that is the mistake
export const noResult: Reconcile = async (request, { client }) => {
  if ((await client.get(Widget, request)) === undefined) return done;
};

// @ts-expect-error nothing is no result
export const nothing: Reconcile = () => Promise.resolve();

// @ts-expect-error an error and a delay do not go together: throw, or return
export const both: Reconcile = () => Promise.resolve({ ...requeueAfter(5), error: new Error('no') } satisfies Result);

// @ts-expect-error nor does a delay without its time
export const noTime: Reconcile = () => Promise.resolve({ result: 'requeueAfter' });

// @ts-expect-error nor one that is done and comes back
export const doneLater: Reconcile = () => Promise.resolve({ result: 'done', milliseconds: 5 } satisfies Result);

// @ts-expect-error Go's result is none of ours
export const go: Reconcile = () => Promise.resolve({ requeueAfter: 5 });

export const wrong: Reconcile = async (request, { client }) => {
  const widget = await client.get(Widget, request);
  // @ts-expect-error it may be gone
  await client.update(Widget, widget, () => undefined);
  if (widget === undefined) return done;
  // @ts-expect-error cached objects are read-only
  widget.metadata.labels = {};
  // @ts-expect-error also their arrays
  widget.spec.args?.sort();
  // @ts-expect-error the draft is no promise's business
  await client.updateStatus(Widget, widget, async () => {
    await client.get(Widget, request);
  });
  // @ts-expect-error ConfigMaps have no status
  await client.updateStatus(ConfigMap, widget, () => undefined);
  // @ts-expect-error what is cached is no draft
  const spec: Widget['spec'] = widget.spec;
  void spec;
  return requeueAfter(30_000);
};
