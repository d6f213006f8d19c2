import { ts } from 'ts-morph';
import type { KubernetesCatalogue, Schema, SourcePosition, ValidationRule } from '../model/index.ts';
import { compareText } from '../model/index.ts';
import { isMarkerUse, type MarkerUse, nearest } from '../markers/index.ts';
import { intOrString } from './catalogue/scalars.ts';
import { celMember } from './cel-member.ts';
import { type Member, membersOf, reportClassMembers } from './members.ts';
import { inWrittenOrder } from './literal-order.ts';
import type { MarkerReader } from './marker-reader.ts';
import { Problems } from './problems.ts';
import { type Around, chainOf, endlessChain } from './recursion.ts';
import {
  applyLayers,
  asIntOrString,
  isImmutable,
  type Layer,
  names,
  replacement,
  replacementOfShape,
  reportReplacedKind,
} from './schema-markers.ts';
import type { SourceProject } from './source-project.ts';
import { descriptionDepth, hasMarker, withDescriptionDepth } from './layers.ts';
import { KubernetesDescriptions } from './kubernetes-descriptions.ts';
import { type Followed, TypeLayers } from './type-layers.ts';
import { WrittenTypes } from './type-nodes.ts';
import { noBindings, type WrittenType } from './written-type.ts';
import { isErrorType, isValueOfModule, libraryRemedy, splitUnion, symbolOf } from './type-parts.ts';
import { absentMembers, branchesInOrder } from './union-types.ts';
import { type Branch, unionOfBranches, type UnionProblem } from './union-branches.ts';

/** A type on its way to a schema, and where it stands. */
export interface Place {
  readonly type: ts.Type;
  readonly written: WrittenType | undefined;
  /** Where else it is written: a member of an intersection. */
  readonly alsoWritten?: readonly WrittenType[];
  /** How the type around this one is written: where the way to here cannot be followed, its aliases might have been lost. */
  readonly outer: WrittenType | undefined;
  readonly path: string;
  readonly position: SourcePosition;
  /** The object types around this one, outermost first. */
  readonly around: readonly Around[];
  /** The declarations of the member that has this type. */
  readonly declarations?: readonly ts.Node[];
  /** What `Items` and `Values` further out say about this type. */
  readonly nested?: readonly MarkerUse[];
  /** The members that objects of this branch of a union never have. */
  readonly absent?: ReadonlySet<string>;
  /** How many levels of descriptions of Kubernetes' types are asked for. */
  readonly described?: number;
}

/** What a type gave before its layers are applied. */
interface Base {
  readonly schema: Schema;
  readonly layers: readonly Layer[];
}

const preserve: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
const deepest = 60;

/** Turns types into schemas. Every type maps or is an error with its path; nothing is guessed. */
export class SchemaReader {
  readonly #project: SourceProject;
  readonly #catalogue: KubernetesCatalogue;
  readonly #types: WrittenTypes;
  readonly #layers: TypeLayers;
  readonly #descriptions: KubernetesDescriptions;
  #problems: Problems;

  constructor(project: SourceProject, markers: MarkerReader, catalogue: KubernetesCatalogue, problems: Problems) {
    this.#project = project;
    this.#catalogue = catalogue;
    this.#problems = problems;
    this.#types = new WrittenTypes(project.checker);
    this.#layers = new TypeLayers(project, markers, catalogue, this.#types);
    this.#descriptions = new KubernetesDescriptions(project);
  }

