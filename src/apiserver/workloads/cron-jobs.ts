import { at, fromPlain, list, numeric, object, text, type Json, type JsonObject } from '../json.ts';
import { ApiError } from '../status.ts';
import {
  controllerOf,
  isConditionTrue,
  isTerminating,
  kinds,
  nameOf,
  namespaceOf,
  numberAt,
  ownerReference,
  uidOf,
  type Cluster,
} from './cluster.ts';
import { recordEvent } from './events.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

/** More missed times than this are worth a warning. */
const many = 100;

/** Starts the jobs of a CronJob when they are due, and forgets old ones; gives the milliseconds until the next is due. */
export async function reconcileCronJob(cluster: Cluster, found: JsonObject): Promise<number | undefined> {
  const jobs = cluster
    .list(kinds.jobs, namespaceOf(found))
    .filter((job) => text(controllerOf(job), 'uid') === uidOf(found));
  const status = await observe(cluster, found, jobs);
  let wait: number | undefined;
  if (!isTerminating(found)) {
    await forget(cluster, found, jobs);
    if (object(found, 'spec')['suspend'] !== true) wait = await start(cluster, found, status);
  }
  await cluster.updateStatus(kinds.cronJobs, found, {
    active: status.active.length === 0 ? undefined : status.active,
    lastScheduleTime: status.lastScheduleTime,
    lastSuccessfulTime: status.lastSuccessfulTime,
  });
  return wait;
}

interface Status {
  active: readonly Json[];
  lastScheduleTime: Json | undefined;
  lastSuccessfulTime: Json | undefined;
}

/** Strikes jobs that are through, or gone, off the list of those that run. */
async function observe(cluster: Cluster, found: JsonObject, jobs: readonly JsonObject[]): Promise<Status> {
  const status: Status = {
    active: list(found, 'status', 'active'),
    lastScheduleTime: at(found, 'status', 'lastScheduleTime'),
    lastSuccessfulTime: at(found, 'status', 'lastSuccessfulTime'),
  };
  const strike = async (uid: string, reason: string, message: string): Promise<void> => {
    status.active = status.active.filter((known) => text(known, 'uid') !== uid);
    await tell(cluster, found, 'Normal', reason, message);
  };
  for (const job of jobs) {
    const end = endOf(job);
    if (end === undefined) continue;
    if (status.active.some((known) => text(known, 'uid') === uidOf(job)))
      await strike(uidOf(job), 'SawCompletedJob', `Saw completed job: ${nameOf(job)}, condition: ${end}`);
    const completed = text(job, 'status', 'completionTime');
    const last = typeof status.lastSuccessfulTime === 'string' ? status.lastSuccessfulTime : '';
    if (end === 'Complete' && completed > last) status.lastSuccessfulTime = completed;
  }
  const there = new Set(jobs.map(uidOf));
  for (const known of status.active)
    if (!there.has(text(known, 'uid')))
      await strike(text(known, 'uid'), 'MissingJob', `Active job went missing: ${text(known, 'name')}`);
  return status;
}

/** How a job has ended; nothing while it runs. */
function endOf(job: JsonObject): 'Complete' | 'Failed' | undefined {
  if (isConditionTrue(job, 'Complete')) return 'Complete';
  return isConditionTrue(job, 'Failed') ? 'Failed' : undefined;
}

/** Deletes the oldest of the jobs that are through, beyond the history that is kept. */
async function forget(cluster: Cluster, found: JsonObject, jobs: readonly JsonObject[]): Promise<void> {
  for (const [end, limit] of [
    ['Complete', numberAt(found, 3, 'spec', 'successfulJobsHistoryLimit')],
    ['Failed', numberAt(found, 1, 'spec', 'failedJobsHistoryLimit')],
  ] as const) {
    const ended = jobs
      .filter((job) => endOf(job) === end && !isTerminating(job))
      .sort((left, right) => (started(left) < started(right) ? -1 : Number(started(left) > started(right))));
    for (const job of ended.slice(0, Math.max(0, ended.length - limit))) {
      await cluster.delete(kinds.jobs, job);
      await tell(cluster, found, 'Normal', 'SuccessfulDelete', `Deleted job ${nameOf(job)}`);
    }
  }
}

function started(job: JsonObject): string {
  return `${text(job, 'status', 'startTime')} ${nameOf(job)}`;
}

