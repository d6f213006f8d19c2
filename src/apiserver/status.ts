import { fromPlain, jsonObject, type Json, type JsonObject } from './json.ts';
import type { FieldError } from './field-error.ts';
import { causeOf, printFieldError } from './field-error.ts';
import type { StatusCause } from './status-cause.ts';

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number | undefined;
}

/** An answer that is no success: becomes a `Status` of API version v1. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status code. */
  readonly code: number;
  /** As in `metav1.StatusReason`; empty where the real server gives none. */
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Members of the Status' metadata (`continue` of an expired list). */
  readonly metadata: { readonly continue?: string };

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    metadata: { readonly continue?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.metadata = metadata;
  }

  toStatus(): JsonObject {
    const { details } = this;
    return fromPlain({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      reason: this.reason === '' ? undefined : this.reason,
      details: details && {
        name: details.name || undefined,
        group: details.group || undefined,
        kind: details.kind || undefined,
        uid: details.uid || undefined,
        causes: details.causes?.map((cause) => ({
          reason: cause.reason || undefined,
          message: cause.message,
          field: cause.field,
        })),
        retryAfterSeconds: details.retryAfterSeconds,
      },
      code: this.code,
    }) as JsonObject;
  }
}

/** What messages and details name a resource by. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** `widgets.example.com`, or `pods` in the core group. */
export function qualified({ group, resource }: ResourceName): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function detailsOf(resource: ResourceName, name: string): StatusDetails {
  return { name, group: resource.group, kind: resource.resource };
}

export function notFound(resource: ResourceName, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

/** An URL of the API that leads nowhere. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function verbNotSupported(resource: ResourceName, verb: string): ApiError {
  const message = `${verb} is not supported on resources of kind "${qualified(resource)}"`;
  return new ApiError(405, 'MethodNotAllowed', message, { group: resource.group, kind: resource.resource });
}

export function alreadyExists(resource: ResourceName, name: string, terminating: boolean): ApiError {
  const prefix = terminating ? 'object is being deleted: ' : '';
  return new ApiError(
    409,
    'AlreadyExists',
    `${prefix}${qualified(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );
}

export function conflict(resource: ResourceName, name: string, problem: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${problem}`;
  return new ApiError(409, 'Conflict', message, detailsOf(resource, name));
}

export const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function forbidden(
  resource: ResourceName,
  name: string,
  problem: string,
  causes?: readonly StatusCause[],
): ApiError {
  const who = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  return new ApiError(403, 'Forbidden', `${who} is forbidden: ${problem}`, {
    ...detailsOf(resource, name),
    ...(causes && { causes }),
  });
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

export function notAcceptable(types: readonly string[]): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);
}

export function unsupportedMediaType(types: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

export function tooLarge(limit: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${limit}`);
}

export function internalError(problem: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${problem}`, { causes: [{ message: problem }] });
}

/** An error that the real server answers with its bare text. */
export function plainError(message: string): ApiError {
  return new ApiError(500, '', message);
}

export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(
    410,
    'Expired',
    message,
    undefined,
    continueToken === undefined ? {} : { continue: continueToken },
  );
}

export function resourceVersionTooLarge(requested: bigint | number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** 422 with one cause for each field error; messages that are the same are told once. */
export function invalid(group: string, kind: string, name: string, errors: readonly FieldError[]): ApiError {
  const who = `${group === '' ? kind : `${kind}.${group}`} "${name}"`;
  const messages = [...new Set(errors.map(printFieldError))];
  const message = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  return new ApiError(422, 'Invalid', `${who} is invalid: ${message}`, {
    name,
    group,
    kind,
    causes: errors.map(causeOf),
  });
}

/** The `Status` that tells of success (a deletion). */
export function success(resource: ResourceName, name: string, uid: string): Json {
  return fromPlain({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: jsonObject(),
    status: 'Success',
    details: { name, group: resource.group || undefined, kind: resource.resource, uid },
  });
}
