/** The object that a span is about. */
export interface TracedObject {
  readonly kind: string;
  readonly apiVersion?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/**
 * Which object it is, and nothing of what it holds. OpenTelemetry has a convention for the namespace; for objects of any kind these are the
 * names that its collector gives them.
 */
export function objectAttributes(object: TracedObject): Readonly<Record<string, string>> {
  return {
    'k8s.object.kind': object.kind,
    ...set('k8s.object.api_version', object.apiVersion),
    ...set('k8s.namespace.name', object.namespace),
    ...set('k8s.object.name', object.name),
    ...set('k8s.object.uid', object.uid),
    ...set('k8s.object.resource_version', object.resourceVersion),
  };
}

/**
 * The path of a request to an API server with its variable parts replaced, so that there are few of them:
 * `/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status`. Paths of other forms come back as they are.
 */
export function pathTemplate(path: string): { readonly template: string; readonly namespace?: string } {
  const [root = '', rest] = /^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)\/(.+)$/.exec(path)?.slice(1) ?? [];
  if (rest === undefined) {
    return { template: path };
  }
  const [first = '', second, ...others] = rest.split('/');
  const namespaced = first === 'namespaces' && second !== undefined && others.length > 0;
  const [resource, name, ...subresource] = namespaced ? others : [first, second, ...others];
  const parts = [
    ...(namespaced ? ['namespaces', '{namespace}'] : []),
    resource,
    ...(name === undefined ? [] : ['{name}']),
    ...subresource,
  ];
  return {
    template: `${root}/${parts.join('/')}`,
    ...(first === 'namespaces' && second !== undefined ? { namespace: second } : {}),
  };
}

function set(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined || value === '' ? {} : { [name]: value };
}
