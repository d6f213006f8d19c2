import { differences, fixedForms, namedTexts } from './differences.ts';
import { type DocumentSchema, referenceOf, type TypeName, type TypesByModule } from './documents.ts';

/** A schema of the catalogue: as it stands in a CRD, other types by `$ref`. */
export type CatalogueSchema = Record<string, unknown>;

/** Forms that controller-gen knows by itself; the reader has those of `Quantity` and `IntOrString` as its scalars. */
const scalars: Readonly<Record<string, CatalogueSchema>> = {
  Quantity: { $ref: 'scalars Quantity' },
  IntOrString: { $ref: 'scalars IntOrString' },
  RawExtension: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  JSON: { 'x-kubernetes-preserve-unknown-fields': true },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
};

/**
 * What is not in the schema of a CRD: enums (Go's types list no values), what merges patches, what says which kinds there are.
 * Everything that is not named here goes.
 */
const kept = [
  'type',
  'format',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
] as const;

/** The schemas of all types that are not recursive: no schema of a CRD can hold those that are. */
export function catalogueOf(types: TypesByModule): Record<string, Record<string, CatalogueSchema>> {
  const used = new Set<string>();
  const catalogue: Record<string, Record<string, CatalogueSchema>> = {};
  for (const [module, schemas] of Object.entries(types)) {
    if (module === 'scalars') continue;
    for (const [name, schema] of Object.entries(schemas)) {
      if (isRecursive({ module, name }, types)) continue;
      catalogue[module] = { ...catalogue[module], [name]: typeOf(`${module} ${name}`, schema, used) };
    }
  }
  for (const [module, texts] of Object.entries(namedTexts)) {
    for (const name of Object.keys(texts)) catalogue[module] = { ...catalogue[module], [name]: { type: 'string' } };
  }
  for (const { at, schema } of fixedForms) {
    const [module = '', name = ''] = at.split(' ');
    catalogue[module] = { ...catalogue[module], [name]: { ...schema } };
  }
  const unused = differences.find(({ at }) => !used.has(at));
  if (unused !== undefined) throw new Error(`${unused.at} is in no document`);
  return catalogue;
}

function typeOf(at: string, schema: DocumentSchema, used: Set<string>): CatalogueSchema {
  const found = formOf(schema, false);
  const { properties } = schema;
  if (properties !== undefined) {
    const required = new Set(schema.required);
    found['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        changed(`${at}.${name}`, formOf(property, !required.has(name)), used),
      ]),
    );
  }
  if (schema.required !== undefined) found['required'] = [...schema.required].sort((a, b) => (a < b ? -1 : 1));
  return changed(at, found, used);
}

function changed(at: string, schema: CatalogueSchema, used: Set<string>): CatalogueSchema {
  const all = differences.filter((difference) => difference.at === at);
  if (all.length > 0) used.add(at);
  const merged = Object.assign({}, schema, ...all.map(({ set }) => set)) as CatalogueSchema;
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

function formOf(schema: DocumentSchema, optionalMember: boolean): CatalogueSchema {
  const reference = referenceOf(schema);
  if (reference !== undefined) return { ...referred(reference), ...defaultOf(schema, optionalMember) };
  const form: CatalogueSchema = {};
  for (const keyword of kept) if (schema[keyword] !== undefined) form[keyword] = schema[keyword];
  if (schema.items !== undefined) form['items'] = formOf(schema.items, false);
  if (schema.additionalProperties !== undefined) {
    form['additionalProperties'] = formOf(schema.additionalProperties, false);
  }
  return { ...form, ...defaultOf(schema, optionalMember) };
}

function referred({ module, name }: TypeName): CatalogueSchema {
  if (module === 'apis/meta/v1' && (name === 'Time' || name === 'MicroTime')) return { ...scalars[name] };
  if (module !== 'scalars' && name !== 'JSON') return { $ref: `${module} ${name}` };
  const form = scalars[name];
  if (form === undefined) throw new Error(`${name} is a scalar that is not known`);
  return { ...form };
}

/**
 * Defaults that only say what Go's zero value is: `{}` everywhere, and empty texts, 0 and false where the member is required, or is
 * an item or a value. The others are written in the Go source.
 */
function defaultOf(schema: DocumentSchema, optionalMember: boolean): CatalogueSchema {
  const value = schema.default;
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)) return {};
  const zero = value === '' || value === 0 || value === false;
  return zero && !optionalMember ? {} : { default: value };
}

function isRecursive(type: TypeName, types: TypesByModule, around: readonly string[] = []): boolean {
  const at = `${type.module} ${type.name}`;
  if (around.includes(at)) return true;
  const schema = types[type.module]?.[type.name];
  if (schema === undefined || at === 'apis/meta/v1 ObjectMeta') return false;
  return referencesIn(schema).some((inner) => isRecursive(inner, types, [...around, at]));
}

function referencesIn(schema: DocumentSchema): TypeName[] {
  const reference = referenceOf(schema);
  if (reference !== undefined) return reference.module === 'scalars' ? [] : [reference];
  const inner = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})];
  return inner.flatMap((each) => (each === undefined ? [] : referencesIn(each)));
}
