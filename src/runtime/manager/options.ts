import type { Duration, KubernetesObject } from '../apis/meta/v1.ts';
import type { ClusterConfiguration } from '../config/types.ts';
import { millisecondsOf } from '../controller/duration.ts';
import type { GuardOptions } from '../controller/guard-types.ts';
import type { ElectionTimes } from '../election/times.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';

/** What leader election and sharding have in common: how a process holds Leases. */
export interface LeaseOptions extends ElectionTimes {
  /** The namespace of the Leases. Default: the one of the pod's ServiceAccount, or of the kubeconfig's context. */
  readonly namespace?: string;
  /** Tells this process apart from the other replicas. Default: the host's name and a UUID. */
  readonly identity?: string;
  /**
   * Whether to give back what is held at an orderly stop, so that another replica takes over at once. Default true (false in
   * controller-runtime): it happens only when all that needed it has ended.
   */
  readonly releaseOnStop?: boolean;
  /**
   * Whether to renew on a thread of its own, so that a busy event loop does not cost the lease. That thread renews only while the main
   * thread has had a turn within the renew deadline, and ends the process (SIGKILL) when there was none for that long while it holds a
   * lease. Default true; never with an `environment` or a `transport`.
   */
  readonly thread?: boolean;
}

/** One replica works, the others wait. */
export interface LeaderElectionOptions extends LeaseOptions {
  /** The name of the Lease; the same in all replicas, different for each operator. By custom a domain: `widgets.example.com`. */
  readonly id: string;
}

/**
 * All replicas work, each on its share of the keys. A key is a namespace and a name, and stands in one of a fixed number of slots; each
 * slot has one holder, by a Lease. Only the holder reconciles the keys of a slot, whatever the controller, and its writes pass only while
 * it holds it. Runnables that need leader election run where the slot of their name is held, anew each time that it is gained.
 */
export interface ShardingOptions extends LeaseOptions {
  /** What the names of the Leases begin with; the same in all replicas, different for each operator. By custom a domain. */
  readonly id: string;
  /**
   * How many slots there are; the same in all replicas. Default 64. Each is a Lease that is renewed every `retryPeriod`. Replicas that
   * count other slots than those that are at work wait until these are gone.
   */
  readonly slots?: number;
}

export interface MetricsOptions {
  /** Where to serve `/metrics`: `:8443`. `0`: nowhere. */
  readonly bindAddress: string;
  /** Whether to serve over TLS. Default true. */
  readonly secure?: boolean;
  /**
   * Holds `tls.crt` and `tls.key`; they are read again every 10 seconds. Default: a self-signed certificate for `localhost`, made at each
   * start.
   */
  readonly certificateFolder?: string;
  /**
   * Whether a reader must show a bearer token of a user who may `get` the non-resource URL `/metrics` (TokenReview and
   * SubjectAccessReview, which the process must be allowed to create). Default: as `secure`.
   */
  readonly authorization?: boolean;
}

interface CommonOptions {
  /** Default: the real world. */
  readonly environment?: Environment;
  /** How to reach the cluster. Default: what `loadConfiguration()` finds when the manager starts. */
  readonly configuration?: ClusterConfiguration;
  /** In place of the real transport to the configuration's server: for tests. */
  readonly transport?: Transport;
  readonly cache?: {
    /** The namespaces whose objects are watched, of all kinds without a policy of their own. Default: all. */
    readonly namespaces?: readonly string[];
    /** Changes objects of all kinds without a transform of their own before they are cached: `stripManagedFields`. */
    readonly transform?: <T extends KubernetesObject>(object: T) => T;
    /** Whether lists are streamed where the server can. Default true. */
    readonly streamingList?: boolean;
    /**
     * What `client.get` and `client.list` do with a kind that no controller uses and that was not declared by `cache.informerFor`: `error`,
     * or `cache` its objects from then on. Default `error`.
     */
    readonly undeclaredReads?: 'error' | 'cache';
  };
  /** Default: JSON lines on standard error, from level `info` on. */
  readonly logger?: Logger;
  /**
   * How long a stop waits for reconciles and runnables to end: milliseconds or a duration; default 30 s; 0 does not wait, less than 0 waits
   * for as long as it takes. When it passes, `start` rejects with a `ShutdownTimeoutError` and the lease is not given back.
   */
  readonly gracefulShutdownTimeout?: number | Duration;
  /** Where to serve `/healthz` and `/readyz`: `:8081`. Default, and `0`: nowhere. */
  readonly healthProbeBindAddress?: string;
  /**
   * Whether this process converts objects of the kinds that it watches (a conversion webhook). `/readyz` then leaves the caches out: the API
   * server needs the webhook to list these kinds, and sends it nothing before the process is ready. Default false.
   */
  readonly servesConversion?: boolean;
  /** Default: metrics are kept (`manager.metrics`), and served nowhere. */
  readonly metrics?: MetricsOptions;
  /**
   * Where to serve `/debug/controllers`, JSON for people: queues, running reconciles, last results, informers, leadership. Without
   * protection, so that `:6060` means the loopback interface; other interfaces must be named (`0.0.0.0:6060`). Default, and `0`: nowhere.
   */
  readonly debugBindAddress?: string;
  /** Switches guards off for all controllers; see `ControllerOptions.guards`. */
  readonly guards?: GuardOptions;
  /** Default `operator-runtime`. */
  readonly userAgent?: string;
  /** Who owns the fields that the client writes. The API server's default is the user agent up to its first slash. */
  readonly fieldManager?: string;
}

/** Who of several replicas works; default: every one does all of the work. */
type ReplicaOptions =
  | {
      /** One replica works, the others wait. */
      readonly leaderElection?: LeaderElectionOptions;
      readonly sharding?: never;
    }
  | {
      /** All replicas work, each on its share of the keys; in place of leader election. */
      readonly sharding: ShardingOptions;
      readonly leaderElection?: never;
    };

export type ManagerOptions = CommonOptions & ReplicaOptions;

export interface StartOptions {
  /** Aborting it stops the manager. */
  readonly signal?: AbortSignal;
  /** Whether SIGTERM and SIGINT stop the manager; the second one then ends the process at once. Default false. */
  readonly handleSignals?: boolean;
}

/** Milliseconds of `gracefulShutdownTimeout`. Throws a RangeError for what is none. */
export function shutdownTimeout(value: number | Duration = 30_000): number {
  return millisecondsOf('gracefulShutdownTimeout', value);
}

/** Something did not end when it was asked to. */
export class ShutdownTimeoutError extends Error {
  override readonly name = 'ShutdownTimeoutError';
  readonly reason = 'ShutdownTimeout';
  /** Names of controllers and runnables; `caches` for informers. */
  readonly running: readonly string[];

  constructor(timeout: number, running: readonly string[]) {
    super(`not stopped within ${timeout} ms: ${running.join(', ')}`);
    this.running = running;
  }
}
