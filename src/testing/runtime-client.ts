import type { Client, ClusterConfiguration } from 'operator-runtime';

export interface RuntimeClient {
  readonly client: Client;
  close(): Promise<void>;
}

/** A client of the project's own operator-runtime; undefined where it is not installed, since it is an optional peer. */
export async function createRuntimeClient(configuration: ClusterConfiguration): Promise<RuntimeClient | undefined> {
  let runtime: typeof import('operator-runtime');
  try {
    runtime = await import('operator-runtime');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
  const environment = runtime.defaultEnvironment();
  const transport = runtime.createTransport(configuration);
  const client = runtime.createClient({ transport, environment, fieldManager: 'test' });
  return { client, close: () => transport.close() };
}
