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
  const { major, minor } = kubernetesVersion;
  return kinds.flatMap((kind) => {
    const clean = cleanKinds.get(kind) ?? new Set();
    const version = `${major}.${minor}`;
    if (clean.has(version)) return [];
    const found = checkKind(kind, kubernetesVersion);
    if (found.length === 0) cleanKinds.set(kind, clean.add(version));
    return found;
  });
}

/** Kinds of which there was nothing to say for some versions of Kubernetes: while sources are watched, most stay as they are. */
const cleanKinds = new WeakMap<Kind, Set<string>>();

function checkKind(kind: Kind, kubernetesVersion: KubernetesVersion): Diagnostic[] {
  return [
    ...kind.versions.flatMap((version) => [...checkBounds(version), ...checkPaths(version), ...checkDefaults(version)]),
    ...checkDefinition(kind, kubernetesVersion),
    ...checkText(kind),
    ...checkSize(kind),
  ];
}
