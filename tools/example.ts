// npm run example -- --kubeconfig FILE --cloud DIR [--leader-elect [--leader-election-namespace NAME]]: runs the operator of
// fixtures/compute against a cluster that has its definitions, until SIGTERM or Ctrl-C. DIR stands for the cloud: it gets one
// file for each external resource, <kind in lower case>/<id>.json.
import { parseArgs } from 'node:util';
import type { OperatorFlags } from '../fixtures/compute/operator/operator.ts';
import { main, run } from './repository.ts';

const usage = `usage: npm run example -- --cloud DIR [OPTION ...]
  --cloud DIR                        the folder that stands for the cloud
  --kubeconfig FILE                  default: $KUBECONFIG, the pod's ServiceAccount, ~/.kube/config
  --leader-elect                     run as one of several replicas
  --leader-election-namespace NAME   where the Lease is
  --health-probe-bind-address ADDR   where to serve /healthz and /readyz (default: nowhere)
  --cloud-latency MILLISECONDS       how long the cloud takes to answer a create (default 0)
WATCH_NAMESPACE in the environment names the namespaces to work in, separated by commas (default: all).`;

function readFlags(args: readonly string[]): OperatorFlags | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        cloud: { type: 'string' },
        kubeconfig: { type: 'string' },
        'leader-elect': { type: 'boolean' },
        'leader-election-namespace': { type: 'string' },
        'health-probe-bind-address': { type: 'string' },
        'cloud-latency': { type: 'string' },
      },
    });
    const latency = Number(values['cloud-latency'] ?? 0);
    if (values.cloud === undefined || values.cloud === '') return '--cloud is missing';
    if (!(latency >= 0 && Number.isFinite(latency))) return '--cloud-latency must be a number of milliseconds';
    const namespace = values['leader-election-namespace'];
    const namespaces = (process.env['WATCH_NAMESPACE'] ?? '').split(',').map((name) => name.trim());
    return {
      cloud: values.cloud,
      cloudLatency: latency,
      namespaces: namespaces.filter((name) => name !== ''),
      leaderElect: values['leader-elect'] ?? false,
      healthProbeBindAddress: values['health-probe-bind-address'] ?? '0',
      ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
      ...(namespace === undefined ? {} : { leaderElectionNamespace: namespace }),
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

await main(async () => {
  const flags = readFlags(process.argv.slice(2));
  if (typeof flags === 'string') {
    console.error(`${flags}\n${usage}`);
    return 2;
  }
  const compiler = await run('tsc', ['-b', 'src/runtime']);
  if (compiler.code !== 0) throw new Error(`${compiler.stdout}${compiler.stderr}`.trim());
  const { runOperator } = await import('../fixtures/compute/operator/operator.ts');
  await runOperator(flags);
  return 0;
});
// What did not end in time must not keep the process: its lease was not given back, so it has to be gone before it runs out.
process.exit();
