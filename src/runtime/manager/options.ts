import type { Duration, KubernetesObject } from '../apis/meta/v1.ts';
import type { ClusterConfiguration } from '../config/types.ts';
import type { GuardOptions } from '../controller/guard-types.ts';
import type { ElectionTimes } from '../election/times.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';

export interface LeaderElectionOptions extends ElectionTimes {
  /** The name of the Lease; the same in all replicas, different for each operator. By custom a domain: `widgets.example.com`. */
  readonly id: string;
  /** The Lease's namespace. Default: the one of the pod's ServiceAccount, or of the kubeconfig's context. */
  readonly namespace?: string;
  /** Tells this process apart from other candidates. Default: the host's name and a UUID. */
  readonly identity?: string;
  /**
   * Whether to give the lease back at an orderly stop, so that another replica takes over at once. Default true (false in
   * controller-runtime): it happens only when all that needed leadership has ended.
   */
  readonly releaseOnStop?: boolean;
  /**
   * Whether to renew on a thread of its own, so that a busy event loop does not cost the lease. That thread renews only while the main
   * thread has had a turn within the renew deadline, and ends the process (SIGKILL) when there was none for that long while it leads.
   * Default true; never with an `environment` or a `transport`.
   */
  readonly thread?: boolean;
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

export interface ManagerOptions {
  /** Default: the real world. */
  readonly environment?: Environment;
  /** How to reach the cluster. Default: what `loadConfiguration()` finds when the manager starts. */
  readonly configuration?: ClusterConfiguration;
  /** In place of the real transport to the configuration's server: for tests. */
  readonly transport?: Transport;
  /** Off by default: every replica works. */
  readonly leaderElection?: LeaderElectionOptions;
  readonly cache?: {
    /** The namespaces whose objects are watched, of all kinds without a policy of their own. Default: all. */
    readonly namespaces?: readonly string[];
    /** Changes objects of all kinds without a transform of their own before they are cached: `stripManagedFields`. */
    readonly transform?: <T extends KubernetesObject>(object: T) => T;
    /** Whether lists are streamed where the server can. Default true. */
    readonly streamingList?: boolean;
  };
  /** Default: JSON lines on standard error, from level `info` on. */
  readonly logger?: Logger;
  /**
   * How long a stop waits for reconciles and runnables to end: milliseconds or a duration; default 30 s. When it passes, `start` rejects with
   * a `ShutdownTimeoutError` and the lease is not given back.
   */
  readonly gracefulShutdownTimeout?: number | Duration;
  /** Where to serve `/healthz` and `/readyz`: `:8081`. Default, and `0`: nowhere. */
  readonly healthProbeBindAddress?: string;
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

export interface StartOptions {
  /** Aborting it stops the manager. */
  readonly signal?: AbortSignal;
  /** Whether SIGTERM and SIGINT stop the manager; the second one then ends the process at once. Default false. */
  readonly handleSignals?: boolean;
}

/** Something did not end when it was asked to. */
export class ShutdownTimeoutError extends Error {
  override readonly name = 'ShutdownTimeoutError';
  readonly reason = 'ShutdownTimeout';
  /** Names of controllers and runnables. */
  readonly running: readonly string[];

  constructor(timeout: number, running: readonly string[]) {
    super(`not stopped within ${timeout} ms: ${running.join(', ')}`);
    this.running = running;
  }
}
