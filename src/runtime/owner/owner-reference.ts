import type { KubernetesObject, OwnerReference } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { Kind } from '../kind/kind.ts';
import { groupOf } from './group.ts';

/** What is looked at of an object that gets an owner; any object, cached or not, fits. */
export interface OwnedObject {
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string;
    readonly ownerReferences?: readonly Cached<OwnerReference>[];
  };
}

export interface OwnerReferenceOptions {
  /**
   * Whether a foreground deletion of the owner waits until the owned object is gone. Default true. Where the API server enforces
   * owner reference permissions it needs `update` on the owner's `finalizers` subresource.
   */
  readonly blockOwnerDeletion?: boolean;
}

/** The object has another controller already. There can be only one. */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  readonly reason = 'AlreadyOwned';
  readonly owner: Cached<OwnerReference>;

  constructor(object: OwnedObject, owner: Cached<OwnerReference>) {
    super(`${describe(object)} is already controlled by ${owner.kind} ${owner.name} (uid ${owner.uid})`);
    this.owner = owner;
  }
}

/** An owner reference that the garbage collector would not honour: it would delete the object. */
export class InvalidOwnerError extends Error {
  override readonly name = 'InvalidOwnerError';
  readonly reason = 'InvalidOwner';
}

/** The owner reference of an object that `owner` controls: for the metadata of a new child of the same namespace. */
export function controllerReference<T extends KubernetesObject>(
  kind: Kind<T>,
  owner: Cached<T>,
  options: OwnerReferenceOptions = {},
): OwnerReference {
  return { ...ownerReference(kind, owner), controller: true, blockOwnerDeletion: options.blockOwnerDeletion ?? true };
}

/** The plain reference to an owner, not the controller. */
export function ownerReference<T extends KubernetesObject>(kind: Kind<T>, owner: Cached<T>): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined) {
    throw new InvalidOwnerError(
      `the owner ${describe(owner)} has no name or no uid: it did not come from an API server`,
    );
  }
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, uid };
}

/**
 * The child with a controller reference to its owner; the child itself is not changed, so that it may be made of cached parts. A child
 * that has it already comes back as it is.
 *
 * Throws an `InvalidOwnerError` when the garbage collector would delete the child at once: a namespaced owner can own objects of its
 * namespace only; and an `AlreadyOwnedError` when another object is its controller. "Another" goes by group, kind and uid, unlike in
 * controller-runtime (group, kind and name), where an owner of the same name that was created anew takes over silently.
 */
export function withControllerReference<C extends OwnedObject, T extends KubernetesObject>(
  kind: Kind<T>,
  owner: Cached<T>,
  child: C,
  options: OwnerReferenceOptions = {},
): C {
  checkNamespaces(kind, owner, child);
  const reference = controllerReference(kind, owner, options);
  const references: readonly Cached<OwnerReference>[] = child.metadata.ownerReferences ?? [];
  const controller = references.find((other) => other.controller === true);
  if (controller !== undefined && !isSame(controller, reference)) {
    throw new AlreadyOwnedError(child, controller);
  }
  return withReferences(child, references, reference);
}

/** The child with a reference to one more owner, under the same rules for namespaces; its controller stays. */
export function withOwnerReference<C extends OwnedObject, T extends KubernetesObject>(
  kind: Kind<T>,
  owner: Cached<T>,
  child: C,
): C {
  checkNamespaces(kind, owner, child);
  const references: readonly Cached<OwnerReference>[] = child.metadata.ownerReferences ?? [];
  const reference = ownerReference(kind, owner);
  const present = references.find((other) => isSame(other, reference));
  return present === undefined ? withReferences(child, references, reference) : child;
}

/** Whether `owner` is an owner of the child, as its controller or not; by group, kind and uid. */
export function isOwnedBy<T extends KubernetesObject>(child: OwnedObject, kind: Kind<T>, owner: Cached<T>): boolean {
  const reference = { apiVersion: kind.apiVersion, kind: kind.kind, uid: owner.metadata.uid };
  return child.metadata.ownerReferences?.some((other) => isSame(other, reference)) ?? false;
}

/** The child without the reference to this owner; one that has none comes back as it is. */
export function withoutOwnerReference<C extends OwnedObject, T extends KubernetesObject>(
  kind: Kind<T>,
  owner: Cached<T>,
  child: C,
): C {
  const reference = { apiVersion: kind.apiVersion, kind: kind.kind, uid: owner.metadata.uid };
  const references: readonly Cached<OwnerReference>[] = child.metadata.ownerReferences ?? [];
  const others = references.filter((other) => !isSame(other, reference));
  return others.length === references.length
    ? child
    : { ...child, metadata: { ...child.metadata, ownerReferences: others } };
}

/** Whether `owner` is the controller of the child, by group, kind and uid. */
export function isControlledBy<T extends KubernetesObject>(
  child: OwnedObject,
  kind: Kind<T>,
  owner: Cached<T>,
): boolean {
  const controller = child.metadata.ownerReferences?.find((other) => other.controller === true);
  return (
    controller !== undefined &&
    isSame(controller, { apiVersion: kind.apiVersion, kind: kind.kind, uid: owner.metadata.uid })
  );
}

function withReferences<C extends OwnedObject>(
  child: C,
  references: readonly Cached<OwnerReference>[],
  reference: OwnerReference,
): C {
  const present = references.find((other) => isSame(other, reference));
  if (
    present !== undefined &&
    Object.entries(reference).every(([key, value]) => present[key as keyof OwnerReference] === value)
  ) {
    return child;
  }
  const others = references.filter((other) => other !== present);
  return { ...child, metadata: { ...child.metadata, ownerReferences: [...others, reference] } };
}

function checkNamespaces<T extends KubernetesObject>(kind: Kind<T>, owner: Cached<T>, child: OwnedObject): void {
  if (kind.scope === 'Cluster') {
    return;
  }
  const namespace = owner.metadata.namespace ?? '';
  const childNamespace = child.metadata.namespace ?? '';
  if (childNamespace === '') {
    throw new InvalidOwnerError(
      `${describe(child)} has no namespace and cannot be owned by the namespaced ${describe(owner)}; ` +
        `give it the owner's namespace, or a finalizer in place of an owner if it is cluster-scoped`,
    );
  }
  if (childNamespace !== namespace) {
    throw new InvalidOwnerError(
      `${describe(child)} cannot be owned by ${describe(owner)}: owners must be in the same namespace`,
    );
  }
}

function isSame(
  a: Pick<Cached<OwnerReference>, 'apiVersion' | 'kind' | 'uid'>,
  b: { readonly apiVersion: string; readonly kind: string; readonly uid: string | undefined },
): boolean {
  return groupOf(a.apiVersion) === groupOf(b.apiVersion) && a.kind === b.kind && a.uid === b.uid;
}

function describe(object: OwnedObject): string {
  const { namespace, name, generateName } = object.metadata;
  const own = name ?? `${generateName ?? ''}*`;
  return `${object.kind} ${namespace === undefined || namespace === '' ? own : `${namespace}/${own}`}`;
}
