import type { Status } from '../apis/meta/v1.ts';

/** The request that failed: never a header, a body or a query, since these may hold secrets. */
export interface RequestInfo {
  /** As RBAC names it: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: Verb;
  /** The URL's path, without address and query. */
  readonly path: string;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The reasons of an API server (`metav1.StatusReason`) that have a meaning of their own here; others are kept as they came. */
export type StatusReason =
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Invalid'
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'RequestEntityTooLarge'
  | 'Gone'
  | 'Expired'
  | 'Timeout'
  | 'ServerTimeout'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Unknown';

/** The reasons of errors that no API server sent. */
export type LocalReason =
  /** The request did not get through, or its answer did not come back whole. */
  | 'ConnectionFailed'
  /** What came back is not what a Kubernetes API server sends. */
  | 'UnexpectedAnswer'
  /** The deadline of the request passed. */
  | 'DeadlineExceeded'
  /** The cache has not yet seen this client's own writes. */
  | 'StaleCache'
  /** The kind is not in the cache. */
  | 'NotCached'
  /** The call cannot be made as it was written. */
  | 'InvalidCall';

/**
 * What every error of the client has. Tell errors apart by `reason`, or by the guards below: they hold also where two copies of this
 * package meet in one program, which `instanceof` does not.
 */
export abstract class ClientError extends Error {
  abstract readonly reason: string;
  /** Absent when no request was made. */
  readonly request?: RequestInfo;

  constructor(message: string, request?: RequestInfo, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    if (request !== undefined) this.request = request;
  }
}

/** An answer of the API server that says no. */
export class ApiError extends ClientError {
  readonly reason: string;
  /** The HTTP status code. */
  readonly code: number;
  /** As the server sent it, or made up from the HTTP status when it sent none. */
  readonly status: Status;
  /** What the server asked to wait before the next try, in milliseconds. */
  readonly retryAfter?: number;
  declare readonly request: RequestInfo;

  constructor(code: number, status: Status, request: RequestInfo, retryAfter?: number) {
    const reason = status.reason ?? reasonOf(code);
    super(`${request.verb} ${request.path}: ${status.message ?? `HTTP status ${code}`} (${reason})`, request);
    this.reason = reason;
    this.code = code;
    this.status = status;
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
  }
}

export class BadRequestError extends ApiError {}
export class UnauthorizedError extends ApiError {}
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
export class MethodNotAllowedError extends ApiError {}
export class AlreadyExistsError extends ApiError {}
/** The object was changed by somebody else since it was read. */
export class ConflictError extends ApiError {}
/** The resource version, or the continue token, is too old. */
export class ExpiredError extends ApiError {}
/** The object breaks the rules of its schema or of an admission webhook; `status.details.causes` names the fields. */
export class InvalidError extends ApiError {}
export class RequestEntityTooLargeError extends ApiError {}
export class UnsupportedMediaTypeError extends ApiError {}
export class TooManyRequestsError extends ApiError {}
/** The server gave up waiting (`Timeout`, `ServerTimeout`). */
export class ServerTimeoutError extends ApiError {}
export class InternalServerError extends ApiError {}
export class ServiceUnavailableError extends ApiError {}

/** No connection, a broken one, or an answer cut short. The write may or may not have been done. */
export class ConnectionError extends ClientError {
  readonly reason = 'ConnectionFailed';
  /** The system's name of the error, where there is one: `ECONNREFUSED`, `ECONNRESET`. */
  readonly systemCode?: string;

