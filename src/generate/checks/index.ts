import type { Diagnostic, Kind } from '../../model/index.ts';
import { checkBounds } from './bounds.ts';
import { checkDefaults } from './defaults.ts';
import { checkDefinition, type KubernetesVersion } from './definition.ts';
import { checkPaths } from './paths.ts';
import { checkSize } from './size.ts';
import { checkText } from './text.ts';

export type { KubernetesVersion } from './definition.ts';

/** What is wrong with kinds whose declarations could be read: what the API server would refuse, and what can never be right. */
export function checkKinds(kinds: readonly Kind[], kubernetesVersion: KubernetesVersion): Diagnostic[] {
  return kinds.flatMap((kind) => [
    ...kind.versions.flatMap((version) => [...checkBounds(version), ...checkPaths(version), ...checkDefaults(version)]),
    ...checkDefinition(kind, kubernetesVersion),
    ...checkText(kind),
    ...checkSize(kind),
  ]);
}
