import { at, list, member, numeric, text, type Json, type JsonObject } from '../json.ts';
import { age } from './age.ts';

/** The cells behind a pod's name: what `kubectl get pods` makes of its phase and its containers. */
export function podCells(pod: JsonObject, now: number): readonly Json[] {
  const statuses = list(pod, 'status', 'containerStatuses');
  const total = list(pod, 'spec', 'containers').length;
  const ready = statuses.filter(
    (status) => member(status, 'ready') === true && at(status, 'state', 'running') !== undefined,
  ).length;
  const restarts = statuses.reduce<number>((sum, status) => sum + (numeric(member(status, 'restartCount')) ?? 0), 0);
  const gates = list(pod, 'spec', 'readinessGates');
  const passed = gates.filter((gate) =>
    list(pod, 'status', 'conditions').some(
      (condition) => text(condition, 'type') === text(gate, 'conditionType') && text(condition, 'status') === 'True',
    ),
  );
  return [
    `${ready}/${total}`,
    reason(pod, statuses),
    String(restarts),
    age(text(pod, 'metadata', 'creationTimestamp'), now),
    text(pod, 'status', 'podIP') || '<none>',
    text(pod, 'spec', 'nodeName') || '<none>',
    text(pod, 'status', 'nominatedNodeName') || '<none>',
    gates.length === 0 ? '<none>' : `${passed.length}/${gates.length}`,
  ];
}

function reason(pod: JsonObject, statuses: readonly Json[]): string {
  const phase = text(pod, 'status', 'phase');
  let result = text(pod, 'status', 'reason') || phase;
  for (let index = statuses.length - 1; index >= 0; index--) {
    const state = at(statuses[index], 'state');
    const waiting = text(state, 'waiting', 'reason');
    const terminated = text(state, 'terminated', 'reason');
    if (waiting !== '') result = waiting;
    else if (terminated !== '') result = terminated;
    else if (at(state, 'terminated') !== undefined)
      result = `ExitCode:${numeric(at(state, 'terminated', 'exitCode')) ?? 0}`;
  }
  if (text(pod, 'metadata', 'deletionTimestamp') === '') return result;
  if (text(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? result : 'Terminating';
}
