import { deleteAll, definitionFinalizer } from '../objects/deletion.ts';
import { copyOf, timestamp, type Operations } from '../objects/operations.ts';
import { controllerOptions } from '../objects/write-options.ts';
import { conditionIsTrue, definitions, serveDefinition, type ServedDefinition } from '../custom/definition.ts';
import type { ConversionParts } from '../custom/conversion.ts';
import { namesOf } from '../custom/strategy.ts';
import {
  equal,
  jsonObject,
  list,
  object,
  shallow,
  text,
  texts,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { isTerminating } from '../objects/metadata.ts';
import { isStoredVersion, type ResourceRegistry } from '../resources/registry.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/**
 * Accepts the names of definitions, serves their kinds and cleans up behind them: what the naming, establishing and finalizing
 * controllers of the real server do, without their pauses.
 */
export class DefinitionController {
  readonly #operations: Operations;
  readonly #registry: ResourceRegistry;
  readonly #served = new Map<string, { readonly source: JsonObject; readonly definition: ServedDefinition }>();
  readonly #endWatches: (storage: string) => void;
  readonly #conversion: ConversionParts;
  readonly #recordStatus: (value: MutableObject, old: JsonObject) => void;

  constructor(
    operations: Operations,
    registry: ResourceRegistry,
    endWatches: (storage: string) => void,
    recordStatus: (value: MutableObject, old: JsonObject) => void,
    conversion: ConversionParts,
  ) {
    this.#recordStatus = recordStatus;
    this.#conversion = conversion;
    this.#operations = operations;
    this.#registry = registry;
    this.#endWatches = endWatches;
  }

  served(): readonly ServedDefinition[] {
    return [...this.#served.values()].map(({ definition }) => definition);
  }

  /** Brings status and served resources in line with a definition that was written or removed. */
  reconcile(name: string): void {
    const key = { namespace: '', name };
    const collection = this.#operations.store.collection(definitions);
    const stored = collection.get(key);
    if (stored === undefined) {
      this.#withdraw(name);
      // A name that came free may be what others wait for.
      for (const other of collection.list())
        if (!conditionIsTrue(other, 'NamesAccepted')) this.reconcile(text(other, 'metadata', 'name'));
      return;
    }
    const next = copyOf(stored);
    next['status'] = this.#status(stored);
    // Served first: whoever sees the condition can use the kind.
    if (conditionIsTrue(next, 'Established')) this.#serve(name, next);
    if (equal(next, stored)) return;
    next['metadata'] = shallow(next['metadata']);
    this.#recordStatus(next, stored);
    collection.update(key, next);
  }

  /** Deletes the objects of definitions that are being deleted, and lets those go that have none left. */
  async cleanUp(): Promise<void> {
    const collection = this.#operations.store.collection(definitions);
    for (const stored of collection.list()) {
      if (!isTerminating(stored) || !texts(stored, 'metadata', 'finalizers').includes(definitionFinalizer)) continue;
      const name = text(stored, 'metadata', 'name');
      const resources = this.#served.get(name)?.definition.resources ?? [];
      const resource = resources.find(isStoredVersion) ?? resources[0];
      if (resource !== undefined) {
        const pending = this.#operations
          .collection(resource)
          .list()
          .filter((value) => !isTerminating(value));
        await deleteAll(this.#operations, resource, pending, {}, controllerOptions);
        if (this.#operations.collection(resource).size > 0) continue;
      }
      const key = { namespace: '', name };
      const current = collection.get(key);
      if (current === undefined) continue;
      const finalizers = texts(current, 'metadata', 'finalizers').filter(
        (finalizer) => finalizer !== definitionFinalizer,
      );
      if (finalizers.length === 0) collection.delete(key);
      else {
        const next = copyOf(current);
        (next['metadata'] as MutableObject)['finalizers'] = finalizers;
        collection.update(key, next);
      }
    }
  }

  #serve(name: string, definition: JsonObject): void {
    const known = this.#served.get(name);
    const unchanged =
      known !== undefined &&
      equal(known.source['spec'], definition['spec']) &&
      isTerminating(known.source) === isTerminating(definition) &&
      equal(object(known.source, 'status', 'acceptedNames'), object(definition, 'status', 'acceptedNames'));
    if (unchanged) return;
    const served = serveDefinition(definition, this.#conversion);
    this.#served.set(name, { source: definition, definition: served });
    this.#registry.setCustom(name, served.resources);
    const storage = known?.definition.resources[0]?.storage;
    if (storage !== undefined) this.#endWatches(storage);
  }

  #withdraw(name: string): void {
    const known = this.#served.get(name);
    if (known === undefined) return;
    this.#served.delete(name);
    this.#registry.setCustom(name, []);
    const storage = known.definition.resources[0]?.storage;
    if (storage !== undefined) {
      this.#endWatches(storage);
      this.#operations.store.drop(storage);
    }
  }

  #status(definition: JsonObject): JsonObject {
    const status = shallow(definition['status']);
    const accepted = shallow(status['acceptedNames']);
    const { taken, problem } = this.#acceptNames(definition, accepted);
    status['acceptedNames'] = taken;
    const conditions: Json[] = [...list(status, 'conditions')];
    const set = (condition: Condition): void => setCondition(conditions, condition, this.#operations.sources.now());
    if (problem === undefined) {
      set({ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' });
      set({
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      });
    } else {
      set({ type: 'NamesAccepted', status: 'False', ...problem });
      if (!conditionIsTrue(definition, 'Established')) {
        set({ type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' });
      }
    }
    this.#approval(definition, set);
    if (isTerminating(definition)) {
      set({
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      });
    }
    status['conditions'] = conditions;
    status['storedVersions'] ??= list(definition, 'spec', 'versions')
      .filter((version) => object(version)['storage'] === true)
      .map((version) => text(version, 'name'));
    return status;
  }

  #approval(definition: JsonObject, set: (condition: Condition) => void): void {
    const group = text(definition, 'spec', 'group');
    const isProtected = ['k8s.io', 'kubernetes.io'].some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
    if (!isProtected) return;
    const annotation = text(definition, 'metadata', 'annotations', 'api-approved.kubernetes.io');
    const type = 'KubernetesAPIApprovalPolicyConformant';
    if (annotation.startsWith('unapproved')) {
      set({ type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: "${annotation}"` });
    } else if (annotation !== '')
      set({ type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${annotation}` });
  }

  /** Takes the names that no other definition of the group has. */
  #acceptNames(
    definition: JsonObject,
    before: JsonObject,
  ): {
    readonly taken: JsonObject;
    readonly problem: { readonly reason: string; readonly message: string } | undefined;
  } {
    const group = text(definition, 'spec', 'group');
    const own = text(definition, 'metadata', 'name');
    const resources = new Set<string>();
    const kinds = new Set<string>();
    for (const other of this.#operations.store.collection(definitions).list()) {
      if (text(other, 'metadata', 'name') === own || text(other, 'spec', 'group') !== group) continue;
      const names = namesOf(other, 'status', 'acceptedNames');
      for (const name of [names.plural, names.singular, ...names.shortNames]) if (name !== '') resources.add(name);
      for (const name of [names.kind, names.listKind]) if (name !== '') kinds.add(name);
    }
    const wanted = object(definition, 'spec', 'names');
    const names = namesOf(definition, 'spec', 'names');
    const taken = jsonObject(Object.entries(before));
    let problem: { readonly reason: string; readonly message: string } | undefined;
    const accept = (
      member: string,
      value: Json | undefined,
      free: readonly string[],
      set: ReadonlySet<string>,
      reason: string,
    ): void => {
      const conflict = free.find((name) => set.has(name));
      if (conflict !== undefined) {
        problem = { reason, message: `"${conflict}" is already in use` };
        taken[member] ??= member === 'plural' || member === 'kind' ? '' : null;
      } else if (value !== undefined) taken[member] = value;
      else delete taken[member];
      if (taken[member] === null) delete taken[member];
    };
    accept('plural', wanted['plural'], [names.plural], resources, 'PluralConflict');
    accept('singular', wanted['singular'], [names.singular], resources, 'SingularConflict');
    accept('shortNames', wanted['shortNames'], names.shortNames, resources, 'ShortNamesConflict');
    accept('kind', wanted['kind'], [names.kind], kinds, 'KindConflict');
    accept('listKind', wanted['listKind'], [names.listKind], kinds, 'ListKindConflict');
    if (wanted['categories'] !== undefined) taken['categories'] = wanted['categories'];
    else delete taken['categories'];
    return { taken, problem };
  }
}

/** Sets a condition; its time moves only when its status does. */
function setCondition(conditions: Json[], condition: Condition, now: number): void {
  const at = conditions.findIndex((other) => text(other, 'type') === condition.type);
  const known = conditions[at];
  const same = known !== undefined && text(known, 'status') === condition.status;
  const next = jsonObject([
    ['type', condition.type],
    ['status', condition.status],
    ['lastTransitionTime', same ? (object(known)['lastTransitionTime'] ?? timestamp(now)) : timestamp(now)],
    ['reason', condition.reason],
    ['message', condition.message],
  ]);
  if (at >= 0) conditions[at] = next;
  else conditions.push(next);
}
