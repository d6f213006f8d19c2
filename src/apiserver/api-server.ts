import type { CertificatePair } from './access/certificates.ts';
import type { AuditEvent } from './server/audit-event.ts';
import type { ServerClock } from './server/clock.ts';
import type { Faults } from './server/faults.ts';

/** A user that a token stands for. */
export interface ServerUser {
  /** `alice`, or `system:serviceaccount:<namespace>:<name>`, whose groups come by themselves. */
  readonly name: string;
  readonly groups?: readonly string[];
  /** Default: a random one. */
  readonly token?: string;
}

export interface ApiServerOptions {
  /** 0 (default): any free port. */
  readonly port?: number;
  /** Address to listen on (default 127.0.0.1). */
  readonly host?: string;
  /** Plain HTTP instead of HTTPS (default false): kubectl then sends no credentials. */
  readonly insecure?: boolean;
  /** Users beside the administrator. */
  readonly users?: readonly ServerUser[];
  /** The administrator's token (default: random). */
  readonly adminToken?: string;
  /** Whether RBAC decides (default true); otherwise everybody may do everything. */
  readonly authorization?: boolean;
  /** Plugins that are off by default, as in kube-apiserver. */
  readonly enableAdmissionPlugins?: readonly 'OwnerReferencesPermissionEnforcement'[];
  /** Whether owned objects go with their owners (default true). */
  readonly garbageCollection?: boolean;
  /**
   * Whether workloads look alive (default false): Deployments roll out, StatefulSets, DaemonSets and Jobs make pods, pods run and
   * become ready at once on the node `embedded`, services get endpoints, claims are bound; the status of
   * a ValidatingAdmissionPolicy tells where its expressions do not fit the objects' types. No container runs. With `pending` there is no
   * node that runs pods: they and claims stay pending, as where only a controller manager stands beside a server.
   */
  readonly workloads?: boolean | 'pending';
  /** Events kept of each resource for watches and reads of the past (default 10,000). */
  readonly historyLimit?: number;
  /**
   * Where webhooks of services listen in fact, as `https://127.0.0.1:<port>`: nothing is behind a service here. Their certificate is
   * checked against the service's name.
   */
  readonly resolveService?: (namespace: string, name: string, port: number) => string | undefined;
  /** The wall clock, in milliseconds since 1970; `clock` of the server sets it while it runs. */
  readonly now?: () => number;
  /**
   * A state that `snapshot` gave: the server starts with its objects, and its revisions go on from there. Tokens of service accounts
   * and certificates that were issued before are not known any more.
   *
   * @throws StateError when it is none
   */
  readonly state?: string;
  /** Whether administrators can control the server over HTTP, under `/_admin` and from this machine only (default false). */
  readonly adminEndpoint?: boolean;
  /** Called after each write: the state is not the same any more. */
  readonly onChange?: () => void;
  /** Called with each request when it is over. */
  readonly onRequest?: (event: AuditEvent) => void;
  /** Called with errors that nobody expected; without it `stop` rejects with them. */
  readonly onError?: (error: unknown) => void;
}

export interface RestartOptions {
  /**
   * `kept` (default): the objects are there again, but no history, so that older watches and continue tokens get 410; `lost`: a new
   * cluster; or a text that `snapshot` gave.
   */
  readonly state?: 'kept' | 'lost' | (string & {});
  /** How long nothing listens, in milliseconds (default 0). */
  readonly downtime?: number;
}

export interface ApiServer {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string;
  /** PEM; `''` with plain HTTP. */
  readonly caCertificate: string;
  /** The administrator's token. */
  readonly adminToken: string;
  readonly faults: Faults;
  /** The server's time: what objects, tokens and controllers go by. */
  readonly clock: ServerClock;
  /** The token of a user; a user that is not known yet is made, a service account need not exist. */
  token(user: string, groups?: readonly string[]): string;
  /** The text of a kubeconfig file, for the administrator or another user. */
  kubeconfig(user?: string, groups?: readonly string[]): string;
  /** A client certificate for a user and groups, signed by the server's authority. HTTPS only. */
  clientCertificate(user: string, groups?: readonly string[]): CertificatePair;
  /** The latest revision. */
  readonly revision: number;
  /** Forgets history up to a revision (default: all of it): older watches and continue tokens get 410. */
  compact(revision?: number): void;
  /** All objects with their revisions, as text for the option `state`. */
  snapshot(): string;
  /**
   * Ends as a server that is killed and comes back on the same port: connections are cut and, for a while, refused. Its users stay.
   *
   * @throws StateError when the state is none; the server then goes on with what it had
   */
  restart(options?: RestartOptions): Promise<void>;
  /** Resolves when the controllers have done what there is to do. */
  idle(): Promise<void>;
  /**
   * Ends watches, closes connections and resolves when nothing is left running. Rejects with an AggregateError when the server met
   * errors that nobody expected, and nobody took them by `onError`.
   */
  stop(): Promise<void>;
}
