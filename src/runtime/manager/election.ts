import type { ClusterConfiguration } from '../config/types.ts';
import { LeaderElector } from '../election/elector.ts';
import type { Elector } from '../election/elector.ts';
import { createLeaseLock } from '../election/lease-lock.ts';
import { ThreadedElector } from '../election/thread/threaded-elector.ts';
import { electionTimes } from '../election/times.ts';
import type { Environment, Transport } from '../environment/environment.ts';
import type { Logger } from '../environment/logger.ts';
import type { LeaderElectionOptions } from './options.ts';

/** A candidate and what goes with it. */
export interface Election {
  readonly elector: Elector;
  readonly releaseOnStop: boolean;
  /** Ends thread and connections. Gives nothing back. */
  close(): Promise<void>;
}

export interface ElectionDependencies {
  readonly options: LeaderElectionOptions;
  readonly namespace: string;
  readonly identity: string;
  readonly userAgent: string | undefined;
  readonly environment: Environment;
  readonly log: Logger;
}

/** On the thread of its caller, with a transport of its own: renewals must not queue behind the requests of reconcilers. */
export function electOnThisThread(dependencies: ElectionDependencies, transport: Transport): Election {
  const { options, namespace, identity, userAgent, environment, log } = dependencies;
  const lock = createLeaseLock({
    transport,
    environment,
    logger: log,
    namespace,
    name: options.id,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  return {
    elector: new LeaderElector({ ...options, lock, identity, environment, log }),
    releaseOnStop: options.releaseOnStop ?? true,
    close: () => transport.close(),
  };
}

/** On a thread of its own. `onRequest` is called for each of its requests. */
export function electOnItsOwnThread(
  dependencies: ElectionDependencies,
  configuration: ClusterConfiguration,
  onRequest: (method: string, code: string) => void,
): Election {
  const { options, namespace, identity, userAgent, environment, log } = dependencies;
  const elector = new ThreadedElector({
    configuration,
    namespace,
    name: options.id,
    identity,
    times: electionTimes(options),
    clock: environment.clock,
    log,
    onRequest,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  return { elector, releaseOnStop: options.releaseOnStop ?? true, close: () => elector.close() };
}
