import { type DocumentSchema, referenceOf, type TypeName, type TypesByModule } from './documents.ts';

/** Members that `ApplyConfiguration` has types of its own for. */
const ownMembers = new Set(['apiVersion', 'kind', 'metadata']);

/** Which types have lists that are maps, and what says so in the type parameter `L` of `Kind`. */
export class ListKeys {
  readonly #types: TypesByModule;
  readonly #known = new Map<string, boolean>();

  constructor(types: TypesByModule) {
    this.#types = types;
  }

  /** Whether a type has such lists in it, at any depth. */
  has({ module, name }: TypeName): boolean {
    const at = `${module} ${name}`;
    const known = this.#known.get(at);
    if (known !== undefined) return known;
    // A type in itself adds nothing.
    this.#known.set(at, false);
    const found = this.body({ module, name }, () => '') !== undefined;
    this.#known.set(at, found);
    return found;
  }

  /** The body of the interface of a type; `use` names that of another. `undefined` where the type has no such list. */
  body({ module, name }: TypeName, use: (type: TypeName) => string): string | undefined {
    const { properties = {} } = this.#types[module]?.[name] ?? {};
    const lines = Object.entries(properties).flatMap(([member, property]) => {
      const text = ownMembers.has(member) ? undefined : this.#text(property, use);
      return text === undefined ? [] : [`  ${/^[A-Za-z_$][\w$]*$/.test(member) ? member : `'${member}'`}: ${text};\n`];
    });
    return lines.length === 0 ? undefined : `{\n${lines.join('')}}`;
  }

  #text(schema: DocumentSchema, use: (type: TypeName) => string): string | undefined {
    const reference = referenceOf(schema);
    if (reference !== undefined) return this.has(reference) ? use(reference) : undefined;
    const { items, additionalProperties } = schema;
    if (additionalProperties !== undefined) {
      const values = this.#text(additionalProperties, use);
      return values && `{ [name: string]: ${values} }`;
    }
    if (items === undefined) return undefined;
    const isMap = schema['x-kubernetes-list-type'] === 'map';
    const keys = (isMap ? (schema['x-kubernetes-list-map-keys'] ?? []) : []).filter((key) =>
      this.#isNeeded(items, key),
    );
    const inner = this.#text(items, use);
    if (keys.length === 0 && inner === undefined) return undefined;
    const names = keys.length === 0 ? 'never' : keys.map((key) => `'${key}'`).join(' | ');
    return inner === undefined ? `[${names}]` : `[${names}, ${inner}]`;
  }

  /** A key with a default may be left out; the documents also give one to what is required, the zero of Go. */
  #isNeeded(items: DocumentSchema, key: string): boolean {
    const { module = '', name = '' } = referenceOf(items) ?? {};
    const { required = [], properties } = this.#types[module]?.[name] ?? {};
    return required.includes(key) || properties?.[key]?.default === undefined;
  }
}
