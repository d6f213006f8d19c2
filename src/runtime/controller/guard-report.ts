import type { KubernetesObject } from '../apis/meta/v1.ts';
import type { Cached } from '../client/cached.ts';
import type { Client } from '../client/types.ts';
import type { EventRecorder } from '../events/event.ts';
import type { Logger } from '../environment/logger.ts';
import { managersOf } from './field-managers.ts';
import type { GuardTrip } from './guard-types.ts';
import type { Write } from './guard-patterns.ts';
import type { Request } from './reconcile.ts';

export interface GuardReport {
  readonly client: Client;
  readonly log: Logger;
  readonly events: EventRecorder;
  /** The object of the request, for the event; without it there is none. */
  readonly object: Cached<KubernetesObject> | undefined;
}

const patterns: Readonly<Record<GuardTrip['guard'], string>> = {
  selfTriggeredLoop: 'each run writes to the object, which causes the next run',
  fieldConflict: 'another writer changes the object back each time',
  noOpWrite: 'writes to the object change nothing',
  generatedName: 'objects with generated names are created again and again',
  staleRead: 'writes conflict since they are based on a version older than the last own write',
  ignoredAbort: 'the reconcile goes on long after its signal was aborted',
};

/**
 * Tells people of a trip, in the log and by one event. For two writers of one field it reads the object live once, to name them; their
 * names are missing when that fails. Never rejects.
 */
export async function reportTrip(
  request: Request,
  trip: GuardTrip,
  write: Write | undefined,
  report: GuardReport,
): Promise<void> {
  const { guard, object, fields, remedy } = trip;
  const managers = guard === 'fieldConflict' ? await writersOf(write, fields, report) : [];
  report.log.warn('A guard tripped', {
    ...request,
    guard,
    pattern: patterns[guard],
    ...(object === undefined ? {} : { object }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(managers.length === 0 ? {} : { managers }),
    remedy,
  });
  if (report.object !== undefined) {
    const details = [
      object === undefined ? '' : ` (${[object, ...fields].join(' ')})`,
      managers.length === 0 ? '' : `; written by ${managers.join(', ')}`,
    ];
    report.events.event(report.object, {
      type: 'Warning',
      reason: 'GuardTripped',
      action: 'Reconcile',
      note: `${guard}: ${patterns[guard]}${details.join('')}; ${remedy}`,
    });
  }
}

async function writersOf(
  write: Write | undefined,
  fields: readonly string[],
  { client, log }: GuardReport,
): Promise<readonly string[]> {
  if (write?.of === undefined) {
    return [];
  }
  const { namespace = '', name = '' } = write.after.metadata;
  try {
    const live = await client.live.get(write.of, { namespace, name });
    return live === undefined ? [] : managersOf(live, fields);
  } catch (error) {
    log.debug('The writers of a field could not be read', { error });
    return [];
  }
}
