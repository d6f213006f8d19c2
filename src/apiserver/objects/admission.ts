import type { User } from '../access/user.ts';
import { equal, fromPlain, type JsonObject, type MutableObject } from '../json.ts';
import type { GroupVersionKind, Resource } from '../resources/resource.ts';
import type { WriteOptions } from './write-options.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** A write on its way, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  readonly subresource: string;
  /** What the objects are where they are none of the resource: the `Scale` of a Deployment. */
  readonly kind?: GroupVersionKind;
  readonly namespace: string;
  /** `''` for objects whose name is still to be generated. */
  readonly name: string;
  /** The object to be written, in the request's version; plugins that mutate change it in place. Missing on deletion. */
  readonly object?: MutableObject;
  readonly oldObject?: JsonObject;
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event of the request. */
  readonly annotate: (name: string, value: string) => void;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`. */
  readonly options: JsonObject;
  readonly reinvocation: Reinvocation;
}

/** A step between authorization and storage; throws an ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string;
  /** May change the object. Called before the strategy prepares it. */
  admit?(request: AdmissionRequest): void | Promise<void>;
  /** Only looks. Called when the object is valid and will be written otherwise. */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** Which of a plugin's webhooks or policies are to be called once more. */
export class Invocations {
  readonly #eligible = new Set<string>();
  readonly #again = new Set<string>();
  #lastOutput: JsonObject | undefined;

  /** Something changed the object: those that saw it before and want to see it again will. */
  changed(): void {
    for (const key of this.#eligible) this.#again.add(key);
    this.#eligible.clear();
  }

  /** Records a call that is to be repeated when the object changes later. */
  called(key: string): void {
    this.#eligible.add(key);
  }

  isWanted(key: string): boolean {
    return this.#again.has(key);
  }

  /** Whether others changed the object since the plugin was done with it. */
  differs(object: JsonObject | undefined): boolean {
    return !equal(this.#lastOutput, object);
  }

  finish(object: JsonObject | undefined): void {
    this.#lastOutput = object === undefined ? undefined : (fromPlain(object) as JsonObject);
  }
}

/** The second run through the plugins that change objects: it comes when a webhook or a policy changed something in the first. */
export class Reinvocation {
  isSecond = false;
  isNeeded = false;
  readonly #plugins = new Map<string, Invocations>();

  of(plugin: string): Invocations {
    let found = this.#plugins.get(plugin);
    if (found === undefined) this.#plugins.set(plugin, (found = new Invocations()));
    return found;
  }
}

/** Runs a request through the plugins that may change its object. */
export async function admit(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) await plugin.admit?.(request);
  const { reinvocation } = request;
  if (!reinvocation.isNeeded) return;
  reinvocation.isSecond = true;
  for (const plugin of plugins) await plugin.admit?.(request);
}

/** Runs a request through the plugins that only look. */
export async function validate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) await plugin.validate?.(request);
}

/** A write that admission sees as one of another kind: that of a `Scale`, of an `Eviction`. */
export interface AdmissionView {
  /** What the request is about, from the object to be written and the one that is there. */
  of(
    object: JsonObject,
    old: JsonObject,
  ): Pick<AdmissionRequest, 'operation' | 'subresource' | 'object' | 'oldObject' | 'kind'> &
    Partial<Pick<AdmissionRequest, 'resource'>>;
  /** Takes what plugins made of the request's object over into the object to be written. */
  into(target: MutableObject, seen: JsonObject): void;
}

type RequestParts = Pick<AdmissionRequest, 'operation' | 'resource' | 'subresource' | 'namespace' | 'name'> &
  Partial<Pick<AdmissionRequest, 'object' | 'oldObject' | 'kind'>>;

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** The request of a write with the options of its caller. */
export function admissionRequest(parts: RequestParts, options: WriteOptions): AdmissionRequest {
  const { user, dryRun, warn } = options;
  return {
    ...parts,
    // A namespace lies in itself here.
    ...(parts.resource.storage === 'namespaces' && { namespace: parts.name }),
    user,
    dryRun,
    warn,
    annotate: options.annotate ?? (() => undefined),
    options: fromPlain({
      kind: optionKinds[parts.operation],
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun && { dryRun: ['All'] }),
      ...options.given,
    }) as JsonObject,
    reinvocation: new Reinvocation(),
  };
}
