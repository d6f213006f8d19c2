// Lets all test files of a run share one API server, which starts when the first of them asks for it.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { startKubernetes, type Kubernetes } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where {@link sharedKubernetes} asks for the server. */
    readonly kubernetesUrl: string;
  }
}

/** Called by vitest before the first test file; what it returns is called after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let kubernetes: Promise<Kubernetes> | undefined;
  // The answer holds an administrator's token: only who knows the path gets it.
  const path = `/${randomUUID()}`;
  const broker = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    kubernetes ??= startKubernetes();
    kubernetes.then(
      (started) => response.end(JSON.stringify(started.access())),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  broker.once('error', reject).listen(0, '127.0.0.1', resolve);
  await promise;
  const address = broker.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  project.provide('kubernetesUrl', `http://127.0.0.1:${address.port}${path}`);
  return async () => {
    broker.close();
    broker.closeAllConnections();
    // A failed start has been reported by the tests that asked for it.
    const started = await kubernetes?.catch(() => undefined);
    await started?.stop();
  };
}
