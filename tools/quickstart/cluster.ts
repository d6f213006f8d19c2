// How the quickstart uses an API server: by kubectl where there is one, else by plain requests that show the same.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findProgram } from '../../test/conformance/kubernetes/programs.ts';
import { installManifests, type Manifest } from '../../src/testing/manifests.ts';
import { RestClient, type RestResponse } from '../../src/testing/rest.ts';
import { command, say, show } from './screen.ts';
import type { Session } from './session.ts';
import { table, type Table } from './table.ts';

/** An object as the quickstart looks at it. */
export interface SeenObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

export class Cluster {
  readonly #session: Session;
  readonly #folder: string;
  readonly #kubeconfig: string;
  readonly #kubectl: string | undefined;
  readonly #client: RestClient;
  readonly #access: { readonly url: string; readonly caCertificate: string };

  private constructor(session: Session, folder: string, kubeconfig: string, kubectl: string | undefined) {
    this.#session = session;
    this.#folder = folder;
    this.#kubeconfig = kubeconfig;
    this.#kubectl = kubectl;
    const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    const cluster = clusters[0]?.cluster;
    if (cluster === undefined) throw new Error(`${kubeconfig} names no cluster`);
    const caCertificate = Buffer.from(cluster['certificate-authority-data'], 'base64').toString();
    this.#access = { url: cluster.server, caCertificate };
    this.#client = new RestClient({ ...this.#access, token: users[0]?.user.token ?? '' });
  }

  /** The cluster of a kubeconfig, as its user. Paths are relative to `folder`. */
  static async open(session: Session, folder: string, kubeconfig: string): Promise<Cluster> {
    const kubectl = await findProgram('kubectl');
    if (kubectl === undefined) say('There is no kubectl here: what it would show comes from the server directly.');
    return new Cluster(session, folder, kubeconfig, kubectl);
  }

  close(): void {
    this.#client.close();
  }

  /** `kubectl apply` with these arguments, which name what `manifests` gives. */
  async apply(args: readonly string[], manifests: () => Promise<readonly Manifest[]>): Promise<void> {
    if (await this.#shown('kubectl', ['apply', ...args])) return;
    const objects = await manifests();
    await installManifests(this.#client, objects, 30_000);
    show(objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name} created`).join('\n'));
  }

  /** `kubectl apply` of an object that the server refuses; shows what it says. */
  async refused(file: string, collection: string): Promise<void> {
    if (await this.#shown('kubectl', ['apply', '-f', file], 1)) return;
    const body: unknown = parse(readFileSync(join(this.#folder, file), 'utf8'));
    const answer = await this.#client.send({ method: 'POST', path: collection, body });
    if (answer.status < 400) throw new Error(`${file}: the server was expected to refuse it`);
    show(messageOf(answer));
  }

  /** `kubectl get` of all objects of a kind: the columns of its definition. */
  async columns(resource: string, collection: string): Promise<void> {
    if (await this.#shown('kubectl', ['get', resource])) return;
    const headers = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    show(table((await this.#ask({ path: collection, headers })).json() as Table));
  }

  /** A merge patch of one object. */
  async patch(resource: string, path: string, patch: object): Promise<void> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const text = JSON.stringify(patch);
    if (await this.#shown('kubectl', ['patch', resource, name, '--type=merge', '-p', text])) return;
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await this.#ask({ method: 'PATCH', path, body: text, headers });
    show(`${resource}/${name} patched`);
  }

  /** Deletes an object; what finalizers hold back is not waited for. */
  async delete(resource: string, path: string): Promise<void> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (await this.#shown('kubectl', ['delete', resource, name, '--wait=false'])) return;
    await this.#ask({ method: 'DELETE', path });
    show(`${resource}/${name} deleted`);
  }

  /** An object as it is now; undefined when there is none. */
  async object(path: string): Promise<SeenObject | undefined> {
    const answer = await this.#client.send({ path });
    if (answer.status === 404) return undefined;
    return this.#checked(answer).json() as SeenObject;
  }

  /** A kubeconfig for a ServiceAccount, with a token from the API server, valid for an hour. */
  async serviceAccountKubeconfig(namespace: string, name: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const answer = await this.#ask({ method: 'POST', path, body });
    const { status } = answer.json() as { readonly status: { readonly token: string } };
    const authority = Buffer.from(this.#access.caCertificate).toString('base64');
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'cluster', cluster: { server: this.#access.url, 'certificate-authority-data': authority } }],
      users: [{ name, user: { token: status.token } }],
      contexts: [{ name, context: { cluster: 'cluster', user: name } }],
      'current-context': name,
    });
  }

  /** Runs kubectl and shows both the command and its output; false when there is no kubectl. */
  async #shown(name: string, args: readonly string[], expected = 0): Promise<boolean> {
    if (this.#kubectl === undefined) return false;
    command(name, args);
    const env = { KUBECONFIG: this.#kubeconfig };
    show(await this.#session.run(this.#kubectl, args, { cwd: this.#folder, env }, expected));
    return true;
  }

  async #ask(request: Parameters<RestClient['send']>[0]): Promise<RestResponse> {
    this.#session.signal.throwIfAborted();
    return this.#checked(await this.#client.send(request));
  }

  #checked(answer: RestResponse): RestResponse {
    if (answer.status >= 400) throw new Error(messageOf(answer));
    return answer;
  }
}

function messageOf(answer: RestResponse): string {
  return (answer.json() as { readonly message?: string }).message ?? `HTTP ${answer.status}`;
}
