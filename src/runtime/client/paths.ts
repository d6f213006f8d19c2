import type { KindInfo } from '../kind/kind.ts';
import { InvalidCallError } from './errors.ts';
import type { ObjectKey } from './types.ts';

/** Values of a query; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `?a=b&c=d`, or nothing. */
export function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The path of a group and version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath(info: Pick<KindInfo, 'group' | 'version'>): string {
  return info.group === '' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
}

/** The path of all objects of a kind, or of those of a namespace. */
export function collectionPath(info: KindInfo, namespace?: string): string {
  const root = groupVersionPath(info);
  if (namespace === undefined || namespace === '') return `${root}/${info.plural}`;
  if (info.scope === 'Cluster') throw new InvalidCallError(`${info.kind} is cluster-scoped, it has no namespace`);
  return `${root}/namespaces/${segment(namespace, 'namespace')}/${info.plural}`;
}

/** The path of an object, or of a subresource of it. */
export function objectPath(info: KindInfo, key: ObjectKey, subresource?: string): string {
  if (info.scope === 'Namespaced' && !key.namespace) {
    throw new InvalidCallError(`${info.kind} ${key.name}: a namespaced kind needs a namespace`);
  }
  const collection = collectionPath(info, key.namespace);
  const path = `${collection}/${segment(key.name, 'name')}`;
  return subresource === undefined ? path : `${path}/${segment(subresource, 'subresource')}`;
}

/** As `rest.IsValidPathSegmentName`: what would lead to another path is refused. */
function segment(value: string, what: string): string {
  if (typeof value !== 'string' || value === '') throw new InvalidCallError(`the ${what} is missing`);
  if (value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new InvalidCallError(`${what} ${JSON.stringify(value)} cannot be part of a path`);
  }
  return encodeURIComponent(value);
}

/** Whether a request's path and query ask for a watch. */
export function isWatchPath(path: string): boolean {
  return /[?&]watch=(?:true|1)(?:&|$)/.test(path);
}
