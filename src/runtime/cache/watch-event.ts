import type { KubernetesObject, Status } from '../apis/meta/v1.ts';
import { apiError, UnexpectedAnswerError, type ApiError, type RequestInfo } from '../client/errors.ts';
import { isRecord } from '../client/json.ts';
import { isKubernetesObject } from './list-watch.ts';

/** One line of a watch. */
export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: KubernetesObject;
      readonly resourceVersion: string;
    }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  | { readonly type: 'ERROR'; readonly error: ApiError }
  /** Of a type, or with an object, that is not expected here. */
  | { readonly type: 'UNKNOWN'; readonly what: string };

/** Reads a line of a watch on objects of `expected`. What is no event at all throws. */
export function parseWatchEvent(
  line: string,
  expected: { readonly apiVersion: string; readonly kind: string },
  request: RequestInfo,
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
  if (type === 'BOOKMARK') return { type, resourceVersion };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return { type: 'UNKNOWN', what: type };
  if (apiVersion !== expected.apiVersion || kind !== expected.kind || !isKubernetesObject(object)) {
    return { type: 'UNKNOWN', what: `${type} of ${String(apiVersion)} ${String(kind)}` };
  }
  return { type, object: object as unknown as KubernetesObject, resourceVersion };
}

function errorOf(object: Record<string, unknown>, request: RequestInfo): ApiError {
  const status = object as Status;
  const code = typeof status.code === 'number' ? status.code : 500;
  const seconds = status.details?.retryAfterSeconds;
  return apiError(code, status, request, typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined);
}
