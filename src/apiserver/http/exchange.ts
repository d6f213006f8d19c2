import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { engine } from '../engine.ts';
import type { User } from '../access/user.ts';
import { stringifyJson } from '../../schema/json.ts';
import type { Json } from '../json.ts';
import { ApiError, badRequest, tooLarge } from '../status.ts';
import { negotiate } from './negotiation.ts';
import type { RequestInfo } from './request-info.ts';

/** The largest body of a request, in bytes. */
export const maxBodyBytes = 3 * 1024 * 1024;
const gzipThreshold = 128 * 1024;

/** One request with its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
  /** Texts for `Warning` headers, in the order in which they came up. */
  readonly warnings: string[];
  /** What admission adds to the audit event. */
  readonly annotations: Map<string, string>;
  /** Aborted when the client goes away or the server stops. */
  readonly signal: AbortSignal;
}

/** Reads the whole body. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw tooLarge(`limit is ${maxBodyBytes}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Sends an object in the form that the client asked for. */
export function sendObject(
  exchange: Exchange,
  code: number,
  object: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  const accept = exchange.request.headers.accept;
  let yaml = false;
  try {
    yaml = negotiate(accept).media === 'yaml';
  } catch (error) {
    // An answer that tells of the wrong Accept header comes as JSON.
    if (!(error instanceof ApiError)) throw error;
  }
  if (yaml)
    sendText(
      exchange,
      code,
      engine().yaml.stringify(JSON.parse(stringifyJson(object)), { aliasDuplicateObjects: false }),
      {
        'Content-Type': 'application/yaml',
        ...headers,
      },
    );
  else sendText(exchange, code, printJson(exchange, object), { 'Content-Type': 'application/json', ...headers });
}

/** JSON text with a newline at its end; indented for people. */
function printJson(exchange: Exchange, object: Json): string {
  const pretty = exchange.query.get('pretty');
  const agent = exchange.request.headers['user-agent'] ?? '';
  const wanted =
    pretty === null ? /^(curl|Wget|Mozilla\/5\.0)/.test(agent) : pretty === '' || pretty === 'true' || pretty === '1';
  return `${wanted ? indent(stringifyJson(object)) : stringifyJson(object)}\n`;
}

/** Indents a JSON text by two, without reading its numbers. */
function indent(source: string): string {
  let result = '';
  let depth = 0;
  for (let index = 0; index < source.length; index++) {
    const character = source[index] ?? '';
    if (character === '"') {
      let end = index + 1;
      while (source[end] !== '"') end += source[end] === '\\' ? 2 : 1;
      result += source.slice(index, end + 1);
      index = end;
    } else if (character === '{' || character === '[') {
      const close = source[index + 1];
      if (close === '}' || close === ']') {
        result += character + close;
        index++;
      } else result += `${character}\n${'  '.repeat(++depth)}`;
    } else if (character === '}' || character === ']') result += `\n${'  '.repeat(--depth)}${character}`;
    else if (character === ',') result += `,\n${'  '.repeat(depth)}`;
    else result += character === ':' ? ': ' : character;
  }
  return result;
}

export function sendText(
  exchange: Exchange,
  code: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  const { response, request } = exchange;
  if (response.headersSent || response.destroyed) return;
  response.statusCode = code;
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-cache, private');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  setWarnings(exchange);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length > gzipThreshold && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
    const gzip = createGzip({ level: 1 });
    gzip.pipe(response);
    gzip.end(bytes);
    return;
  }
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** Puts the warnings into headers: each once, and no more than 4,096 characters of them in full. */
export function setWarnings(exchange: Exchange): void {
  const unique = [...new Set(exchange.warnings)];
  if (unique.length === 0) return;
  let length = 0;
  const headers: string[] = [];
  for (const warning of unique) {
    length += warning.length;
    const text = length > 4096 ? Array.from(warning).slice(0, 256).join('') : warning;
    headers.push(`299 - "${text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  }
  exchange.response.setHeader(
    'Warning',
    headers.map((header) => Buffer.from(header).toString('latin1')),
  );
}

/** Sends an error as a `Status`. */
export function sendError(exchange: Exchange, error: ApiError): void {
  const retry = error.details?.retryAfterSeconds;
  sendObject(exchange, error.code, error.toStatus(), retry === undefined ? {} : { 'Retry-After': String(retry) });
}

/** The integer of a query parameter. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^[-+]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing "${value}": invalid syntax`);
  return Number(value);
}

/** The truth value of a query parameter: present and not `false` or `0`. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== 'false' && value !== '0';
}
