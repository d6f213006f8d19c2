/** What a request is about: it drives routing and authorization alike. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  /** The path without query. */
  readonly path: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the HTTP method in lower case for non-resource requests. */
  readonly verb: string;
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly parts: readonly string[];
}

const namespaceSubresources = new Set(['status', 'finalize']);

/** Takes a request's method and URL apart as the real server's RequestInfoFactory does. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const info = {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [] as readonly string[],
  };
  let parts = split(path);
  const prefix = parts[0];
  if (parts.length < 3 || (prefix !== 'api' && prefix !== 'apis')) return info;
  info.apiPrefix = prefix;
  parts = parts.slice(1);
  if (prefix === 'apis') {
    // `/apis/<group>` and `/apis/<group>/<version>` are about no resource.
    if (parts.length < 3) return info;
    info.group = parts[0] ?? '';
    parts = parts.slice(1);
  }
  info.isResourceRequest = true;
  info.version = parts[0] ?? '';
  parts = parts.slice(1);
  const verbs: Readonly<Record<string, string>> = {
    POST: 'create',
    GET: 'get',
    HEAD: 'get',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  };
  let prefixed = false;
  if (parts[0] === 'watch' || parts[0] === 'proxy') {
    if (parts.length < 2) return { ...info, isResourceRequest: false };
    info.verb = parts[0];
    prefixed = true;
    parts = parts.slice(1);
  } else {
    info.verb = verbs[method] ?? '';
  }
  if (parts[0] === 'namespaces' && parts.length > 1) {
    info.namespace = parts[1] ?? '';
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')) parts = parts.slice(2);
  }
  info.parts = parts;
  info.resource = parts[0] ?? '';
  info.name = parts[1] ?? '';
  info.subresource = parts[2] ?? '';
  if (info.name === '' && info.verb === 'get') {
    info.verb = isWatch(query) ? 'watch' : 'list';
  }
  if ((info.verb === 'list' || info.verb === 'watch') && info.name === '' && !prefixed) {
    const name = /(?:^|,)metadata\.name==?([^,\\=!]+)(?:,|$)/.exec(query.get('fieldSelector') ?? '')?.[1];
    if (name !== undefined && !name.includes('/') && !name.includes('%') && name !== '.' && name !== '..')
      info.name = name;
  }
  if (info.name === '' && info.verb === 'delete') info.verb = 'deletecollection';
  return info;
}

function isWatch(query: URLSearchParams): boolean {
  const watch = query.get('watch');
  return (
    watch !== null &&
    watch !== 'false' &&
    watch !== '0' &&
    watch !== 'False' &&
    watch !== 'f' &&
    watch !== 'F' &&
    watch !== 'FALSE'
  );
}

function split(path: string): string[] {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? [] : trimmed.split('/').map(decode);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
