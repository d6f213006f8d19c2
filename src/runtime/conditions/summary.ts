import type { Condition } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { findCondition } from './conditions.ts';
import type { NewCondition } from './conditions.ts';

/**
 * One condition that says how several are together, for `setCondition`: `True` when all of these types are, `False` when one is, and
 * `Unknown` otherwise (one is missing or `Unknown`). Its reason is the one of the first condition that decides; its message names each
 * condition that is not `True`. It has the oldest `observedGeneration` of them, so that it never promises what one has not looked at.
 *
 * ```ts
 * setCondition(conditions, summarizeConditions(conditions, 'Ready', ['NetworkReady', 'DiskReady']));
 * ```
 */
export function summarizeConditions(
  conditions: readonly Cached<Condition>[] | undefined,
  type: string,
  of: readonly string[],
): NewCondition {
  const all = of.map((name) => ({ name, condition: findCondition(conditions, name) }));
  const failed = all.filter(({ condition }) => condition?.status === 'False');
  const unknown = all.filter(({ condition }) => condition?.status !== 'True' && condition?.status !== 'False');
  const first = failed[0] ?? unknown[0];
  const generations = all.flatMap(({ condition }) => condition?.observedGeneration ?? []);
  return {
    type,
    status: failed.length > 0 ? 'False' : unknown.length > 0 ? 'Unknown' : 'True',
    reason: first === undefined ? type : (first.condition?.reason ?? 'Pending'),
    message: [...failed, ...unknown]
      .map(({ name, condition }) => `${name}: ${condition?.message ?? 'not known yet'}`)
      .join('; '),
    ...(generations.length === 0 ? {} : { observedGeneration: Math.min(...generations) }),
  };
}
