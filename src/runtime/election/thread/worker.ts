// The program of the thread that competes for leases and renews them. Bundled into `worker-code` by the build.
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { createNodeTransport } from '../../client/node-transport.ts';
import { environmentSince } from '../../environment/default.ts';
import type { Environment, Transport } from '../../environment/environment.ts';
import { endProcess } from './end-process.ts';
import { HeartbeatWatch, heartbeatPeriod } from './heartbeat-watch.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { SharedState } from './shared-state.ts';
import { startTask } from './tasks.ts';
import type { RunningTask } from './tasks.ts';
import { ThreadCredentials } from './thread-credentials.ts';
import { threadLogger } from './thread-logger.ts';

function main(port: MessagePort, data: ThreadData): void {
  const send = (message: FromThread): void => {
    port.postMessage(message);
  };
  const environment = environmentSince(data.epoch);
  const state = new SharedState(data.state);
  const watch = new HeartbeatWatch(state, environment.clock, data.times.renewDeadline);
  const log = threadLogger((level, message, fields) => {
    send({ type: 'log', level, message, fields });
  });
  const credentials = new ThreadCredentials((refused) => {
    send({ type: 'credentials', refused });
  });
  const transport = measured(createNodeTransport({ ...data.configuration, credentials }), send);
  const leases = Array.from({ length: state.leases }, (_, number) => state.lease(number));
  watchMainThread(watch, () => leases.some(({ held }) => held), data, environment);

  const stop = new AbortController();
  const beforeTry = (signal: AbortSignal): Promise<void> => watch.untilFresh(signal);
  const task = startTask({ data, environment, transport, log, state, beforeTry, send }, stop.signal);
  port.on('message', (message: ToThread) => {
    switch (message.type) {
      case 'credentials':
        if (message.credentials !== undefined) credentials.receive(message.credentials);
        else if (message.error !== undefined) credentials.failed(message.error);
        break;
      case 'stop':
        stop.abort();
        break;
      case 'release':
        stop.abort();
        void release(task, send);
        break;
      default:
        task.receive(message);
    }
  });
}

async function release(task: RunningTask, send: (message: FromThread) => void): Promise<void> {
  await task.ended;
  send({ type: 'released', done: await task.release() });
}

/** Ends the process when the main thread has not had a turn for the renew deadline while a lease is held. */
function watchMainThread(
  watch: HeartbeatWatch,
  isHolding: () => boolean,
  { times, identity, task }: ThreadData,
  environment: Environment,
): void {
  const look = (): void => {
    const silence = watch.silence();
    if (silence >= times.renewDeadline && isHolding()) {
      const line = {
        lease: `${task.namespace}/${task.type === 'leader' ? task.name : task.id}`,
        identity,
        blockedMilliseconds: Math.round(silence),
        msg: 'The main thread does not answer: the process ends, so that another replica can take over',
      };
      endProcess(line, environment);
      return;
    }
    environment.clock.setTimer(look, heartbeatPeriod(times.renewDeadline));
  };
  look();
}

/** Tells of each request, for the metrics. */
function measured(transport: Transport, send: (message: FromThread) => void): Transport {
  return {
    async send(request, signal) {
      const { method } = request;
      try {
        const response = await transport.send(request, signal);
        send({ type: 'request', method, code: String(response.status) });
        return response;
      } catch (error) {
        send({ type: 'request', method, code: '<error>' });
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

if (parentPort === null) {
  throw new Error('this program runs on a thread that the leader election of operator-runtime has started');
}
main(parentPort, workerData as ThreadData);
