import type { DocumentSchema } from './documents.ts';

/** What an API server answers at `/api` and `/apis` (apidiscovery.k8s.io/v2). */
export interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly DiscoveredResource[];
    }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** The value of a kind, as `defineKind` takes it. */
export interface KindValue {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly subresources: readonly ('status' | 'scale')[];
}

/** Finds the kinds that an API server serves. */
export class ServedKinds {
  readonly #kinds = new Map<string, KindValue>();

  constructor(lists: readonly DiscoveryList[]) {
    for (const { metadata, versions } of lists.flatMap(({ items }) => items)) {
      const group = metadata.name ?? '';
      for (const { version, resources } of versions) {
        for (const { resource, responseKind, scope, subresources = [] } of resources) {
          const { kind } = responseKind;
          const names = new Set(subresources.map(({ subresource }) => subresource));
          const known = (['status', 'scale'] as const).filter((each) => names.has(each));
          this.#kinds.set(`${group}/${version} ${kind}`, {
            group,
            version,
            kind,
            plural: resource,
            scope,
            subresources: known,
          });
        }
      }
    }
  }

  /** The value of the kind that a type declares: one with metadata, of which the server has objects. */
  of(name: string, schema: DocumentSchema): KindValue | undefined {
    if (schema.properties?.['metadata'] === undefined) return undefined;
    const [own] = schema['x-kubernetes-group-version-kind']?.filter(({ kind }) => kind === name) ?? [];
    return own && this.#kinds.get(`${own.group}/${own.version} ${own.kind}`);
  }
}

/**
 * TypeScript: a constant that shares its name with the type.
 *
 * @param listKeys the type of the keys of its lists that are maps, where it has such lists
 */
export function kindConstant(
  { group, version, kind, plural, scope, subresources }: KindValue,
  listKeys: string | undefined,
): string {
  const names = subresources.map((each) => `'${each}'`);
  const of = names.length === 0 ? 'never' : names.join(' | ');
  const type = [kind, `'${scope}'`, of, ...(listKeys === undefined ? [] : [listKeys])].join(', ');
  const info = `group: '${group}', version: '${version}', kind: '${kind}', plural: '${plural}', scope: '${scope}', subresources: [${names.join(', ')}]`;
  return `export const ${kind}: Kind<${type}> = /* @__PURE__ */ defineKind({ ${info} });\n`;
}
