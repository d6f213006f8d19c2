// Helm, which renders the scaffold's chart: where it is, and how it is built where it is not.
// usage: node test/scaffold/helm.ts  builds it into the user's cache folder and prints its path; exits 2, with the reason, where it cannot
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { main, run } from '../../tools/repository.ts';

const version = 'v3.22.0';

function folder(): string {
  const caches = process.env['XDG_CACHE_HOME'];
  const base = caches === undefined || caches === '' ? join(homedir(), '.cache') : caches;
  return join(base, 'create-operator', 'helm', version);
}

/** The path of Helm: the one that was built, or the one in PATH; undefined when it is nowhere. */
export async function findHelm(): Promise<string | undefined> {
  const built = join(folder(), 'helm');
  if (existsSync(built)) return built;
  return (await exitCode('helm', ['version'])) === 0 ? 'helm' : undefined;
}

/** The exit code of a program; one that is not there, or that takes more than five minutes, has failed. */
async function exitCode(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  try {
    return (await run(command, args, { env, signal: AbortSignal.timeout(300_000) })).code;
  } catch {
    return 127;
  }
}

if (import.meta.main) {
  await main(async () => {
    const found = await findHelm();
    if (found !== undefined) {
      console.log(found);
      return 0;
    }
    const code = await exitCode('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
      CGO_ENABLED: '0',
      GOFLAGS: '-mod=mod',
      GOBIN: folder(),
    });
    if (code === 0) {
      console.log(join(folder(), 'helm'));
      return 0;
    }
    console.error(`Helm ${version} could not be built: it needs Go, and its module proxy`);
    return 2;
  });
}
