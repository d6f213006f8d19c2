import type { SuiteOptions, SuiteResult } from '../suite.ts';
import type { Adapter } from './adapter.ts';
import { clientNodeAdapter } from './client-node-adapter.ts';
import { isPlayable, playOverSockets, playVirtually } from './play.ts';
import { playRandomly } from './random.ts';
import { runtimeAdapter } from './runtime-adapter.ts';
import { scripts, type Script } from './scripts.ts';

interface Played {
  readonly informer: string;
  readonly how: 'virtual' | 'sockets';
  readonly script: string;
  /** Undefined: it passed. */
  readonly wrong: string | undefined;
}

/** Random lives of the informer, each from its seed. */
const randomLives = 10_000;

async function playAll(
  informer: string,
  how: Played['how'],
  play: (script: Script) => Promise<string | undefined>,
): Promise<readonly Played[]> {
  // Over sockets they mostly wait, each for its own server.
  return Promise.all(
    scripts
      .filter((script) => isPlayable(script, how))
      .map(async (script) => {
        const wrong = await play(script).catch((error: unknown) => `it threw ${String(error)}`);
        return { informer, how, script: script.name, wrong };
      }),
  );
}

/** The lives that went wrong, as scripts by the name of their seed. */
async function playLives(): Promise<readonly Played[]> {
  const wrong: Played[] = [];
  for (let seed = 1; seed <= randomLives; seed++) {
    const found = await playRandomly(seed, runtimeAdapter).catch((error: unknown) => `it threw ${String(error)}`);
    if (found !== undefined) {
      wrong.push({ informer: runtimeAdapter.name, how: 'virtual', script: `random life, seed ${seed}`, wrong: found });
    }
  }
  return wrong;
}

/**
 * Plays every fault of a watch to our informer, in virtual time and over sockets, and those over sockets to client-node's, too. Only ours
 * counts: the other's results are printed for comparison.
 */
export async function run({ json, print }: SuiteOptions): Promise<SuiteResult> {
  const rejected: unknown[] = [];
  const note = (error: unknown): void => {
    rejected.push(error);
  };
  process.on('unhandledRejection', note);
  const overSockets = (adapter: Adapter): Promise<readonly Played[]> =>
    playAll(adapter.name, 'sockets', (script) => playOverSockets(script, adapter));
  const ours = [
    ...(await playAll(runtimeAdapter.name, 'virtual', (script) => playVirtually(script, runtimeAdapter))),
    ...(await overSockets(runtimeAdapter)),
  ];
  const lives = await playLives();
  const unhandled = rejected.length;
  const theirs = await overSockets(clientNodeAdapter);
  process.off('unhandledRejection', note);

  for (const played of [...ours, ...lives, ...theirs]) {
    if (json) print(JSON.stringify({ ...played, passed: played.wrong === undefined }));
    else if (played.wrong !== undefined) print(`${played.informer}, ${played.how}: ${played.script}: ${played.wrong}`);
  }
  const passed = ours.filter(({ wrong }) => wrong === undefined).length;
  if (!json) {
    const theirPassed = theirs.filter(({ wrong }) => wrong === undefined).length;
    print(`${scripts.length} scripts; ${runtimeAdapter.name}: ${passed} of ${ours.length} passed`);
    print(`${runtimeAdapter.name}: ${randomLives - lives.length} of ${randomLives} random lives passed`);
    print(`${clientNodeAdapter.name}: ${theirPassed} of ${theirs.length} passed (over sockets)`);
    if (unhandled > 0) print(`${runtimeAdapter.name}: ${unhandled} rejections were not handled`);
  }
  const failed = ours.length - passed + lives.length + (unhandled > 0 ? 1 : 0);
  return { passed: passed + randomLives - lives.length, failed, skipped: 0 };
}
