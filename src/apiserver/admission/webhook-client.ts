import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { posix } from 'node:path';
import { numeric, object, text, type Json, type JsonObject } from '../json.ts';
import { JsonSyntaxError, parseJsonText, stringify } from '../json-text.ts';

/** A webhook that could not be asked. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Where a service's webhooks listen in fact: there are no services here that lead anywhere. */
export type ServiceResolver = (namespace: string, name: string, port: number) => string | undefined;

const maxAnswerBytes = 3 * 1024 * 1024;

/**
 * Sends a review to where a webhook's `clientConfig` points and gives the answer.
 *
 * @throws WebhookError when there is none in time
 */
export async function callWebhook(
  clientConfig: Json | undefined,
  review: JsonObject,
  seconds: number,
  resolve: ServiceResolver,
): Promise<Json> {
  const service = object(clientConfig, 'service');
  const serviceName = text(service, 'name');
  const namespace = text(service, 'namespace');
  const host = `${serviceName}.${namespace}.svc`;
  const port = numeric(service['port']) ?? 443;
  const path = text(service, 'path');
  const shown =
    serviceName === ''
      ? text(clientConfig, 'url')
      : `https://${host}:${port}${path.startsWith('/') || path === '' ? path : `/${path}`}`;
  const target = new URL(shown);
  // As client-go joins paths.
  target.pathname = posix.join('/', target.pathname).replace(/(.)\/$/, '$1');
  target.searchParams.set('timeout', `${seconds}s`);
  const failed = (problem: string): WebhookError =>
    new WebhookError(`failed to call webhook: Post "${target.href}": ${problem}`);
  let address = target;
  if (serviceName !== '') {
    const resolved = resolve(namespace, serviceName, port);
    if (resolved === undefined) throw failed(`service "${serviceName}" not found`);
    address = new URL(target.pathname + target.search, resolved);
  }
  const body = stringify(review);
  const send = address.protocol === 'https:' ? httpsRequest : httpRequest;
  const bundle = text(clientConfig, 'caBundle');
  const answer = await new Promise<{ readonly status: number; readonly body: string }>((resolvePromise, reject) => {
    const request = send(
      address,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.timeout(seconds * 1000),
        // The certificate is for the service's name, wherever it listens.
        ...(serviceName !== '' && address.protocol === 'https:' && { servername: host }),
        // In Go whatever stands in a bundle is trusted, be it the certificate of the webhook itself.
        ...(bundle !== '' && { ca: Buffer.from(bundle, 'base64'), allowPartialTrustChain: true }),
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'Content-Length': Buffer.byteLength(body),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxAnswerBytes) request.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () =>
          resolvePromise({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  }).catch((error: unknown) => {
    throw failed(problemOf(error));
  });
  if (answer.status < 200 || answer.status >= 300)
    throw new WebhookError(`failed to call webhook: ${statusText(answer.status, answer.body.trim())}`);
  try {
    return parseJsonText(answer.body);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new WebhookError(`failed to call webhook: the answer is no JSON: ${error.message}`);
  }
}

/** Codes of certificates that no certificate of the bundle answers for. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why nothing was answered, in the words of Go where they are known. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded';
  const { code = '', address = '', port = 0 } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (untrusted.has(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return error.message;
}

/** What client-go makes of an answer that is no success. */
function statusText(status: number, body: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status < 500) return 'the server rejected our request for an unknown reason';
  const shown = body === '' ? 'unknown' : body;
  return `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`;
}
