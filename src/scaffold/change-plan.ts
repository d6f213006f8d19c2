import { isGenerated } from '../model/index.ts';
import { sameButLayout } from './layout/layout.ts';
import { mergeFile } from './merge.ts';
import { type ConflictLabels, hasConflictMarkers } from './merge-text.ts';

/** The files of a scaffold by their paths, relative to the project's root and with `/`. */
export type FileTree = ReadonlyMap<string, string>;

/** Something that is done to one file of a project. */
export interface FileChange {
  readonly path: string;
  /** `merge` keeps what the user changed, `overwrite` and `delete` of a changed file do not. */
  readonly action: 'create' | 'update' | 'merge' | 'overwrite' | 'delete';
  /** The whole new text; `undefined` for `delete`. */
  readonly content: string | undefined;
  /** The path under which the file stood until now. */
  readonly from?: string;
}

/** A file that is not as it has to be, and why. */
export interface FileNote {
  readonly path: string;
  readonly reason: string;
}

export interface ChangePlan {
  /** In the order of paths. */
  readonly changes: readonly FileChange[];
  /** Files that stay as the user left them. */
  readonly kept: readonly FileNote[];
  /** What nobody but the user can decide: with `refuse` nothing may be written then, with `merge` the texts carry conflict markers. */
  readonly conflicts: readonly FileNote[];
}

export interface ChangeInput {
  /** What the scaffold made of the project until now. */
  readonly before: FileTree;
  /** What it makes of it from now on. */
  readonly after: FileTree;
  /** The text of a file of the project, `undefined` where there is none. */
  readonly read: (path: string) => string | undefined;
  /** Files that get another path: old to new. */
  readonly moves?: ReadonlyMap<string, string>;
  /**
   * What happens where the user and the scaffold contradict each other: it is refused; the scaffold wins; or both stand in the file
   * between conflict markers.
   */
  readonly policy: 'refuse' | 'force' | 'merge';
  readonly labels: ConflictLabels;
}

/**
 * What has to be done to a project so that the change of its scaffold from `before` to `after` is made in it. Files that are the same in
 * both are not looked at. What the user changed is merged, and what the user deleted stays deleted. A file that was only formatted was
 * not changed.
 */
export function planChanges(input: ChangeInput): ChangePlan {
  const plan: Required<{ -readonly [name in keyof ChangePlan]: ChangePlan[name][number][] }> = {
    changes: [],
    kept: [],
    conflicts: [],
  };
  const sources = new Map([...(input.moves ?? [])].map(([from, to]) => [to, from]));
  for (const path of [...new Set([...input.before.keys(), ...input.after.keys()])].sort()) {
    const after = input.after.get(path);
    const from = sources.get(path);
    // A file that moves is dealt with at the path that it moves to.
    if (after === undefined && input.moves?.has(path) === true) continue;
    const step =
      after === undefined
        ? removal(path, input.before.get(path) ?? '', input)
        : from !== undefined && !input.before.has(path)
          ? move(from, path, after, input)
          : writing(path, input.before.get(path), after, input);
    plan.changes.push(...(step.changes ?? []));
    plan.kept.push(...(step.kept ?? []));
    plan.conflicts.push(...(step.conflicts ?? []));
  }
  return plan;
}

type Step = Partial<ChangePlan>;

function removal(path: string, before: string, { read, policy }: ChangeInput): Step {
  const current = normalized(read(path));
  if (current === undefined) return {};
  const change: FileChange = { path, action: 'delete', content: undefined };
  if (isGenerated(current) || policy === 'force' || sameButLayout(path, before, current)) return { changes: [change] };
  const reason = 'you changed it, and it is no part of the scaffold any more';
  return { conflicts: [{ path, reason }] };
}

function writing(path: string, before: string | undefined, after: string, input: ChangeInput): Step {
  if (before === after) return {};
  const current = normalized(input.read(path));
  const write = (action: FileChange['action'], content = after): Step => ({ changes: [{ path, action, content }] });
  if (current === after) return {};
  if (current === undefined) {
    if (before === undefined || isGenerated(after)) return write('create');
    return { kept: [{ path, reason: 'you deleted it' }] };
  }
  // What is generated is nobody's work.
  if (current === before || (isGenerated(after) && isGenerated(current))) return write('update');
  if (sameButLayout(path, current, after)) return {};
  if (before !== undefined && sameButLayout(path, before, current)) {
    const merged = mergeFile(path, before, current, after, input.labels);
    const isWhole = merged.conflicts === 0 && sameButLayout(path, merged.content, after);
    return write('update', isWhole ? merged.content : after);
  }
  if (input.policy === 'merge' && hasConflictMarkers(current)) {
    return { kept: [{ path, reason: 'unresolved' }], conflicts: [{ path, reason: unresolved }] };
  }
  if (before === undefined) return contradiction(path, '', current, after, 'it exists already', input);
  return contradiction(path, before, current, after, 'you changed the same lines', input);
}

/** What stands in files that an earlier merge has left for the user. */
export const unresolved = 'it still has the conflict markers of an earlier merge';

function contradiction(
  path: string,
  before: string,
  current: string,
  after: string,
  reason: string,
  { policy, labels }: ChangeInput,
): Step {
  if (before !== '') {
    const merged = mergeFile(path, before, current, after, labels);
    if (merged.conflicts === 0) {
      return merged.content === current ? {} : { changes: [{ path, action: 'merge', content: merged.content }] };
    }
  }
  if (policy === 'force') return { changes: [{ path, action: 'overwrite', content: after }] };
  const conflicts = [{ path, reason }];
  if (policy === 'refuse') return { conflicts };
  const { content } = mergeFile(path, before, current, after, labels);
  return { changes: [{ path, action: 'merge', content }], conflicts };
}

/** What the user made of a file goes along to its new path. */
function move(from: string, path: string, after: string, input: ChangeInput): Step {
  const current = normalized(input.read(from));
  if (current === undefined) return { kept: [{ path: from, reason: 'you deleted it' }] };
  const step = writing(path, input.before.get(from), after, {
    ...input,
    read: (name) => (name === path ? current : input.read(name)),
  });
  const inTheWay = normalized(input.read(path));
  if (inTheWay !== undefined && !sameButLayout(path, inTheWay, after) && input.policy !== 'force') {
    return { conflicts: [{ path, reason: 'it exists already' }] };
  }
  if (step.conflicts !== undefined && step.changes === undefined) return step;
  const [change] = step.changes ?? [];
  const action = change?.action === 'merge' || change?.action === 'overwrite' ? change.action : 'create';
  return {
    ...step,
    changes: [
      { path: from, action: 'delete', content: undefined },
      { path, action, content: change?.content ?? current, from },
    ],
  };
}

function normalized(text: string | undefined): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}