  constructor(
    message: string,
    request?: RequestInfo,
    options?: ErrorOptions & { readonly systemCode?: string | undefined },
  ) {
    super(message, request, options);
    if (options?.systemCode !== undefined) this.systemCode = options.systemCode;
  }
}

/** An answer that no Kubernetes API server gives: HTML of a proxy, broken JSON, an object where a list should be. */
export class UnexpectedAnswerError extends ClientError {
  readonly reason = 'UnexpectedAnswer';
}

/** The request was not answered in time. The write may or may not have been done. */
export class RequestTimeoutError extends ClientError {
  readonly reason = 'DeadlineExceeded';
}

/** A list of the cache cannot be trusted yet: this client's own writes of the kind are not all in it. Try again a little later. */
export class StaleCacheError extends ClientError {
  readonly reason = 'StaleCache';
}

/** The kind is not declared to the cache. */
export class NotCachedError extends ClientError {
  readonly reason = 'NotCached';
}

/** A call that can never succeed: a missing name, an apply without field manager, a draft that returns a promise. */
export class InvalidCallError extends ClientError {
  readonly reason = 'InvalidCall';
}

type ApiErrorClass = new (code: number, status: Status, request: RequestInfo, retryAfter?: number) => ApiError;

const classes = new Map<string, ApiErrorClass>([
  ['BadRequest', BadRequestError],
  ['Unauthorized', UnauthorizedError],
  ['Forbidden', ForbiddenError],
  ['NotFound', NotFoundError],
  ['MethodNotAllowed', MethodNotAllowedError],
  ['AlreadyExists', AlreadyExistsError],
  ['Conflict', ConflictError],
  ['Gone', ExpiredError],
  ['Expired', ExpiredError],
  ['Invalid', InvalidError],
  ['RequestEntityTooLarge', RequestEntityTooLargeError],
  ['UnsupportedMediaType', UnsupportedMediaTypeError],
  ['TooManyRequests', TooManyRequestsError],
  ['Timeout', ServerTimeoutError],
  ['ServerTimeout', ServerTimeoutError],
  ['InternalError', InternalServerError],
  ['ServiceUnavailable', ServiceUnavailableError],
]);

/** The reason that an HTTP status code stands for when the server gives none (as `errors.NewGenericServerResponse` has it). */
function reasonOf(code: number): StatusReason {
  switch (code) {
    case 400:
      return 'BadRequest';
    case 401:
      return 'Unauthorized';
    case 403:
      return 'Forbidden';
    case 404:
      return 'NotFound';
    case 405:
      return 'MethodNotAllowed';
    case 406:
      return 'NotAcceptable';
    case 409:
      return 'Conflict';
    case 410:
      return 'Gone';
    case 413:
      return 'RequestEntityTooLarge';
    case 415:
      return 'UnsupportedMediaType';
    case 422:
      return 'Invalid';
    case 429:
      return 'TooManyRequests';
    case 500:
      return 'InternalError';
    case 503:
      return 'ServiceUnavailable';
    case 504:
      return 'Timeout';
    default:
      return 'Unknown';
  }
}

/** Makes the error of the class that the Status' reason, or else the HTTP status code, asks for. */
export function apiError(code: number, status: Status, request: RequestInfo, retryAfter?: number): ApiError {
  const known = classes.get(status.reason ?? reasonOf(code)) ?? ApiError;
  return new known(code, status, request, retryAfter);
}

/** The reason of an error of this package, of whichever copy; undefined for anything else. */
export function reasonForError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('reason' in error)) return undefined;
  return typeof error.reason === 'string' ? error.reason : undefined;
}

function hasReason(error: unknown, ...reasons: readonly (StatusReason | LocalReason)[]): boolean {
  return (reasons as readonly (string | undefined)[]).includes(reasonForError(error));
}

export const isNotFound = (error: unknown): error is NotFoundError => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): error is AlreadyExistsError => hasReason(error, 'AlreadyExists');
export const isConflict = (error: unknown): error is ConflictError => hasReason(error, 'Conflict');
export const isInvalid = (error: unknown): error is InvalidError => hasReason(error, 'Invalid');
export const isBadRequest = (error: unknown): error is BadRequestError => hasReason(error, 'BadRequest');
export const isForbidden = (error: unknown): error is ForbiddenError => hasReason(error, 'Forbidden');
export const isUnauthorized = (error: unknown): error is UnauthorizedError => hasReason(error, 'Unauthorized');
export const isMethodNotAllowed = (error: unknown): error is MethodNotAllowedError =>
  hasReason(error, 'MethodNotAllowed');
export const isExpired = (error: unknown): error is ExpiredError => hasReason(error, 'Gone', 'Expired');
export const isTooManyRequests = (error: unknown): error is TooManyRequestsError => hasReason(error, 'TooManyRequests');
export const isServerTimeout = (error: unknown): error is ServerTimeoutError =>
  hasReason(error, 'Timeout', 'ServerTimeout');
export const isInternalError = (error: unknown): error is InternalServerError => hasReason(error, 'InternalError');
export const isServiceUnavailable = (error: unknown): error is ServiceUnavailableError =>
  hasReason(error, 'ServiceUnavailable');
export const isConnectionFailed = (error: unknown): error is ConnectionError => hasReason(error, 'ConnectionFailed');
export const isDeadlineExceeded = (error: unknown): error is RequestTimeoutError =>
  hasReason(error, 'DeadlineExceeded');
export const isStaleCache = (error: unknown): error is StaleCacheError => hasReason(error, 'StaleCache');
export const isNotCached = (error: unknown): error is NotCachedError => hasReason(error, 'NotCached');

/** The wait that the server asked for, in milliseconds; undefined when it asked for none. */
export function retryAfter(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('retryAfter' in error)) return undefined;
  return typeof error.retryAfter === 'number' ? error.retryAfter : undefined;
}

/** Whether the error says that the asked resource version is ahead of the server (`ResourceVersionTooLarge`). */
export function isResourceVersionTooLarge(error: unknown): boolean {
  if (!(error instanceof Error) || !('status' in error)) return false;
  const status = error.status as Status;
  if (typeof status !== 'object' || status === null) return false;
  const causes = status.details?.causes ?? [];
  return (
    causes.some(
      (cause) => cause.reason === 'ResourceVersionTooLarge' || cause.message === 'Too large resource version',
    ) || (status.message ?? '').includes('Too large resource version')
  );
}