  /** The schema of a kind's declaration, without the members that every kind has. */
  kind(declaration: ts.ClassDeclaration | ts.InterfaceDeclaration, without: ReadonlySet<string>): Schema | undefined {
    const { checker } = this.#project;
    const symbol = declaration.name && checker.getSymbolAtLocation(declaration.name);
    if (symbol === undefined) return undefined;
    const place: Place = {
      type: checker.getDeclaredTypeOfSymbol(symbol),
      written: undefined,
      outer: undefined,
      path: '',
      position: this.#project.positionOf(declaration.name ?? declaration),
      around: [],
    };
    const base = this.#members(place, this.#layers.ofDeclaration(declaration, noBindings), without);
    reportReplacedKind(base.layers, this.#problems);
    return applyLayers(base.schema, base.layers, place, this.#problems);
  }

  /** The schema of a type with all that its member, its aliases and its own declaration say; undefined after an error. */
  #read(around: Place, member: Layer): Schema | undefined {
    const described = descriptionDepth(member) ?? around.described ?? 0;
    const place: Place = { ...around, described };
    const written = [place.written, ...(place.alsoWritten ?? [])].filter((each) => each !== undefined);
    const followed = this.#layers.followAll(written, place.type);
    const layers = [member, ...followed.layers];
    const uses = [...layers.flatMap((layer) => layer.uses), ...(place.nested ?? [])];
    const replaced = replacement(uses, this.#problems);
    const inner: Place = { ...place, written: followed.written, alsoWritten: [], nested: uses };
    const base = replaced === undefined ? this.#openOrBase(inner, uses, followed) : { schema: replaced, layers: [] };
    if (base === undefined) return undefined;
    const schema = uses.some(({ marker }) => marker.effect.kind === 'intOrString')
      ? asIntOrString(base.schema)
      : base.schema;
    const nullable = includesFlag(place.type, ts.TypeFlags.Null) ? { ...schema, nullable: true } : schema;
    return withDescriptionDepth(applyLayers(nullable, [...layers, ...base.layers], place, this.#problems), member);
  }

  /** Where a member keeps unknown fields, a type that cannot be expressed is any JSON value. */
  #openOrBase(place: Place, uses: readonly MarkerUse[], { scalar, member }: Followed): Base | undefined {
    if (scalar !== undefined) {
      const described = member && this.#descriptions.ofMember(scalar, member, place.described ?? 0);
      return { schema: described ?? scalar, layers: [] };
    }
    if (!hasMarker({ uses }, 'PreserveUnknownFields')) return this.#base(place);
    const outside = this.#problems;
    this.#problems = new Problems();
    try {
      const base = this.#base(place);
      if (base !== undefined && !this.#problems.has('recursiveType', 'anyType')) {
        outside.absorb(this.#problems);
        return base;
      }
      if (this.#problems.has('recursiveType', 'anyType')) return { schema: preserve, layers: [] };
      outside.absorb(this.#problems);
      return undefined;
    } finally {
      this.#problems = outside;
    }
  }

  #fail(
    name: Parameters<Problems['report']>[0],
    values: Readonly<Record<string, string>>,
    place: Place,
    remedy?: string,
  ): undefined {
    this.#problems.report(name, values, { position: place.position, path: place.path, remedy });
    return undefined;
  }

  #base(place: Place): Base | undefined {
    const { checker } = this.#project;
    const parts = splitUnion(place.type);
    const text = (): string => this.#project.typeText(place.type);
    if (place.around.length > deepest) {
      const { chain, path, position } = endlessChain(place);
      return this.#fail('recursiveType', { chain }, { ...place, path, position }, openRemedy);
    }
    switch (parts.kind) {
      case 'any':
        this.#problems.report(
          'anyType',
          {},
          {
            position: place.position,
            path: place.path,
            remedy: `write the type; 'unknown' stands for any JSON value`,
            followsFromTypescript: isErrorType(place.type),
          },
        );
        return undefined;
      case 'unknown':
        return { schema: preserve, layers: [] };
      case 'never':
        return this.#fail('neverType', { why: this.#whyNever(place) }, place);
      case 'nullish':
        return this.#fail(
          'unsupportedType',
          { type: text() },
          place,
          'leave the member out, or give it a type beside null',
        );
      case 'object':
        return this.#object({ ...place, type: parts.type });
      case 'openString':
        return this.#scalar({ type: 'string' }, parts.type, place);
      case 'openNumber':
        return this.#scalar({ type: 'number' }, parts.type, place);
      case 'boolean':
        return this.#scalar({ type: 'boolean' }, parts.type, place);
      case 'intOrString':
        return this.#scalar(intOrString, parts.type, place);
      case 'literals': {
        const values = inWrittenOrder(parts.values, place.written, this.#types, checker);
        return this.#scalar({ ...parts.schema, enum: values }, parts.type, place);
      }
      case 'texts':
        return this.#scalar(parts.schema, parts.type, place);
      case 'objects':
        return this.#union(place, parts.type, parts.types);
      case 'true':
      case 'false':
        return this.#scalar({ type: 'boolean', enum: [parts.kind === 'true'] }, parts.type, place);
      case 'enum':
        return this.#fail('numericEnum', { type: text() }, place, 'give each member a literal value');
      case 'union':
        return this.#fail(
          'unionType',
          { type: text() },
          place,
          'a union of literals, or number | string, can be; or use unknown',
        );
      case 'unsupported':
        break;
    }
    return this.#fail('unsupportedType', { type: text() }, place, parts.remedy);
  }

  /** A union of object types: a structural `oneOf` where each object can only be one of them. */
  #union(place: Place, type: ts.Type, types: readonly ts.Type[]): Base | undefined {
    const again = place.around.findIndex((outer) => outer.type === type);
    if (again !== -1) return this.#fail('recursiveType', { chain: chainOf(place, again) }, place, openRemedy);
    const around = this.#inside({ ...place, type });
    const branches: Branch[] = [];
    for (const { type: branch, written } of branchesInOrder(types, place.written, this.#types)) {
      const absent = absentMembers(branch, this.#project.checker);
      const inner: Place = { ...place, type: branch, written, around, absent, nested: [], alsoWritten: [] };
      const schema = this.#read(inner, { uses: [] });
      if (schema === undefined) return undefined;
      if (schema.type !== 'object' || schema.additionalProperties !== undefined) return this.#openUnion(place, type);
      branches.push({ schema, absent });
    }
    const found = unionOfBranches(branches);
    return 'problem' in found ? this.#unionProblem(found, place, type) : { schema: found, layers: [] };
  }

  #unionProblem(found: UnionProblem, place: Place, type: ts.Type): undefined {
    switch (found.problem) {
      case 'open':
        return this.#openUnion(place, type);
      case 'rule':
        return this.#fail('branchRule', {}, place, 'put the rule on the union: on its alias, or on the member');
      case 'default':
        return this.#fail('branchDefault', { member: found.member }, place, 'declare the member in all of the types');
      case 'conflict':
        break;
    }
    const [here, there] = found.shown;
    const at = found.positions.flatMap((position) =>
      position === undefined ? [] : [`${position.file}:${position.line}:${position.column}`],
    );
    const values = { member: found.member, here, there, places: at.join(' and ') };
    return this.#fail('unionConflict', values, place, 'give the members of one name one type, or other names');
  }

  #openUnion(place: Place, type: ts.Type): undefined {
    const remedy =
      "tell the types apart by a member that each requires with a literal of its own (type: 'a'), or by members that the others never have (b?: never); or use one type with optional members and the marker ExactlyOneOf";
    return this.#fail('unionType', { type: this.#project.typeText(type) }, place, remedy);
  }

  #whyNever(place: Place): string {
    const where = (place.declarations ?? [])
      .map((declaration) => this.#project.positionOf(declaration))
      .map(({ file, line, column }) => `${file}:${line}:${column}`)
      .join(' and ');
    return where === '' ? 'its parts contradict each other' : `its parts contradict each other (${where})`;
  }

  #scalar(schema: Schema, type: ts.Type, place: Place): Base | undefined {
    const lost = this.#layers.lost(place.written, place.outer, type, schema['x-kubernetes-int-or-string'] === true);
    if (lost !== undefined) {
      return this.#fail('markersLost', { alias: lost }, place, aliasRemedy);
    }
    return { schema, layers: [] };
  }

