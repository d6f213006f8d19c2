import type { KubernetesCatalogue, Schema } from '../../model/index.ts';
import { kubernetesSchemas } from './kubernetes.generated.ts';
import { scalars } from './scalars.ts';

/** A schema as it is bundled: other types are named, `{ "$ref": "apis/core/v1 Container" }`. */
interface BundledSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, BundledSchema>>;
  readonly items?: BundledSchema;
  readonly additionalProperties?: BundledSchema;
  readonly [keyword: string]: unknown;
}

type BundledSchemas = Readonly<Record<string, Readonly<Record<string, BundledSchema>>>>;

/**
 * The schemas that controller-gen writes for Kubernetes' own types (of version 1.37), without descriptions. They are put together
 * when they are asked for; a type that several others hold is one object.
 */
class BundledCatalogue implements KubernetesCatalogue {
  #bundled: BundledSchemas | undefined;
  readonly #known = new Map<string, Schema>();

  get(module: string, name: string): Schema | undefined {
    const key = `${module} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#bundled ??= JSON.parse(kubernetesSchemas) as BundledSchemas;
    const types = this.#bundled[module];
    const bundled = types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined;
    if (bundled === undefined) return undefined;
    const schema = this.#expand(bundled);
    this.#known.set(key, schema);
    return schema;
  }

  #expand({ $ref, properties, items, additionalProperties, ...keywords }: BundledSchema): Schema {
    if ($ref !== undefined) return { ...this.#referred($ref), ...keywords };
    return {
      ...keywords,
      ...(properties === undefined
        ? {}
        : { properties: new Map(Object.entries(properties).map(([name, inner]) => [name, this.#expand(inner)])) }),
      ...(items === undefined ? {} : { items: this.#expand(items) }),
      ...(additionalProperties === undefined ? {} : { additionalProperties: this.#expand(additionalProperties) }),
    };
  }

  #referred(reference: string): Schema {
    const [module = '', name = ''] = reference.split(' ');
    const schema = module === 'scalars' ? scalars.get(name) : this.get(module, name);
    if (schema === undefined) throw new Error(`the catalogue names ${reference}, which it does not have`);
    return schema;
  }
}

export const bundledCatalogue: KubernetesCatalogue = new BundledCatalogue();

/** Asks one catalogue after the other. */
export function catalogues(...all: readonly KubernetesCatalogue[]): KubernetesCatalogue {
  return {
    get(module, name) {
      for (const catalogue of all) {
        const schema = catalogue.get(module, name);
        if (schema !== undefined) return schema;
      }
      return undefined;
    },
  };
}
