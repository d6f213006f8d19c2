// npm run quickstart: what a newcomer does, from the packed tarballs in a fresh folder, up to an operator that reconciles
// objects of an API server. Ends 0 and leaves nothing running or behind, also when it fails or is stopped by Ctrl-C.
//   -- --keep      leaves server and operator up until Ctrl-C, and says how to reach them
//   -- --compute   with the three kinds of fixtures/compute instead of a scaffolded one
import { parseArgs } from 'node:util';
import { computeQuickstart } from './quickstart/compute.ts';
import { Session } from './quickstart/session.ts';
import { widgetQuickstart, type Kept } from './quickstart/widget.ts';
import { main } from './repository.ts';

const usage = `usage: npm run quickstart [-- OPTION ...]
  --keep      leave server and operator up until Ctrl-C
  --compute   use the three kinds of fixtures/compute`;

function readFlags(args: string[]): { readonly keep: boolean; readonly compute: boolean } | string {
  try {
    const { values } = parseArgs({ args, options: { keep: { type: 'boolean' }, compute: { type: 'boolean' } } });
    return { keep: values.keep ?? false, compute: values.compute ?? false };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Leaves everything up until the user or the operator itself ends it. */
async function keepUp({ kubeconfig, commands, operator, log }: Kept, signal: AbortSignal): Promise<void> {
  console.log('\nServer and operator stay up until Ctrl-C. In another terminal:');
  // Nothing stands before the commands, so that they can be copied.
  for (const line of [`export KUBECONFIG=${kubeconfig}`, ...commands]) console.log(`  ${line}`);
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  const ending = signal.aborted ? undefined : await Promise.race([stopped, operator.ended]);
  if (!signal.aborted) throw new Error(`the operator ended with ${ending}\n${log.tail()}`);
}

await main(async () => {
  const flags = readFlags(process.argv.slice(2));
  if (typeof flags === 'string') {
    console.error(`${flags}\n${usage}`);
    return 2;
  }
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());
  // Whoever reads has seen enough (`| head`), or the terminal is gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => interrupted.abort());
  const { signal } = interrupted;
  const session = new Session(signal);
  try {
    const result = await (flags.compute ? computeQuickstart : widgetQuickstart)(session, flags.keep);
    if (flags.keep) await keepUp(result, signal);
    console.log('\nDone.');
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error('\nStopped.');
    return 130;
  } finally {
    await session.close();
  }
});
