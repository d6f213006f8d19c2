import type { Exchange } from '../http/exchange.ts';

const name = 'apiserver_request_total';
const verbs: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };

/** Counts requests as the real server does, for `/metrics`. */
export class RequestMetrics {
  readonly #counts = new Map<string, number>();

  /** Notes a request that was answered. */
  count({ info, query, request, response }: Exchange): void {
    const { isResourceRequest, group, version, resource, subresource, namespace, verb, path } = info;
    const applies = verb === 'patch' && request.headers['content-type']?.startsWith('application/apply-patch') === true;
    const labels = {
      code: String(response.statusCode),
      component: isResourceRequest ? 'apiserver' : '',
      dry_run: query.getAll('dryRun').join(','),
      group,
      resource,
      scope:
        info.name !== '' || verb === 'create'
          ? 'resource'
          : namespace !== ''
            ? 'namespace'
            : isResourceRequest
              ? 'cluster'
              : '',
      // What is no resource is told by the first part of its path: there are few of them.
      subresource: isResourceRequest ? subresource : path.split('/').slice(0, 2).join('/'),
      verb: applies ? 'APPLY' : (verbs[verb] ?? verb.toUpperCase()),
      version,
    };
    const key = Object.entries(labels)
      .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
      .join(',');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** In the text format of Prometheus. */
  text(): string {
    const lines = [...this.#counts].map(([labels, count]) => `${name}{${labels}} ${count}`).sort();
    return [
      `# HELP ${name} Counter of requests for each verb, dry run value, group, version, resource, scope, component, and response code.`,
      `# TYPE ${name} counter`,
      ...lines,
      '',
    ].join('\n');
  }
}
