import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startApiServer } from '../../src/apiserver/index.ts';
import type { ApiServer, AuditEvent } from '../../src/apiserver/index.ts';
import { buildRuntime } from '../../tools/build.ts';
import { root, runChecked } from '../../tools/repository.ts';
import { killReplicas, startReplica } from './election-replica.ts';
import type { Replica } from './election-replica.ts';

/** Long enough for a machine that is busy with other tests. */
export const times = { leaseDuration: 6_000, renewDeadline: 4_000, retryPeriod: 500 };

/** `election-program.ts` as the scaffold's Dockerfile would ship it: one bundled file, alone in a folder. */
export interface Bundle {
  readonly folder: string;
  readonly file: string;
  remove(): void;
}

export async function bundleProgram(): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'create-operator-election-'));
  await buildRuntime();
  const project = join(folder, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  copyFileSync(join(root, 'templates/project/esbuild.config.mjs'), join(project, 'esbuild.config.mjs'));
  copyFileSync(join(root, 'test/runtime/election-program.ts'), join(project, 'src/main.ts'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  await runChecked(process.execPath, ['esbuild.config.mjs'], { cwd: project });
  mkdirSync(join(folder, 'app'));
  const file = join(folder, 'app/main.mjs');
  copyFileSync(join(project, 'dist/main.js'), file);
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** An API server that says who wrote when, and replicas that work on it. */
export class ElectionCluster {
  /** What was served, in order; with the replica's name as the user. */
  readonly audit: AuditEvent[];
  readonly #bundle: Bundle;
  readonly #server: ApiServer;

  private constructor(bundle: Bundle, server: ApiServer, audit: AuditEvent[]) {
    this.#bundle = bundle;
    this.#server = server;
    this.audit = audit;
  }

  static async start(bundle: Bundle): Promise<ElectionCluster> {
    const audit: AuditEvent[] = [];
    const server = await startApiServer({ onRequest: (event) => audit.push(event) });
    writeFileSync(join(bundle.folder, 'ca.crt'), server.caCertificate);
    return new ElectionCluster(bundle, server, audit);
  }

  /** A replica with a user of its own; `settings` as the program takes them. */
  run(name: string, settings: Readonly<Record<string, unknown>> = {}, wrapper: readonly string[] = []): Replica {
    this.giveToken(name);
    return this.runWithToken(name, settings, wrapper);
  }

  /** The same, with whatever stands in its token file. */
  runWithToken(name: string, settings: Readonly<Record<string, unknown>>, wrapper: readonly string[] = []): Replica {
    const common = {
      server: this.#server.url,
      caFile: join(this.#bundle.folder, 'ca.crt'),
      tokenFile: this.tokenFile(name),
      ...times,
    };
    const command = [...wrapper, process.execPath, this.#bundle.file];
    return startReplica(name, command, { ...common, ...settings }, join(this.#bundle.folder, 'app'));
  }

  tokenFile(name: string): string {
    return join(this.#bundle.folder, `token-${name}`);
  }

  giveToken(name: string): void {
    writeFileSync(this.tokenFile(name), this.#server.token(name, ['system:masters']));
  }

  /** As the administrator. */
  request(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#server.adminToken}`, 'content-type': 'application/json' };
      const options = { method, headers, ca: this.#server.caCertificate, agent: false };
      const outgoing = httpsRequest(`${this.#server.url}${path}`, options, (response) => {
        resolve(json(response) as Promise<Record<string, unknown>>);
      });
      outgoing.once('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async createConfigMap(name: string): Promise<void> {
    const metadata = { name, namespace: 'default' };
    const answer = await this.request('POST', '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
    });
    if (answer['kind'] !== 'ConfigMap') throw new Error(`not created: ${JSON.stringify(answer)}`);
  }

  async stop(): Promise<void> {
    await killReplicas();
    await this.#server.stop();
  }
}
