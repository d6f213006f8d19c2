import { buildPrograms, cannotBuild, findProgram, findPrograms } from '../../test/conformance/kubernetes/programs.ts';
import { startKubernetes, type Kubernetes } from '../../test/conformance/kubernetes/server.ts';
import { say } from './screen.ts';

/** A real kube-apiserver, and the kubectl that talks to it. */
export interface ApiServer {
  readonly kubernetes: Kubernetes;
  readonly kubectl: string;
}

/** Starts a real API server; where there is none, builds it; where that cannot be done, says why and returns nothing. */
export async function startApiServer(signal: AbortSignal): Promise<ApiServer | undefined> {
  let assets = findPrograms();
  let kubectl = await findProgram('kubectl');
  if (assets === undefined || kubectl === undefined) {
    const reason = await cannotBuild();
    if (reason !== undefined) {
      say(`Skipped: there is no ${assets === undefined ? 'kube-apiserver' : 'kubectl'} on this machine.`);
      say(`${reason}.`);
      return undefined;
    }
    say('Go is installed: building Kubernetes from its modules. The first time');
    say('this takes about ten minutes; Ctrl-C ends it and the quickstart.');
    if (assets === undefined) assets = await buildPrograms(['etcd', 'kube-apiserver'], say, signal);
    if (kubectl === undefined) {
      await buildPrograms(['kubectl'], say, signal);
      kubectl = await findProgram('kubectl');
    }
    if (kubectl === undefined) throw new Error('kubectl was built and cannot be found');
  }
  const started = performance.now();
  const kubernetes = await startKubernetes({ assets });
  say(`etcd and kube-apiserver are ready after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { kubernetes, kubectl };
}
