import { namedTexts } from './differences.ts';
import { type DocumentSchema, referenceOf, type TypesByModule } from './documents.ts';
import { kindConstant, type ServedKinds } from './kinds.ts';
import { ListKeys } from './list-keys.ts';

/** Types of `meta/v1` that are declared by hand, or that no author of types names. */
const meta = new Set([
  'Condition',
  'FieldsV1',
  'ListMeta',
  'ManagedFieldsEntry',
  'MicroTime',
  'ObjectMeta',
  'OwnerReference',
  'Patch',
  'ShardInfo',
  'Status',
  'StatusCause',
  'StatusDetails',
  'Time',
]);

const byHand: Readonly<Record<string, ReadonlySet<string>>> = {
  'apis/meta/v1': meta,
  'apis/autoscaling/v1': new Set(['Scale', 'ScaleSpec', 'ScaleStatus']),
};

const scalarImports = ['IntOrString', 'Quantity', 'double', 'int32', 'int64'];

/** The text of each module, by its name: types, and the values of the kinds that are served. */
export function declarationsOf(types: TypesByModule, served: ServedKinds): Map<string, string> {
  const modules = new Map<string, string>();
  const keys = new ListKeys(types);
  for (const [module, schemas] of Object.entries(types)) {
    if (module === 'scalars') continue;
    const names = Object.keys(schemas).filter((name) => byHand[module]?.has(name) !== true && !isList(schemas[name]));
    if (names.length === 0) continue;
    const writer = new ModuleWriter(module, types, served, keys);
    modules.set(module, writer.write(names));
  }
  return modules;
}

function isList(schema: DocumentSchema | undefined): boolean {
  const kind = schema?.['x-kubernetes-group-version-kind']?.[0]?.kind;
  return kind?.endsWith('List') === true && schema?.properties?.['items'] !== undefined;
}

class ModuleWriter {
  readonly #module: string;
  readonly #types: TypesByModule;
  readonly #served: ServedKinds;
  readonly #keys: ListKeys;
  /** The names that are used of other modules. */
  readonly #imports = new Map<string, Set<string>>();

  constructor(module: string, types: TypesByModule, served: ServedKinds, keys: ListKeys) {
    this.#module = module;
    this.#types = types;
    this.#served = served;
    this.#keys = keys;
  }

  write(names: readonly string[]): string {
    const texts = Object.entries(namedTexts[this.#module] ?? {}).map(([name, at]) => this.#namedText(name, at));
    if (this.#module === 'apis/core/v1') {
      const quantity = this.#use('scalars', 'Quantity');
      texts.push(`export type ResourceList = Record<string, ${quantity}>;\n`);
    }
    const interfaces = names.map((name) => this.#declaration(name, this.#types[this.#module]?.[name] ?? {}));
    const keys = names.flatMap((name) => {
      const body = this.#keys.body({ module: this.#module, name }, (type) =>
        this.#use(type.module, `${type.name}ListKeys`),
      );
      return body === undefined ? [] : [`export interface ${name}ListKeys ${body}\n`];
    });
    const imports = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([module, used]) => `import type { ${[...used].sort().join(', ')} } from '${this.#path(module)}';\n`);
    const constants = names.flatMap((name) => {
      const kind = this.#served.of(name, this.#types[this.#module]?.[name] ?? {});
      if (kind === undefined) return [];
      return [kindConstant(kind, this.#keys.has({ module: this.#module, name }) ? `${name}ListKeys` : undefined)];
    });
    if (constants.length > 0) imports.push("import { defineKind, type Kind } from '../../kind/kind.ts';\n");
    return `${imports.join('')}${imports.length > 0 ? '\n' : ''}${[...texts, ...interfaces, ...keys, ...constants].join('\n')}`;
  }

  #path(module: string): string {
    return module === 'scalars' ? '../../scalars/scalars.ts' : `../../${module}.ts`;
  }

  #use(module: string, name: string): string {
    if (module === this.#module && byHand[module]?.has(name) !== true) return name;
    this.#imports.set(module, (this.#imports.get(module) ?? new Set()).add(name));
    return name;
  }

  #namedText(name: string, at: string): string {
    const [type = '', member = ''] = at.split('.');
    const property = this.#types[this.#module]?.[type]?.properties?.[member];
    const values = property?.enum ?? property?.items?.enum;
    if (property === undefined) throw new Error(`${at} is in no document`);
    return `export type ${name} = ${values === undefined ? 'string' : unionOf(values)};\n`;
  }

  #declaration(name: string, schema: DocumentSchema): string {
    const { properties } = schema;
    if (properties === undefined) return `export type ${name} = ${this.#type(schema)};\n`;
    const [kind] = schema['x-kubernetes-group-version-kind']?.filter((each) => each.kind === name) ?? [];
    const isObject = kind !== undefined && properties['metadata'] !== undefined;
    const required = new Set(schema.required);
    const lines = Object.entries(properties).map(([member, property]) => {
      if (isObject && member === 'apiVersion') {
        return `  apiVersion: '${kind.group === '' ? '' : `${kind.group}/`}${kind.version}';\n`;
      }
      if (isObject && member === 'kind') return `  kind: '${kind.kind}';\n`;
      if (isObject && member === 'metadata') return `  metadata: ${this.#use('apis/meta/v1', 'ObjectMeta')};\n`;
      const key = /^[A-Za-z_$][\w$]*$/.test(member) ? member : `'${member}'`;
      return `  ${key}${required.has(member) ? '' : '?'}: ${this.#type(property)};\n`;
    });
    return `export interface ${name} {\n${lines.join('')}}\n`;
  }

  #type(schema: DocumentSchema): string {
    const reference = referenceOf(schema);
    if (reference !== undefined) return this.#reference(reference.module, reference.name);
    switch (schema.type) {
      case 'array': {
        const item = schema.items === undefined ? 'unknown' : this.#type(schema.items);
        return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
      }
      case 'object': {
        const { additionalProperties } = schema;
        return `Record<string, ${additionalProperties === undefined ? 'unknown' : this.#type(additionalProperties)}>`;
      }
      case 'integer':
      case 'number': {
        const format = schema.format ?? '';
        return scalarImports.includes(format) ? this.#use('scalars', format) : 'number';
      }
      case 'boolean':
        return 'boolean';
      case 'string':
        if (schema.format === 'date-time') return this.#use('apis/meta/v1', 'Time');
        return schema.enum === undefined ? 'string' : unionOf(schema.enum);
      default:
        return 'unknown';
    }
  }

  #reference(module: string, name: string): string {
    if (module !== 'scalars') {
      if (name === 'JSON' || name === 'FieldsV1' || name === 'Patch') return 'unknown';
      return this.#use(module, name);
    }
    if (scalarImports.includes(name)) return this.#use('scalars', name);
    if (name === 'RawExtension') return 'Record<string, unknown>';
    throw new Error(`${name} is a scalar that is not known`);
  }
}

function unionOf(values: readonly string[]): string {
  return values.map((value) => `'${value.replace(/['\\]/g, '\\$&')}'`).join(' | ');
}
