import type { KubernetesObject, Status } from '../apis/meta/v1.ts';
import { apiError, UnexpectedAnswerError, type ApiError, type RequestInfo } from '../client/errors.ts';
import { isRecord } from '../client/json.ts';

/** One line of a watch. */
export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: KubernetesObject;
      readonly resourceVersion: string;
    }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** All initial events of a streaming list were sent. */
      readonly endsInitialEvents: boolean;
    }
  | { readonly type: 'ERROR'; readonly error: ApiError }
  /** Of a type, or with an object, that is not expected here. */
  | { readonly type: 'UNKNOWN'; readonly what: string };

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Reads a line of a watch on objects of `expected`; with `partial` they come as `PartialObjectMetadata` and get the expected type. What
 * is no event at all throws.
 */
export function parseWatchEvent(
  line: string,
  expected: { readonly apiVersion: string; readonly kind: string },
  request: RequestInfo,
  partial = false,
): WatchEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (!isRecord(value) || typeof value['type'] !== 'string' || !isRecord(value['object'])) {
    throw new UnexpectedAnswerError(`watch ${request.path}: a line is no watch event`, request);
  }
  const { type, object } = value as { type: string; object: Record<string, unknown> };
  if (type === 'ERROR') return { type, error: errorOf(object, request) };
  const { apiVersion, kind, metadata } = object;
  const resourceVersion = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof resourceVersion !== 'string' || resourceVersion === '') {
    return { type: 'UNKNOWN', what: `${type} without resourceVersion` };
  }
  if (type === 'BOOKMARK') {
    const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
    const endsInitialEvents = isRecord(annotations) && annotations[initialEventsEnd] === 'true';
    return { type, resourceVersion, endsInitialEvents };
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return { type: 'UNKNOWN', what: type };
  const isExpected = partial
    ? kind === 'PartialObjectMetadata'
    : apiVersion === expected.apiVersion && kind === expected.kind;
  if (!isExpected || !isKubernetesObject(object)) {
    return { type: 'UNKNOWN', what: `${type} of ${String(apiVersion)} ${String(kind)}` };
  }
  const typed = partial ? { ...object, apiVersion: expected.apiVersion, kind: expected.kind } : object;
  return { type, object: typed as unknown as KubernetesObject, resourceVersion };
}

/** Whether a value is an object with a name, as all that are cached. */
export function isKubernetesObject(
  value: unknown,
): value is Partial<KubernetesObject> & Pick<KubernetesObject, 'metadata'> {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  return typeof value['metadata']['name'] === 'string';
}

function errorOf(object: Record<string, unknown>, request: RequestInfo): ApiError {
  const status = object as Status;
  const code = typeof status.code === 'number' ? status.code : 500;
  const seconds = status.details?.retryAfterSeconds;
  return apiError(code, status, request, typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined);
}
