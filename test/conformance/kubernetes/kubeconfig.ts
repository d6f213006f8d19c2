import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** How a user reaches a server. */
export interface Access {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  /** PEM of the certificate authority that signed the server's certificate. */
  readonly certificateAuthority: string;
  readonly user: string;
  /** A bearer token. */
  readonly token: string;
  readonly namespace?: string;
}

/** A kubeconfig file with one cluster, one user and one context. */
export function kubeconfig({ server, certificateAuthority, user, token, namespace }: Access): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  const context = { cluster: 'test', user, ...(namespace === undefined ? {} : { namespace }) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'test', context }],
    'current-context': 'test',
  });
}

/** Writes {@link kubeconfig} to a file that only its owner can read. */
export function writeKubeconfig(path: string, access: Access): void {
  writeFileSync(path, kubeconfig(access), { mode: 0o600 });
}
