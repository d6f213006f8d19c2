// An operator that does nothing but lead: tells on standard output what becomes of it, and does what standard input asks for, one word a
// line. `write` patches the ConfigMap `shared`, `block` keeps its event loop busy for that many milliseconds.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createManager, defineKind } from 'operator-runtime';
import type { Client, KubernetesObject } from 'operator-runtime';

const ConfigMap = defineKind<KubernetesObject & { data?: Record<string, string> }, 'Namespaced'>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  subresources: [],
});

interface Settings {
  readonly server: string;
  readonly caFile: string;
  readonly tokenFile: string;
  readonly identity: string;
  /** Milliseconds between two writes of its own accord. */
  readonly writeEvery?: number;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const { server, caFile, tokenFile, identity, leaseDuration, renewDeadline, retryPeriod } = settings;

const tell = (event: string): void => {
  process.stdout.write(`${event}\n`);
};

const read = (): { token: string; certificateAuthority: string } => ({
  token: readFileSync(tokenFile, 'utf8'),
  certificateAuthority: readFileSync(caFile, 'utf8'),
});
let credentials = read();

const manager = createManager({
  configuration: {
    server,
    namespace: 'default',
    credentials: {
      current: () => Promise.resolve(credentials),
      invalidate: (refused) => {
        if (refused === credentials) credentials = read();
      },
    },
  },
  leaderElection: { id: 'op', identity, leaseDuration, renewDeadline, retryPeriod },
  userAgent: identity,
  gracefulShutdownTimeout: '5s',
});

async function write(client: Client): Promise<void> {
  try {
    await client.mergePatch(ConfigMap, { namespace: 'default', name: 'shared' }, { data: { by: identity } });
    tell('wrote');
  } catch (error) {
    tell(error instanceof Error && 'reason' in error ? String(error.reason) : String(error));
  }
}

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

manager.add(
  async ({ signal, client }) => {
    tell('leading');
    const input = createInterface({ input: process.stdin });
    input.on('line', (line) => {
      const [word, number] = line.split(' ');
      if (word === 'write') void write(client);
      if (word === 'block') block(Number(number));
    });
    const { writeEvery } = settings;
    const timer = writeEvery === undefined ? undefined : setInterval(() => void write(client), writeEvery);
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    clearInterval(timer);
    input.close();
  },
  { name: 'work' },
);

try {
  await manager.start({ handleSignals: true });
  tell('stopped');
} catch (error) {
  process.exitCode = 1;
  tell(error instanceof Error && 'reason' in error ? String(error.reason) : String(error));
} finally {
  process.stdin.destroy();
}
