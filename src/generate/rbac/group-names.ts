import { editDistance } from '../../markers/suggestion.ts';
import { builtInResources } from './built-in-resources.ts';

/** A group that is meant where one is written that nobody knows. */
export interface MeantGroup {
  readonly group: string;
  /** Whether it is one of Kubernetes' own: then nothing else can be meant. Another project's group may well be like one's own. */
  readonly certain: boolean;
}

/**
 * The group that a misspelt one stands for: `app` for `apps`, `networking` for `networking.k8s.io`. Undefined for groups that are known, and
 * for those that resemble none: they belong to others.
 */
export function meantGroup(group: string, known: Iterable<string>): MeantGroup | undefined {
  const candidates = [...new Set(known)].filter((each) => each !== '');
  if (group === '' || group === '*' || candidates.includes(group)) return undefined;
  const builtIn = candidates.filter((each) => Object.hasOwn(builtInResources, each));
  // `rbac` for `rbac.authorization.k8s.io`
  const whole = builtIn.find((each) => each.endsWith('.k8s.io') && each.split('.')[0] === group);
  if (!group.includes('.') && whole !== undefined) return { group: whole, certain: true };
  const near = nearestGroup(group, builtIn);
  if (near !== undefined) return { group: near, certain: true };
  const own = nearestGroup(
    group,
    candidates.filter((each) => !builtIn.includes(each)),
  );
  return own === undefined ? undefined : { group: own, certain: false };
}

/** One letter off, in longer names two. */
function nearestGroup(group: string, candidates: readonly string[]): string | undefined {
  const limit = group.length < 8 ? 1 : 2;
  const distances = candidates
    .map((each) => ({ each, distance: editDistance(group.toLowerCase(), each, limit + 1) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return distances[0]?.each;
}
