import { run } from '../../../tools/repository.ts';
import { cannotBuild } from './programs.ts';

/**
 * The folder of a Go module's source in the module cache, where it is downloaded to when it is not there yet; or why it cannot be had:
 * there is no Go, or the module does not come.
 */
export async function findGoModule(name: string, version: string): Promise<string | { readonly reason: string }> {
  const reason = await cannotBuild();
  if (reason !== undefined) return { reason };
  // Go's own answer names the folder; without network a module in the cache is enough.
  const { code, stdout, stderr } = await run('go', ['mod', 'download', '-json', `${name}@${version}`]);
  const answer = code === 0 ? (JSON.parse(stdout) as { readonly Dir?: string; readonly Error?: string }) : {};
  if (answer.Dir !== undefined) return answer.Dir;
  const told = answer.Error ?? (stderr.trim() || stdout.trim());
  return { reason: `Go cannot download ${name}@${version}: ${told.split('\n')[0] ?? ''}` };
}
