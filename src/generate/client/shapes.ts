import { localName, stringLiteral } from './identifiers.ts';

/** What a client file says of its kind. */
export interface ClientShape {
  /** The identifier of the kind's type and value. */
  readonly name: string;
  /** `<group>/<version>` */
  readonly apiVersion: string;
  readonly listKind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly subresources: readonly ('status' | 'scale')[];
  /** The body of the interface of the keys of lists, where the kind has such lists. */
  readonly listKeys: string | undefined;
}

/** The names of operator-runtime in a client file, as they are called there: none may hide a name of the kind. */
export interface RuntimeNames {
  readonly applyConfiguration: string;
  readonly client: string;
  readonly kind: string;
  readonly kindClient: string;
  readonly list: string;
  readonly object: string;
  readonly defineKind: string;
  readonly makeClient: string;
}

/** The names that a client file exports. */
export function exportedNames(name: string): string[] {
  return [name, `${name}List`, `${name}ListKeys`, `${name}ApplyConfiguration`, `${name}Client`];
}

export function runtimeNames(taken: ReadonlySet<string>): RuntimeNames {
  return {
    applyConfiguration: localName('ApplyConfiguration', taken),
    client: localName('Client', taken),
    kind: localName('Kind', taken),
    kindClient: localName('KindClient', taken),
    list: localName('KubernetesList', taken),
    object: localName('KubernetesObject', taken),
    defineKind: localName('defineKind', taken),
    makeClient: localName('kindClient', taken),
  };
}

/** The imports of operator-runtime; `types` are imported beside those of every client. */
export function runtimeImports(names: RuntimeNames, types: readonly string[] = []): string {
  const values = [imported('defineKind', names.defineKind), imported('kindClient', names.makeClient)];
  const ofKinds = [
    imported('ApplyConfiguration', names.applyConfiguration),
    imported('Client', names.client),
    imported('Kind', names.kind),
    imported('KindClient', names.kindClient),
    imported('KubernetesList', names.list),
    imported('KubernetesObject', names.object),
    ...types,
  ];
  return `${importStatement('import', values)}\n${importStatement('import type', ofKinds)}`;
}

const longestLine = 120;

/** As prettier breaks it. */
function importStatement(start: string, names: readonly string[]): string {
  const line = `${start} { ${names.join(', ')} } from 'operator-runtime';`;
  if (line.length <= longestLine) return line;
  return `${start} {\n${names.map((name) => `  ${name},\n`).join('')}} from 'operator-runtime';`;
}

export function imported(name: string, local: string): string {
  return name === local ? name : `${name} as ${local}`;
}

/** The members of `defineKind`'s argument, each with its text. */
export function kindInfo(
  kind: { readonly group: string; readonly kind: string; readonly plural: string; readonly scope: string },
  version: string,
  subresources: readonly string[],
): (readonly [string, string])[] {
  return [
    ['group', stringLiteral(kind.group)],
    ['version', stringLiteral(version)],
    ['kind', stringLiteral(kind.kind)],
    ['plural', stringLiteral(kind.plural)],
    ['scope', stringLiteral(kind.scope)],
    ['subresources', `[${subresources.map((each) => stringLiteral(each)).join(', ')}]`],
  ];
}

