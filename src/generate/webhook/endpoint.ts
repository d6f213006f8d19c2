import type { Webhook } from '../../model/index.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../schema/names.ts';
import { parseUrl } from '../../schema/uri.ts';
import type { Report } from './report.ts';

/** How the API server is to reach a webhook: exactly one of path and url, as the server takes them. */
export function checkEndpoint(webhook: Webhook, report: Report): void {
  const { path, url } = webhook;
  if (path !== undefined && url !== undefined) {
    report('CO2502', 'it has a path and a url', 'a path is for the Service of the operator, a url for another server');
  } else if (path === undefined && url === undefined) {
    report('CO2502', 'it has neither a path nor a url', "write path: '/validate-example-com-v1-widget' or the like");
  }
  if (path !== undefined) checkPath(path, report);
  if (url !== undefined) {
    checkUrl(url, report);
    for (const member of ['serviceName', 'serviceNamespace', 'servicePort'] as const) {
      if (webhook[member] === undefined) continue;
      report('CO2502', `${member} says nothing beside a url`, `leave out ${member}`);
    }
  }
  checkService(webhook, report);
}

/** The server wants each part of a path to be a domain name. */
function checkPath(path: string, report: Report): void {
  if (path === '/') return;
  if (!path.startsWith('/')) {
    report('CO2503', `the path '${path}' does not begin with '/'`, `write '/${path}'`);
    return;
  }
  const wrong = path
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .find((segment) => checkDns1123Subdomain(segment).length > 0);
  if (wrong === undefined) return;
  const problem = wrong === '' ? 'has an empty part' : `has the part '${wrong}'`;
  report('CO2503', `the path '${path}' ${problem}`, "the parts of a path are of small letters, digits, '-' and '.'");
}

function checkUrl(text: string, report: Report): void {
  const url = parseUrl(text);
  const remedy = 'write https://host[:port][/path]';
  if ('problem' in url) return report('CO2504', `'${text}' is no url`, remedy);
  const refused = (problem: string): void => report('CO2504', `the url '${text}' ${problem}`, remedy);
  if (url.scheme !== 'https') refused('does not begin with https://');
  if (url.host === '') refused('has no host');
  if (url.userInfo !== undefined) refused('names a user, which the API server refuses');
  if (url.query !== '') refused('has a query, which the API server refuses');
  if (url.fragment !== '') refused('has a fragment, which the API server refuses');
}

function checkService({ serviceName, serviceNamespace, servicePort }: Webhook, report: Report): void {
  if (serviceName !== undefined && checkDns1123Label(serviceName).length > 0) {
    report('CO2515', `'${serviceName}' is no name of a Service`);
  }
  if (serviceNamespace !== undefined && checkDns1123Label(serviceNamespace).length > 0) {
    report('CO2515', `'${serviceNamespace}' is no name of a namespace`);
  }
  if (servicePort !== undefined && (servicePort < 1 || servicePort > 65_535)) {
    report('CO2515', `servicePort is ${servicePort}, and must be from 1 to 65535`);
  }
}