/** Starts the job that is due, if one is; gives the milliseconds until the next. */
async function start(cluster: Cluster, found: JsonObject, status: Status): Promise<number | undefined> {
  const source = text(found, 'spec', 'schedule');
  const schedule = parseSchedule(source, text(found, 'spec', 'timeZone') || undefined);
  const now = cluster.now;
  const last = Date.parse(
    typeof status.lastScheduleTime === 'string'
      ? status.lastScheduleTime
      : text(found, 'metadata', 'creationTimestamp'),
  );
  const deadline = numeric(at(found, 'spec', 'startingDeadlineSeconds'));
  const earliest = deadline === undefined ? last : Math.max(last, now - deadline * 1000);
  if (schedule.next(earliest) === undefined) {
    const why = 'time difference between two schedules is less than 1 second';
    await tell(cluster, found, 'Warning', 'InvalidSchedule', `invalid schedule: ${source} : ${why}`);
    return undefined;
  }
  const { time, missed } = due(schedule, earliest, now);
  const next = schedule.next(now);
  const wait = next === undefined ? undefined : next - now;
  if (time === undefined) return wait;
  if (missed > many) {
    const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
    await tell(cluster, found, 'Warning', 'TooManyMissedTimes', `too many missed start times. ${advice}`);
  }
  const policy = text(found, 'spec', 'concurrencyPolicy');
  if (policy === 'Forbid' && status.active.length > 0) {
    const why = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    await tell(cluster, found, 'Normal', 'JobAlreadyActive', why);
    return wait;
  }
  if (policy === 'Replace') {
    for (const known of status.active) {
      const job = cluster.get(kinds.jobs, { namespace: namespaceOf(found), name: text(known, 'name') });
      if (job === undefined) continue;
      await cluster.delete(kinds.jobs, job);
      await tell(cluster, found, 'Normal', 'SuccessfulDelete', `Deleted job ${nameOf(job)}`);
    }
    status.active = [];
  }
  const job = await create(cluster, found, time);
  if (job === undefined) return wait;
  const { kind, apiVersion } = job;
  const { name, namespace, uid, resourceVersion } = object(job, 'metadata');
  status.active = [...status.active, fromPlain({ kind, namespace, name, uid, apiVersion, resourceVersion })];
  status.lastScheduleTime = rfc3339(time);
  return wait;
}

/** The latest time that is due, and how many were missed before it, by the distance of the first two. */
function due(schedule: Schedule, earliest: number, now: number): { readonly time?: number; readonly missed: number } {
  const first = schedule.next(earliest);
  if (first === undefined || first > now) return { missed: 0 };
  const second = schedule.next(first);
  if (second === undefined || second > now) return { time: first, missed: 0 };
  const distance = second - first;
  const missed = Math.floor((now - first) / distance) + 1;
  let time: number | undefined;
  const guess = first + (missed - 2) * distance;
  for (let next = schedule.next(guess); next !== undefined && next <= now; next = schedule.next(next)) time = next;
  return time === undefined ? { missed } : { time, missed };
}

/** The job of a time: its name tells which, so that none is made twice. Nothing when somebody else's job has the name. */
async function create(cluster: Cluster, found: JsonObject, time: number): Promise<JsonObject | undefined> {
  const template = object(found, 'spec', 'jobTemplate');
  const scheduled = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': zoned(time, text(found, 'spec', 'timeZone')) };
  const name = `${nameOf(found)}-${Math.floor(time / 60_000)}`;
  const before = cluster.get(kinds.jobs, { namespace: namespaceOf(found), name });
  let job: JsonObject;
  try {
    job = await cluster.create(kinds.jobs, namespaceOf(found), {
      metadata: {
        name,
        labels: object(template, 'metadata', 'labels'),
        annotations: { ...object(template, 'metadata', 'annotations'), ...scheduled },
        ownerReferences: [ownerReference(found)],
      },
      spec: object(template, 'spec'),
    });
  } catch (error) {
    if (error instanceof ApiError)
      await tell(cluster, found, 'Warning', 'FailedCreate', `Error creating job: ${error.message}`);
    throw error;
  }
  if (text(controllerOf(job), 'uid') !== uidOf(found)) return undefined;
  if (before === undefined) await tell(cluster, found, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
  return job;
}

function rfc3339(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** A time as clocks of a zone show it, with how far they are from UTC. */
function zoned(time: number, timeZone: string): string {
  if (timeZone === '' || timeZone === 'UTC') return rfc3339(time);
  const zone = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(time);
  const offset = zone.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '') ?? '';
  if (offset === '') return rfc3339(time);
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const ahead = (hours * 60 + minutes) * 60_000 * (offset.startsWith('-') ? -1 : 1);
  return `${rfc3339(time + ahead).slice(0, -1)}${offset}`;
}

async function tell(
  cluster: Cluster,
  found: JsonObject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Promise<void> {
  await recordEvent(cluster, found, { type, reason, message, component: 'cronjob-controller' });
}
