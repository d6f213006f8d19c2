import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultEnvironment } from '../environment/default.ts';
import type { Environment } from '../environment/environment.ts';
import { inClusterConfiguration, isInCluster, serviceAccountDirectory } from './in-cluster.ts';
import { kubeconfigConfiguration } from './kubeconfig.ts';
import type { ClusterConfiguration } from './types.ts';

export interface LoadConfigurationOptions {
  /** A kubeconfig file, as `--kubeconfig` gives it. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. Default: its current one. */
  readonly context?: string;
  readonly environment?: Environment;
}

/**
 * Finds the cluster, in controller-runtime's order: the kubeconfig given, `$KUBECONFIG`, the pod's ServiceAccount, `~/.kube/config`.
 * Rejects with a `ConfigurationError` that says what is missing.
 */
export async function loadConfiguration(options: LoadConfigurationOptions = {}): Promise<ClusterConfiguration> {
  const { clock } = options.environment ?? defaultEnvironment();
  const file = options.kubeconfig === '' ? undefined : options.kubeconfig;
  const asked = file !== undefined || options.context !== undefined || Boolean(process.env['KUBECONFIG']);
  if (!asked && isInCluster() && existsSync(join(serviceAccountDirectory, 'token'))) {
    return inClusterConfiguration({ clock });
  }
  return kubeconfigConfiguration({
    clock,
    ...(file === undefined ? {} : { file }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
}
