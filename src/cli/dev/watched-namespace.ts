import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOperatorMembers } from '../../project/operator-file.ts';
import type { Io } from '../io.ts';

/** What to add to the environment of an operator of single namespaces: it watches its own, as its Deployment says, unless others are named. */
export function watchedNamespace(root: string, environment: Io['environment']): { readonly WATCH_NAMESPACE?: string } {
  const { namespaced, projectName } = readOperatorMembers(readFileSync(join(root, 'operator.json'), 'utf8'));
  const isNamed = (environment['WATCH_NAMESPACE'] ?? '') !== '';
  if (namespaced !== true || projectName === undefined || isNamed) return {};
  return { WATCH_NAMESPACE: `${projectName}-system` };
}
