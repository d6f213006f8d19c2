// An operator that does nothing but lead: tells on standard output what becomes of it, and does what standard input asks for, one word a
// line. `write` patches the ConfigMap `shared`, `block` keeps its event loop busy for that many milliseconds. With `slots` it shares the
// work with the others instead, and writes its name into all ConfigMaps that are its own, again and again.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createManager, defineKind, requeueAfter } from 'operator-runtime';
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
  readonly slots?: number;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as Settings;
const { server, caFile, tokenFile, identity, slots, leaseDuration, renewDeadline, retryPeriod } = settings;

const tell = (event: string): void => {
  process.stdout.write(`${event}\n`);
};

const read = (): { token: string; certificateAuthority: string } => ({
  token: readFileSync(tokenFile, 'utf8'),
  certificateAuthority: readFileSync(caFile, 'utf8'),
});
let credentials = read();

const leases = { id: 'op', identity, leaseDuration, renewDeadline, retryPeriod };
const manager = createManager({
  ...(slots === undefined ? { leaderElection: leases } : { sharding: { ...leases, slots } }),
  cache: { namespaces: ['default'] },
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

if (slots !== undefined) {
  manager
    .controller('names', {
      maxConcurrentReconciles: 4,
      guards: { noOpWrite: false, fieldConflict: false, selfTriggeredLoop: false },
    })
    .for(ConfigMap, { predicates: [() => false] })
    .reconcile(async (request, { client }) => {
      await client.mergePatch(ConfigMap, request, { data: { by: identity } });
      return requeueAfter(50);
    });
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
  { name: 'work', needLeaderElection: slots === undefined },
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
