import { readDocument } from '../handlers/documents.ts';
import { sendObject, type Exchange } from '../http/exchange.ts';
import { writeOptions } from '../handlers/write-options.ts';
import { child, fromPlain, isObject, list, numeric, object, text, texts, type JsonObject } from '../json.ts';
import { admissionRequest, admit, validate } from '../objects/admission.ts';
import { deleteObject, deleteOptionsOf } from '../objects/deletion.ts';
import { isTerminating } from '../objects/metadata.ts';
import { copyOf, timestamp, type Operations } from '../objects/operations.ts';
import type { WriteOptions } from '../objects/write-options.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import { ApiError, badRequest } from '../status.ts';
import { keyOf } from '../storage/store.ts';

export interface EvictionParts {
  readonly operations: Operations;
  readonly registry: ResourceRegistry;
  /** Notes what the server itself writes of a status. */
  readonly record: (resource: Resource) => Pick<WriteOptions, 'manageFields'>;
}

const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };
/** More evictions than this may not wait for the controller of budgets. */
const mostDisrupted = 2000;

/**
 * Deletes a pod as its eviction asks, unless a PodDisruptionBudget is against it.
 *
 * @throws ApiError 429 where a budget does not allow it now
 */
export async function evictPod(parts: EvictionParts, exchange: Exchange, pods: Resource): Promise<void> {
  const { operations } = parts;
  const { namespace, name } = exchange.info;
  const key = { namespace, name };
  const pod = await operations.get(pods, key);
  const { document } = await readDocument(exchange, 'Eviction', true);
  const given = writeOptions(exchange, 'CreateOptions');
  const eviction = copyOf(isObject(document) ? document : undefined);
  if (text(eviction, 'metadata', 'name') !== name)
    throw badRequest('name in URL does not match name in Eviction object');
  const deletion = deleteOptionsOf(object(eviction, 'deleteOptions'), []);
  const dryRun = given.dryRun || texts(eviction, 'deleteOptions', 'dryRun').length > 0;
  const options = { ...given, dryRun };
  const request = admissionRequest(
    {
      operation: 'CREATE',
      resource: pods,
      subresource: 'eviction',
      kind: evictionKind,
      namespace,
      name,
      object: eviction,
    },
    options,
  );
  await admit(operations.plugins, request);
  await validate(operations.plugins, request);
  if (isGuarded(pod)) await askBudgets(parts, pod, dryRun, options);
  if (!dryRun) await noteEviction(operations, pods, pod, options);
  // What the pod was at when it was asked for: the note made another version of it.
  const { resourceVersion, ...rest } = deletion;
  if (resourceVersion !== undefined && resourceVersion !== text(pod, 'metadata', 'resourceVersion'))
    await deleteObject(operations, pods, key, deletion, options);
  else await deleteObject(operations, pods, key, rest, options);
  const answer = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  sendObject(exchange, 201, fromPlain(answer));
}

/** Budgets are about pods that run. */
function isGuarded(pod: JsonObject): boolean {
  return !['Succeeded', 'Failed', 'Pending'].includes(text(pod, 'status', 'phase')) && !isTerminating(pod);
}

async function askBudgets(
  parts: EvictionParts,
  pod: JsonObject,
  dryRun: boolean,
  options: WriteOptions,
): Promise<void> {
  const resource = parts.registry.find('policy', 'v1', 'poddisruptionbudgets');
  if (resource === undefined) return;
  const budgets = parts.operations.store
    .collection(resource.storage)
    .list(text(pod, 'metadata', 'namespace'))
    .filter((budget) => {
      const selector = object(budget, 'spec')['selector'];
      return selector !== undefined && labelSelectorOf(selector).matches(labelsOf(pod));
    });
  if (budgets.length > 1)
    throw new ApiError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = budgets;
  if (budget === undefined || mayGoUnready(pod, budget)) return;
  checkBudget(budget);
  if (dryRun) return;
  const now = timestamp(parts.operations.sources.now());
  await parts.operations.update(
    resource,
    keyOf(budget),
    'status',
    (old) => {
      const draft = copyOf(old);
      const status = child(draft, 'status');
      const allowed = (numeric(status['disruptionsAllowed']) ?? 0) - 1;
      status['disruptionsAllowed'] = allowed;
      child(status, 'disruptedPods')[text(pod, 'metadata', 'name')] = now;
      if (allowed === 0) status['conditions'] = withoutDisruptions(draft, now);
      return draft;
    },
    { ...options, ...parts.record(resource), retry: true },
  );
}

