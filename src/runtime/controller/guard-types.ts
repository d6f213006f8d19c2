/** The guards, by name. */
export const guardNames = [
  /** Writes that change an object on every run, which wakes the controller again. */
  'selfTriggeredLoop',
  /** Another writer undoes what this controller writes, and the other way round. */
  'fieldConflict',
  /** Writes that change nothing. Server-side apply is left out: it is meant to be repeated. */
  'noOpWrite',
  /** Objects with generated names are created again and again, since those of earlier runs are not found again. */
  'generatedName',
  /** Writes that conflict since the object was read before this controller's own last write to it was seen. */
  'staleRead',
  /** A reconcile goes on long after its signal was aborted. */
  'ignoredAbort',
] as const;

export type GuardName = (typeof guardNames)[number];

/** Guards that are switched off (`false`); all are on by default. */
export type GuardOptions = Readonly<Partial<Record<GuardName, boolean>>>;

/** Why a guard tripped. */
export interface GuardTrip {
  readonly guard: GuardName;
  /** What was written to, or reconciled: `Widget ns/name`. Absent for a controller without a kind of its own. */
  readonly object?: string;
  /** The fields in question, as JSON pointers. */
  readonly fields: readonly string[];
  readonly remedy: string;
}

export const remedies: Readonly<Record<GuardName, string>> = {
  selfTriggeredLoop:
    'write only what differs: keep time stamps and counters out of the status, use setCondition, and watch with moreThanStatusChanged',
  fieldConflict: 'leave the field to one of the writers: apply only the fields that this controller owns',
  noOpWrite: 'compare before writing: update() and updateStatus() with a draft send nothing when nothing changes',
  generatedName:
    "name the object after its owner, so that the next run, or the next process, finds it: not 'generateName'",
  staleRead: 'go on with the object that the write returned, or read it again; do not keep objects between runs',
  ignoredAbort: 'pass context.signal to whatever waits, and stop when it is aborted',
};
