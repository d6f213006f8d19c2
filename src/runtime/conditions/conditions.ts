import type { Condition } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import { defaultEnvironment } from '../environment/default.ts';

/** What a controller says of one aspect; when the status changed last follows from what was there before. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/**
 * The conditions with one of them set (apimachinery's `meta.SetStatusCondition`). Its `lastTransitionTime` stays while its status does,
 * so that saying the same again changes nothing, and writes nothing. The others stay as they are, in their order; what is given is not
 * changed.
 *
 * ```ts
 * draft.status.conditions = setCondition(draft.status.conditions, { type: 'Ready', status: 'True', reason: 'Up', message: '' });
 * ```
 *
 * @param now milliseconds since 1970; default: the real wall clock.
 */
export function setCondition(
  conditions: readonly Cached<Condition>[] | undefined,
  condition: NewCondition,
  now: number = defaultEnvironment().clock.wall(),
): Condition[] {
  const existing = findCondition(conditions, condition.type);
  const unchanged = existing !== undefined && existing.status === condition.status;
  const updated: Condition = {
    ...condition,
    lastTransitionTime: unchanged ? existing.lastTransitionTime : timeOf(now),
  };
  return existing === undefined
    ? [...(conditions ?? []), updated]
    : (conditions ?? []).map((other) => (other === existing ? updated : other));
}

/** The condition of a type; undefined when there is none. */
export function findCondition(
  conditions: readonly Cached<Condition>[] | undefined,
  type: string,
): Cached<Condition> | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of a type is there and `True`. */
export function isConditionTrue(conditions: readonly Cached<Condition>[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** A time stamp as `metav1.Time` is written: whole seconds. */
function timeOf(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}