/** A pod that is not ready disrupts nothing where enough others are, or where its budget says so. */
function mayGoUnready(pod: JsonObject, budget: JsonObject): boolean {
  const ready = list(pod, 'status', 'conditions').find((condition) => text(condition, 'type') === 'Ready');
  if (text(ready, 'status') === 'True') return false;
  if (text(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = statusOf(budget, 'desiredHealthy');
  return desired > 0 && statusOf(budget, 'currentHealthy') >= desired;
}

function statusOf(budget: JsonObject, field: string): number {
  return numeric(object(budget, 'status')[field]) ?? 0;
}

/** @throws ApiError 429 or 403 when the budget allows no eviction now */
function checkBudget(budget: JsonObject): void {
  const name = text(budget, 'metadata', 'name');
  const refuse = (message: string, retryAfterSeconds?: number): ApiError =>
    new ApiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message, field: '' }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  const forbid = (problem: string, why: string): ApiError =>
    new ApiError(403, 'Forbidden', `poddisruptionbudget.policy "${name}" is forbidden: ${problem}`, {
      name,
      group: 'policy',
      kind: 'poddisruptionbudget',
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${name} does not allow evicting pods currently: ${why}`,
          field: '',
        },
      ],
    });
  if (statusOf(budget, 'observedGeneration') < (numeric(object(budget, 'metadata')['generation']) ?? 0))
    throw refuse(`The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = statusOf(budget, 'disruptionsAllowed');
  if (allowed < 0) throw forbid('pdb disruptions allowed is negative', 'pdb disruptions allowed is negative');
  if (Object.keys(object(budget, 'status', 'disruptedPods')).length > mostDisrupted)
    throw forbid(
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      'too many pending evictions not confirmed by PDB controller',
    );
  if (allowed > 0) return;
  const [desired, current] = [statusOf(budget, 'desiredHealthy'), statusOf(budget, 'currentHealthy')];
  const condition = list(budget, 'status', 'conditions').find((known) => text(known, 'type') === 'DisruptionAllowed');
  const why = text(condition, 'status') === 'False' ? text(condition, 'message') : '';
  const reason = text(condition, 'reason');
  const budgetDoesNot = `The disruption budget ${name} does not allow evicting pods currently`;
  if (why !== '' && reason === 'SyncFailed') throw refuse(`${budgetDoesNot} because it failed sync: ${why}`);
  if (current <= desired)
    throw refuse(`The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`);
  throw refuse(why === '' ? budgetDoesNot : `${budgetDoesNot} (${reason}): ${why}`);
}

/** The conditions of a budget that allows no more disruptions. */
function withoutDisruptions(budget: JsonObject, now: string) {
  const conditions = list(budget, 'status', 'conditions');
  const made = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: statusOf(budget, 'observedGeneration'),
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  const known = conditions.find((condition) => text(condition, 'type') === made.type);
  return known === undefined
    ? [...conditions, fromPlain(made)]
    : conditions.map((condition) => (condition === known ? fromPlain(made) : condition));
}

/** Evicted pods say so in a condition. */
async function noteEviction(
  operations: Operations,
  pods: Resource,
  pod: JsonObject,
  options: WriteOptions,
): Promise<void> {
  const now = timestamp(operations.sources.now());
  const condition = fromPlain({
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  });
  await operations.update(
    pods,
    keyOf(pod),
    'status',
    (old) => {
      const draft = copyOf(old);
      const known = list(draft, 'status', 'conditions');
      if (known.some((found) => text(found, 'type') === 'DisruptionTarget' && text(found, 'status') === 'True'))
        return draft;
      child(draft, 'status')['conditions'] = [
        ...known.filter((found) => text(found, 'type') !== 'DisruptionTarget'),
        condition,
      ];
      return draft;
    },
    { ...options, retry: true },
  );
}
