import { engine } from '../engine.ts';
import { type ApiError, badRequest, invalid, unsupportedMediaType } from '../status.ts';
import { invalidValue } from '../field-error.ts';
import { contentType } from '../http/negotiation.ts';
import { readBody, type Exchange } from '../http/exchange.ts';
import { fromPlain, isObject, text, type Json, type JsonObject } from '../json.ts';
import { JsonSyntaxError, parseDocument, stringify } from '../json-text.ts';
import { decodeProtobuf, ProtobufError } from '../protobuf/decode.ts';
import { apiVersionOf, type GroupVersionKind, type Resource } from '../resources/resource.ts';
import { DecodeError } from '../typed/decode.ts';
import type { Reader } from '../typed/mismatch.ts';
import type { MutableObject } from '../json.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export function fieldValidation(query: URLSearchParams): FieldValidation {
  const value = query.get('fieldValidation');
  return value === 'Strict' || value === 'Ignore' ? value : 'Warn';
}

export interface ReadDocument {
  readonly document: Json;
  readonly duplicates: readonly string[];
}

const bodyTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Parses JSON or YAML text; `kind` stands in the message when it is neither. */
export function parseBody(body: Buffer, yaml: boolean, kind: string): ReadDocument {
  const source = body.toString('utf8');
  if (yaml) return parseYaml(source);
  try {
    const { value, duplicates } = parseDocument(source);
    return { document: value, duplicates };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${error.message} (${summary(body)})`,
    );
  }
}

export function parseYaml(source: string): ReadDocument {
  const document = engine().yaml.parseDocument(source, { version: '1.1', uniqueKeys: false, intAsBigInt: true });
  const problem = document.errors[0];
  if (problem !== undefined) throw badRequest(`error converting YAML to JSON: yaml: ${problem.message}`);
  return { document: narrow(fromPlain(document.toJS({ maxAliasCount: 100 }))), duplicates: [] };
}

/** Integers that fit become numbers. */
function narrow(value: Json): Json {
  if (typeof value === 'bigint') {
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  }
  if (Array.isArray(value)) return value.map(narrow);
  if (isObject(value)) {
    const result: MutableObject = value;
    for (const name of Object.keys(result)) result[name] = narrow(result[name] ?? null);
  }
  return value;
}

/** Reads a body that holds an object. */
export async function readDocument(exchange: Exchange, kind: string, protobufAllowed: boolean): Promise<ReadDocument> {
  const { type } = contentType(exchange.request.headers['content-type']);
  const known =
    type === 'application/json' ||
    type === 'application/yaml' ||
    (type === 'application/vnd.kubernetes.protobuf' && protobufAllowed);
  if (!known) throw unsupportedMediaType(protobufAllowed ? bodyTypes : bodyTypes.slice(0, 2));
  const body = await readBody(exchange.request);
  if (type === 'application/vnd.kubernetes.protobuf') {
    try {
      return { document: await decodeProtobuf(body), duplicates: [] };
    } catch (error) {
      if (error instanceof ProtobufError) throw badRequest(error.message);
      throw error;
    }
  }
  return parseBody(body, type === 'application/yaml', kind);
}

/** The beginning of a body, as messages show it: JSON as text, all else in hexadecimal digits. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const isText = body[0] === 0x7b;
  const start = body.subarray(0, 30).toString(isText ? 'utf8' : 'hex');
  return body.length > 30 ? `${start} ...` : start;
}

const typeStruct = String.raw`Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Go packages of built-in groups, as messages name them. */
function goPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? '');
}

/**
 * Checks that a document is of the kind that the endpoint serves. Built-in kinds need not name it, custom ones must.
 *
 * @throws ApiError 400, 422
 */
export function expectKind(
  document: Json,
  expected: GroupVersionKind,
  custom = false,
  warn?: (text: string) => void,
): JsonObject {
  const wanted = apiVersionOf(expected);
  const unrecognized = `the object provided is unrecognized (must be of type ${expected.kind}): `;
  if (!isObject(document)) {
    const what = Array.isArray(document) ? 'array' : typeof document;
    const source = Buffer.from(stringify(document));
    throw badRequest(
      `${unrecognized}couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into ${typeStruct} (${summary(source)})`,
    );
  }
  const apiVersion = text(document, 'apiVersion');
  const kind = text(document, 'kind');
  if (custom) {
    const source = stringify(document);
    for (const [name, value] of [
      ['Kind', kind],
      ['apiVersion', apiVersion],
    ] as const) {
      if (value === '')
        throw badRequest(`${unrecognized}Object '${name}' is missing in '${source}' (${summary(Buffer.from(source))})`);
    }
  } else if (
    (kind !== '' && kind !== expected.kind) ||
    (apiVersion !== '' && !apiVersion.includes('/') && apiVersion !== wanted && expected.group === '')
  ) {
    const version = apiVersion === '' ? wanted : apiVersion;
    const short = version.slice(version.indexOf('/') + 1);
    const shown = kind === '' ? expected.kind : kind;
    const problem =
      version === wanted
        ? `converting (${short}.${shown}) to (${goPackage(expected.group)}.${expected.kind}): unknown conversion`
        : `no kind "${shown}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`;
    throw badRequest(`${shown} in version "${short}" cannot be handled as a ${expected.kind}: ${problem}`);
  }
  if (apiVersion !== '' && apiVersion !== wanted) {
    // No schema is known for that version: nothing in it is.
    const given = apiVersion.slice(apiVersion.indexOf('/') + 1);
    if (custom && !(expected as Partial<Resource>).definedVersions?.includes(given))
      for (const name of Object.keys(document).sort())
        if (!['apiVersion', 'kind', 'metadata'].includes(name)) warn?.(`unknown field "${name}"`);
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  }
  if (custom && kind !== expected.kind) {
    throw invalid(expected.group, kind, text(document, 'metadata', 'name'), [
      invalidValue('kind', kind, `must be ${expected.kind}`),
    ]);
  }
  return document;
}

/** Problems of form that a lenient server only warns of. */
export function strictProblems(unknown: readonly string[], duplicates: readonly string[]): string[] {
  return [
    ...duplicates.map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
}

/**
 * Brings a document into the form of its kind. What the kind does not know is refused, warned of or passed over, as the request
 * wants it.
 *
 * @throws ApiError 400; `wrap` makes the error of a patch instead
 */
export function decodeDocument(
  resource: Resource,
  read: { readonly document: Json; readonly duplicates: readonly string[] },
  validation: FieldValidation,
  warn: (text: string) => void,
  wrap?: (problem: string) => ApiError,
  reader?: Reader,
): MutableObject {
  const document = expectKind(read.document, resource, resource.custom, validation === 'Warn' ? warn : undefined);
  const handled = `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: `;
  try {
    const { object, unknown } = resource.strategy.decode(document, reader);
    const problems = strictProblems(unknown, read.duplicates);
    if (problems.length > 0 && validation === 'Strict') {
      const problem = `strict decoding error: ${problems.join(', ')}`;
      throw wrap === undefined ? badRequest(handled + problem) : wrap(problem);
    }
    if (validation === 'Warn') for (const problem of problems) warn(problem);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw wrap === undefined ? badRequest(handled + error.message) : wrap(error.message);
  }
}
