import { get, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { UsageError } from '../usage-error.ts';

export interface DownloadLimits {
  readonly bytes: number;
  /** For all of it, redirects included. */
  readonly milliseconds: number;
}

const mostRedirects = 5;

/**
 * The text at an https URL. Certificates are always verified, also where the environment says otherwise (`NODE_EXTRA_CA_CERTS`
 * adds authorities); redirects are followed to https only.
 *
 * @param options of the request; for tests
 * @throws UsageError
 */
export async function download(address: string, limits: DownloadLimits, options: RequestOptions = {}): Promise<string> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  let url = checkedUrl(address, address);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await request(url, { ...options, rejectUnauthorized: true }, address, limits, signal);
    const { location } = response.headers;
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400 && location !== undefined) {
      response.destroy();
      url = checkedUrl(location, address, url);
      continue;
    }
    if (status !== 200) {
      response.destroy();
      throw new UsageError(`${address} answers ${status} ${response.statusMessage ?? ''}`.trim());
    }
    return await textOf(response, address, limits, signal);
  }
  throw new UsageError(`${address} redirects more than ${mostRedirects} times`);
}

function checkedUrl(text: string, address: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new UsageError(`${text} is no URL`);
  if (url.protocol !== 'https:') {
    const what = base === undefined ? `${address} is not` : `${address} redirects to ${url.origin}, which is not`;
    throw new UsageError(`${what} https`, 'types decide what code does: they are taken from verified servers only');
  }
  return url;
}

function request(
  url: URL,
  options: RequestOptions,
  address: string,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'create-operator', accept: '*/*' };
    get(url, { ...options, headers, signal }, resolve).on('error', (error) =>
      reject(failure(address, error, limits, signal)),
    );
  });
}

async function textOf(
  response: IncomingMessage,
  address: string,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limits.bytes) throw new UsageError(`${address} is longer than ${limits.bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw failure(address, error, limits, signal);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure(address: string, error: unknown, limits: DownloadLimits, signal: AbortSignal): UsageError {
  if (error instanceof UsageError) return error;
  if (signal.aborted) return new UsageError(`${address} did not answer within ${limits.milliseconds / 1000} s`);
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new UsageError(`${address} cannot be read: ${reason}`);
}
