import type { Conversion, ServiceReference, WebhookClientConfig } from './definition.ts';
import { child, type FieldError, forbidden, index, invalid, notSupported, required } from './field-error.ts';
import { checkDns1035Label, checkDns1123Subdomain } from './names.ts';
import { parseUrl } from './uri.ts';

/** How strict an update is, by what is stored. */
export interface ConversionOptions {
  readonly requireRecognizedVersion: boolean;
  /** Whether a CA bundle may be broken: on create, before a definition is established, and when it was broken already. */
  readonly allowInvalidCaBundle: boolean;
}

const recognizedVersions = ['v1', 'v1beta1'];

export function hasRecognizedVersion(versions: readonly string[]): boolean {
  return versions.some((version) => recognizedVersions.includes(version));
}

export function validateConversion(conversion: Conversion, path: string, options: ConversionOptions): FieldError[] {
  const errors: FieldError[] = [];
  const strategyPath = child(path, 'strategy');
  const { strategy, clientConfig, reviewVersions } = conversion;
  if (strategy === '') errors.push(required(strategyPath));
  else if (strategy !== 'None' && strategy !== 'Webhook')
    errors.push(notSupported(strategyPath, strategy, ['None', 'Webhook']));
  const configPath = child(path, 'webhookClientConfig');
  const versionsPath = child(path, 'conversionReviewVersions');
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (clientConfig !== undefined) errors.push(forbidden(configPath, detail));
    if (reviewVersions.length > 0) errors.push(forbidden(versionsPath, detail));
    return errors;
  }
  if (clientConfig === undefined) errors.push(required(configPath, 'required when strategy is set to Webhook'));
  else errors.push(...validateClientConfig(clientConfig, configPath, options));
  errors.push(...validateReviewVersions(reviewVersions, versionsPath, options.requireRecognizedVersion));
  return errors;
}

function validateClientConfig(config: WebhookClientConfig, path: string, options: ConversionOptions): FieldError[] {
  const errors: FieldError[] = [];
  if ((config.url === undefined) === (config.service === undefined)) {
    errors.push(required(path, 'exactly one of url or service is required'));
  } else if (config.url !== undefined) {
    errors.push(...validateUrl(config.url, child(path, 'url')));
  } else if (config.service !== undefined) {
    errors.push(...validateService(config.service, child(path, 'service')));
  }
  if (!options.allowInvalidCaBundle) errors.push(...validateCaBundle(config.caBundle, child(path, 'caBundle')));
  return errors;
}

function validateUrl(text: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const url = parseUrl(text);
  if ('problem' in url) return [required(path, `url must be a valid URL: ${url.problem}${form}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== 'https') errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`));
  if (url.host === '') errors.push(invalid(path, '', `host must be specified${form}`));
  if (url.userInfo !== undefined)
    errors.push(invalid(path, url.userInfo, 'user information is not permitted in the URL'));
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'));
  if (url.query !== '') errors.push(invalid(path, url.query, 'query parameters are not permitted in the URL'));
  return errors;
}

/** The server takes name and namespace for each other here; what it prints is kept. */
function validateService(service: ServiceReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (service.namespace === '') errors.push(required(child(path, 'name')));
  if (service.name === '') errors.push(required(child(path, 'namespace')));
  if (service.port < 1 || service.port > 65535) {
    errors.push(
      invalid(child(path, 'port'), service.port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  }
  const urlPath = service.path;
  if (urlPath === undefined || urlPath === '/' || urlPath === '') return errors;
  const at = child(path, 'path');
  if (urlPath === '//') return [...errors, invalid(at, urlPath, 'segment[0] may not be empty')];
  if (!urlPath.startsWith('/')) errors.push(invalid(at, urlPath, "must start with a '/'"));
  for (const [i, segment] of urlPath.slice(1).replace(/\/$/, '').split('/').entries()) {
    const problems =
      segment === '' ? [` may not be empty`] : checkDns1123Subdomain(segment).map((problem) => `: ${problem}`);
    errors.push(...problems.map((problem) => invalid(at, urlPath, `segment[${i}]${problem}`)));
  }
  return errors;
}

/** Whether a bundle is empty or holds certificates in PEM. */
export function isCaBundle(base64: string): boolean {
  if (base64 === '') return true;
  const pem = Buffer.from(base64, 'base64').toString('latin1');
  return /-----BEGIN CERTIFICATE-----\s[\s\S]+?-----END CERTIFICATE-----/.test(pem);
}

function validateCaBundle(base64: string, path: string): FieldError[] {
  if (isCaBundle(base64)) return [];
  return [invalid(path, base64, 'unable to load root certificates: unable to parse bytes as PEM block')];
}

function validateReviewVersions(versions: readonly string[], path: string, requireRecognized: boolean): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalid(index(path, i), version, 'duplicate version'));
    else errors.push(...checkDns1035Label(version).map((problem) => invalid(index(path, i), version, problem)));
    seen.add(version);
  }
  if (requireRecognized && !hasRecognizedVersion(versions)) {
    errors.push(invalid(path, versions, `must include at least one of ${recognizedVersions.join(', ')}`));
  }
  return errors;
}