  #object(place: Place): Base | undefined {
    const { checker } = this.#project;
    const { type } = place;
    const text = (): string => this.#project.typeText(type);
    if ((type.flags & ts.TypeFlags.NonPrimitive) !== 0) return { schema: { type: 'object', ...preserve }, layers: [] };
    if (checker.isTupleType(type)) {
      return this.#fail(
        'unsupportedType',
        { type: `the tuple ${text()}` },
        place,
        'use a list, or an object with named members',
      );
    }
    if (checker.isArrayType(type)) return this.#list(place);
    if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) {
      return this.#fail('unsupportedType', { type: `the function ${text()}` }, place, plainJson);
    }
    if (isValueOfModule(type)) {
      return this.#fail('unsupportedType', { type: text() }, place);
    }
    const known = this.#known(place, text);
    if (known !== undefined) return known === 'error' ? undefined : known;
    const lost = this.#layers.lost(place.written, place.outer, type, false);
    if (lost !== undefined) return this.#fail('markersLost', { alias: lost }, place, aliasRemedy);
    const layers = this.#layers.ofShape(place.written, type);
    const replaced = replacementOfShape(layers, place, this.#problems);
    if (replaced !== undefined) return { schema: replaced, layers };
    const again = place.around.findIndex((outer) => outer.type === type);
    if (again !== -1) return this.#fail('recursiveType', { chain: chainOf(place, again) }, place, openRemedy);
    return checker.getIndexInfosOfType(type).length > 0 ? this.#map(place, layers) : this.#members(place, layers);
  }

  /** Types that are not walked: Kubernetes' own, and those of the language. */
  #known(place: Place, text: () => string): Base | 'error' | undefined {
    const symbol = symbolOf(place.type);
    for (const declaration of symbol?.declarations ?? []) {
      if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) continue;
      const runtime = this.#project.runtimeDeclaration(declaration);
      if (runtime?.module.startsWith('apis/') === true) {
        const schema = this.#catalogue.get(runtime.module, runtime.name);
        if (schema !== undefined) {
          return { schema: this.#descriptions.ofType(schema, place.type, place.described ?? 0), layers: [] };
        }
        this.#fail('unknownKubernetesType', { ...runtime }, place, `it is recursive: ${openRemedy}`);
        return 'error';
      }
      const file = declaration.getSourceFile();
      if (this.#project.isLibrary(file) || file.fileName.includes('/node_modules/@types/')) {
        const remedy = libraryRemedy(symbol?.name ?? '');
        if (symbol?.name === 'Date') {
          this.#problems.report('dateType', {}, { position: place.position, path: place.path, remedy });
          return { schema: { type: 'string', format: 'date-time' }, layers: [] };
        }
        this.#fail('libraryType', { type: text() }, place, remedy);
        return 'error';
      }
    }
    return undefined;
  }

  #list(place: Place): Base | undefined {
    const { checker } = this.#project;
    const [item] = checker.getTypeArguments(place.type as ts.TypeReference);
    if (item === undefined) return undefined;
    const written = place.written && this.#types.items(place.written);
    const lost = this.#layers.lost(place.written, place.outer, place.type, false);
    if (lost !== undefined) return this.#fail('markersLost', { alias: lost }, place);
    const items = this.#read(
      {
        ...place,
        declarations: [],
        type: item,
        written,
        outer: place.written ?? place.outer,
        path: `${place.path}[*]`,
        nested: nestedUses(place, 'items'),
        described: (place.described ?? 0) - 1,
      },
      { uses: [] },
    );
    // A mapped type over a list says what the list said.
    const mapped = place.written !== undefined && ts.isMappedTypeNode(place.written.node);
    const layers = mapped ? this.#layers.ofShape(place.written, place.type) : [];
    return items && { schema: { type: 'array', items }, layers };
  }

  #map(place: Place, layers: readonly Layer[]): Base | undefined {
    const { checker } = this.#project;
    const [info, ...others] = checker.getIndexInfosOfType(place.type);
    if (info === undefined) return undefined;
    if (place.type.getProperties().length > 0) {
      return this.#fail('mixedMembers', {}, place, 'put the open part into a member of its own');
    }
    if (others.length > 0 || !isText(info.keyType)) {
      const text = this.#project.typeText(place.type);
      return this.#fail('unsupportedType', { type: text }, place, 'the keys of a map are strings: Record<string, ...>');
    }
    const written = place.written && this.#types.values(place.written);
    const values = this.#read(
      {
        ...place,
        declarations: [],
        type: info.type,
        written,
        outer: place.written ?? place.outer,
        path: `${place.path}.*`,
        nested: nestedUses(place, 'values'),
        around: this.#inside(place),
        described: (place.described ?? 0) - 1,
      },
      { uses: [] },
    );
    return values && { schema: { type: 'object', additionalProperties: values }, layers };
  }

  #inside(place: Place): readonly Around[] {
    const name = place.type.aliasSymbol?.name ?? symbolOf(place.type)?.name ?? '';
    const { type, path, position } = place;
    return [...place.around, { type, name: name.startsWith('__') ? '' : name, path, position }];
  }

  #members(place: Place, layers: readonly Layer[], without: ReadonlySet<string> = new Set()): Base {
    reportClassMembers(place.type, this.#project, this.#problems, place.path);
    const properties = new Map<string, Schema>();
    const required: string[] = [];
    const rules: ValidationRule[] = [];
    const members = membersOf(place.type, place.position, place.path, this.#project, this.#problems);
    for (const member of members.filter(({ name }) => !without.has(name) && place.absent?.has(name) !== true)) {
      const layer = this.#layers.ofMember(member.declarations);
      if (hasMarker(layer, 'Ignore')) continue;
      const schema = this.#member(place, member, layer);
      if (schema === undefined) continue;
      properties.set(member.name, schema);
      if (!member.optional) required.push(member.name);
      else if (isImmutable(schema)) {
        const name = celMember(member.name);
        const message = `field ${member.name} is immutable once set`;
        rules.push({ rule: `!has(oldSelf.${name}) || has(self.${name})`, message });
      }
    }
    this.#checkGroups(layers, members, place);
    const schema: Schema = {
      type: 'object',
      ...(properties.size === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required: required.sort(compareText) }),
    };
    return {
      schema,
      layers: rules.length === 0 ? layers : [{ uses: [], keywords: { 'x-kubernetes-validations': rules } }, ...layers],
    };
  }

  #member(place: Place, member: Member, layer: Layer): Schema | undefined {
    const described = (place.described ?? 0) - 1;
    const kubernetes = this.#layers.kubernetesMember(member);
    const [declaration] = member.declarations;
    if (kubernetes !== undefined && declaration !== undefined) {
      const at = { path: member.path, position: member.position };
      return applyLayers(this.#descriptions.ofMember(kubernetes, declaration, described), [layer], at, this.#problems);
    }
    if (member.untyped)
      return this.#fail('noTypeAnnotation', {}, { ...place, path: member.path, position: member.position });
    const [written, ...alsoWritten] = this.#layers.writtenMember(place.written, place.type, member);
    return this.#read(
      {
        type: member.type,
        written,
        alsoWritten,
        outer: place.written ?? place.outer,
        path: member.path,
        position: member.position,
        around: this.#inside(place),
        declarations: member.declarations,
        described,
      },
      layer,
    );
  }

  /** The members that one-of markers name must be there, and optional. */
  #checkGroups(layers: readonly Layer[], members: readonly Member[], place: Place): void {
    for (const use of layers.flatMap(({ uses }) => uses)) {
      if (use.marker.effect.kind !== 'oneOf') continue;
      for (const name of names(use)) {
        const member = members.find((candidate) => candidate.name === name);
        if (member?.optional === true) continue;
        const problem = member === undefined ? 'is not there' : 'is required';
        const meant = nearest(
          name,
          members.map((each) => each.name),
        );
        const declare = meant === undefined ? 'declare the member, or take its name out' : `did you mean '${meant}'?`;
        const remedy = member === undefined ? declare : "write '?' behind the member's name";
        const values = { name: use.marker.name, member: name, problem };
        this.#problems.report('oneOfMember', values, { position: use.position, path: place.path, remedy });
      }
    }
  }
}

const aliasRemedy = 'name the alias where the member is declared';
const plainJson = 'objects of an API are plain JSON: put functions elsewhere';
const openRemedy = 'mark the member as free-form with Schemaless() and PreserveUnknownFields()';

/** The markers that `Items` or `Values` of a place hold for what is inside. */
function nestedUses(place: Place, of: 'items' | 'values'): MarkerUse[] {
  return (place.nested ?? [])
    .filter(({ marker }) => marker.effect.kind === 'nested' && marker.effect.of === of)
    .flatMap(({ values }) => values.filter(isMarkerUse));
}

function includesFlag(type: ts.Type, flag: ts.TypeFlags): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & flag) !== 0);
}

/** A string, or a string with a phantom beside it. */
function isText(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.String) !== 0 || (type.isIntersection() && type.types.some(isText));
}
