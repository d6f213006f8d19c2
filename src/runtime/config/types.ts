/** What proves to the API server who we are. PEM where it is about certificates. */
export interface Credentials {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Sent as `Authorization: Basic`. */
  readonly basic?: { readonly username: string; readonly password: string };
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** Whom to trust; the system's authorities when absent. */
  readonly certificateAuthority?: string;
}

/** Where credentials come from. They may change at any time: files are rotated, tokens expire. */
export interface CredentialSource {
  /** Today's credentials. Cheap: asked for before each request. */
  current(): Promise<Credentials>;
  /** The server refused them (401): read them anew. Several calls for one expiry read once. */
  invalidate(refused: Credentials): void;
}

/** How to reach a cluster. Made by `loadConfiguration`, or by hand. */
export interface ClusterConfiguration {
  /** The API server's address: `https://10.0.0.1:443`, perhaps with a path. */
  readonly server: string;
  /** The namespace to use where none is said: the ServiceAccount's, or the kubeconfig context's. */
  readonly namespace?: string;
  /** The name to verify the server's certificate against, if not the address' host. */
  readonly tlsServerName?: string;
  /** Trust any certificate: for experiments only. */
  readonly insecureSkipTlsVerify?: boolean;
  readonly credentials: CredentialSource;
  /** An HTTP proxy to reach the server by, perhaps with name and password: `http://proxy:3128`. */
  readonly proxyUrl?: string;
  /** Whom to act as; the credentials' user must be allowed to impersonate. */
  readonly impersonate?: Impersonation;
}

/** A user as whom requests are made (headers `Impersonate-*`). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The environment, or the files, do not say how to reach a cluster. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly reason = 'Configuration';
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), invalidate() {} };
}