/** The value of a kind, and what goes with it: its list, what apply takes of it, and its client. */
export function kindShapes(
  shape: ClientShape,
  info: readonly (readonly [string, string])[],
  names: RuntimeNames,
): string {
  const { name, apiVersion, listKind, scope } = shape;
  const subresources = shape.subresources.map((each) => stringLiteral(each)).join(' | ');
  const keys = shape.listKeys === undefined ? [] : [`${name}ListKeys`];
  const type = [names.kind, name, stringLiteral(scope), subresources || 'never', ...keys] as const;
  const isNamespaced = scope === 'Namespaced';
  const parameters = [`client: ${names.client}`, ...(isNamespaced ? ['namespace: string'] : [])];
  const typeArguments = subresources === '' && keys.length === 0 ? [name] : [name, subresources || 'never', ...keys];
  const made: Call = {
    // Type arguments that are written spare the compiler to compare clients of all kinds with each other, which takes it long.
    name: names.makeClient,
    typeArguments: [name, subresources || 'never', ...keys],
    values: ['client', name, ...(isNamespaced ? ['namespace'] : [])],
  };
  return `${value(name, type, `/* @__PURE__ */ ${names.defineKind}`, info)}

export interface ${name}List extends ${names.list}<${name}> {
  apiVersion: ${stringLiteral(apiVersion)};
  kind: ${stringLiteral(listKind)};
}

${listKeysText(shape)}/** What server-side apply takes. */
${alias(`${name}ApplyConfiguration`, names.applyConfiguration, [name, stringLiteral(scope), ...keys])}

/** ${isNamespaced ? 'The objects of one namespace.' : 'All objects.'} */
${alias(`${name}Client`, names.kindClient, typeArguments)}

${arrow(`${name}Client`, parameters, made)}
`;
}

function listKeysText({ name, listKeys }: ClientShape): string {
  if (listKeys === undefined) return '';
  return `/** Lists that are maps: server-side apply takes no item of them without its keys. */
export interface ${name}ListKeys ${listKeys}

`;
}

// What follows breaks lines as prettier does.

function value(
  name: string,
  [generic, ...typeArguments]: readonly [string, ...string[]],
  call: string,
  members: readonly (readonly [string, string])[],
): string {
  const body = (indent: string): string => members.map(([member, text]) => `${indent}${member}: ${text},\n`).join('');
  const head = `export const ${name}: ${generic}<${typeArguments.join(', ')}> =`;
  const line = `${head} ${call}(`;
  if (line.length + 1 <= longestLine) return `${line}{\n${body('  ')}});`;
  if (line.length <= longestLine) return `${line}\n  {\n${body('    ')}  },\n);`;
  if (head.length <= longestLine) return `${head}\n  ${call}({\n${body('    ')}  });`;
  const broken = typeArguments.map((each) => `  ${each}`).join(',\n');
  return `export const ${name}: ${generic}<\n${broken}\n> = ${call}({\n${body('  ')}});`;
}

function alias(name: string, generic: string, typeArguments: readonly string[]): string {
  const line = `export type ${name} = ${generic}<${typeArguments.join(', ')}>;`;
  if (line.length <= longestLine) return line;
  if (typeArguments.length === 1) return `export type ${name} =\n  ${generic}<${typeArguments.join()}>;`;
  return `export type ${name} = ${generic}<\n${typeArguments.map((each) => `  ${each}`).join(',\n')}\n>;`;
}

interface Call {
  readonly name: string;
  readonly typeArguments: readonly string[];
  readonly values: readonly string[];
}

function arrow(name: string, parameters: readonly string[], call: Call): string {
  const called = `${call.name}<${call.typeArguments.join(', ')}>(`;
  const body = `${called}${call.values.join(', ')});`;
  const head = `export const ${name} = (${parameters.join(', ')}): ${name} =>`;
  if (head.length + 1 + body.length <= longestLine) return `${head} ${body}`;
  const broken = `export const ${name} = (\n${list(parameters, '  ')}): ${name} =>`;
  const start = head.length <= longestLine ? head : broken;
  const last = `): ${name} => ${body}`;
  if (start === broken && last.length <= longestLine) return `${broken} ${body}`;
  if (body.length + 2 <= longestLine) return `${start}\n  ${body}`;
  if (called.length + 2 <= longestLine) return `${start}\n  ${called}\n${list(call.values, '    ')}  );`;
  const types = call.typeArguments.map((each) => `    ${each}`).join(',\n');
  return `${start}\n  ${call.name}<\n${types}\n  >(${call.values.join(', ')});`;
}

function list(values: readonly string[], indent: string): string {
  return values.map((each) => `${indent}${each},\n`).join('');
}
