import { ts } from 'ts-morph';
import type { SourcePosition } from '../model/index.ts';
import {
  checkArguments,
  isMarkerUse,
  type Marker,
  markerByName,
  markerByTag,
  type MarkerUse,
  suggestName,
  suggestTag,
} from '../markers/index.ts';
import { commentRanges, endsLine } from './comment-ranges.ts';
import { ConstantEvaluator, type ConstantScope, NotConstantError } from './constants.ts';
import { isLostMarker, markerName, resolveDecorator } from './decorators.ts';
import { descriptionOf, type DocComment, type DocTag, offsetIn, parseDocComment } from './doc-comment.ts';
import { withoutGoMarkers } from './go-markers.ts';
import { placeName, placesOf, whereItStands } from './marker-places.ts';
import type { Problems } from './problems.ts';
import type { SourceProject } from './source-project.ts';
import { standardTags } from './standard-tags.ts';
import { isCodeBlock, syntaxRemedy, unquotedRemedy } from './tag-remedies.ts';
import { isErrorType } from './type-parts.ts';

/** What a declaration says beyond its type. */
export interface Markings {
  readonly uses: readonly MarkerUse[];
  readonly description: string | undefined;
}

interface Argument {
  readonly value: MarkerUse['values'][number];
  readonly position: SourcePosition;
}

/** Reads the markers and the description of declarations, each declaration once. */
export class MarkerReader {
  readonly #project: SourceProject;
  readonly #problems: Problems;
  readonly #allowedTags: ReadonlySet<string>;
  readonly #read = new Map<ts.Node, Markings>();
  readonly #readComments = new Map<ts.SourceFile, Set<number>>();
  readonly #sourceScope: ConstantScope;
  #hasUnknownDecorator = false;
  #firstDecorator: SourcePosition | undefined;

  constructor(project: SourceProject, problems: Problems, allowedTags: Iterable<string>) {
    this.#project = project;
    this.#problems = problems;
    this.#allowedTags = new Set(allowedTags);
    const { checker } = project;
    const markerOf = (call: ts.CallExpression): MarkerUse | undefined => this.#markerOfCall(call);
    const symbolOf = (name: ts.Identifier): ts.Symbol | undefined => checker.getSymbolAtLocation(name);
    this.#sourceScope = { checker, symbolOf, markerOf, sourceMarkerOf: markerOf };
  }

  /** `declaration` is a class, interface, type alias, enum, or a member of one. */
  read(declaration: ts.Node): Markings {
    const known = this.#read.get(declaration);
    if (known !== undefined) return known;
    const comments = this.#comments(declaration);
    const uses = [
      ...this.#decorators(declaration),
      ...comments.flatMap(({ tags }) => tags.flatMap((tag) => this.#tag(tag, declaration) ?? [])),
    ].sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column);
    const last = comments.at(-1);
    const markings = { uses: this.#placed(uses, declaration), description: last && describe(last) };
    this.#read.set(declaration, markings);
    return markings;
  }

  /** Where the first of our decorators was read, if any was. */
  get firstDecorator(): SourcePosition | undefined {
    return this.#firstDecorator;
  }

  /** Whether a decorator was not resolved at all: it may be a marker once its package is there. */
  get hasUnknownDecorator(): boolean {
    return this.#hasUnknownDecorator;
  }

  /** Whether the comment that starts at an offset was read as that of a declaration. */
  hasRead(file: ts.SourceFile, offset: number): boolean {
    return this.#readComments.get(file)?.has(offset) === true;
  }

  #seen(file: ts.SourceFile, offset: number): void {
    const offsets = this.#readComments.get(file) ?? new Set();
    this.#readComments.set(file, offsets.add(offset));
  }

  /** The marker that a decorator's or a nested call's callee names, by its declaration. */
  #markerOf(callee: ts.Expression): Marker | 'unknown' | undefined {
    const name = markerName(callee, this.#project);
    return name === undefined ? undefined : this.#markerNamed(name, callee);
  }

  #markerNamed(name: string, callee: ts.Expression): Marker | 'unknown' {
    const marker = markerByName(name);
    if (marker !== undefined) return marker;
    const meant = suggestName(name);
    const remedy = meant === undefined ? undefined : `did you mean ${meant}?`;
    this.#problems.report('unknownMarker', { name }, { position: this.#project.positionOf(callee), remedy });
    return 'unknown';
  }

  #decorators(declaration: ts.Node): MarkerUse[] {
    if (!ts.canHaveDecorators(declaration)) return [];
    return (ts.getDecorators(declaration) ?? []).flatMap((decorator) => {
      const position = this.#project.positionOf(decorator);
      const resolved = resolveDecorator(decorator.expression, this.#project);
      if (resolved === undefined) {
        if (isLostMarker(decorator.expression, this.#project)) {
          const text = shorten(decorator.getText());
          const remedy = 'write the marker itself, such as @Minimum(1), or a const that is set to it';
          this.#problems.report('decoratorLost', { text }, { position, remedy });
        }
        this.#hasUnknownDecorator ||= isErrorType(this.#project.checker.getTypeAtLocation(decorator.expression));
        return [];
      }
      const { name, callee, call } = resolved;
      const marker = this.#markerNamed(name, callee);
      if (marker === 'unknown') return [];
      this.#firstDecorator ??= position;
      if (call === undefined) {
        this.#problems.report(
          'notOurMarker',
          { name: marker.name },
          { position, remedy: `write @${marker.name}(...)` },
        );
        return [];
      }
      const values = this.#arguments(call.arguments, this.#sourceScope, (node) => this.#project.positionOf(node));
      return this.#use(marker, marker.name, values, position);
    });
  }

  #markerOfCall(call: ts.CallExpression): MarkerUse | undefined {
    const marker = this.#markerOf(call.expression);
    if (marker === undefined || marker === 'unknown') return undefined;
    const positionOf = (node: ts.Node): SourcePosition => this.#project.positionOf(node);
    const values = this.#arguments(call.arguments, this.#sourceScope, positionOf);
    return this.#use(marker, marker.name, values, positionOf(call))[0];
  }

  #comments(declaration: ts.Node): DocComment[] {
    const file = declaration.getSourceFile();
    const comments = new Map<number, DocComment>();
    for (const { pos, end } of commentRanges(declaration)) {
      const comment = docComment(file.text.slice(pos, end), pos);
      if (comment === undefined) continue;
      comments.set(pos, comment);
      this.#seen(file, pos);
    }
    this.#checkBehind(declaration);
    return [...comments].sort(([a], [b]) => a - b).map(([, comment]) => comment);
  }

  /** A doc comment behind a declaration, on the same line, belongs to nothing. */
  #checkBehind(declaration: ts.Node): void {
    const file = declaration.getSourceFile();
    for (const { pos, end } of ts.getTrailingCommentRanges(file.text, declaration.end) ?? []) {
      if (!endsLine(file.text, end)) continue;
      this.#seen(file, pos);
      for (const { name, offset } of docComment(file.text.slice(pos, end), pos)?.tags ?? []) {
        const marker = markerByTag(name);
        if (marker === undefined) continue;
        const values = { name: marker.name, place: `the line behind ${placeName(declaration)}` };
        const position = this.#project.position(file, offset);
        this.#problems.report('markerPlace', values, { position, remedy: 'put the comment in front of it' });
      }
    }
  }

  #tag(tag: DocTag, declaration: ts.Node): MarkerUse[] | undefined {
    const file = declaration.getSourceFile();
    const position = this.#project.position(file, tag.offset);
    const marker = markerByTag(tag.name);
    if (marker === undefined) {
      this.#checkTag(tag, position);
      return undefined;
    }
    const text = withoutGoMarkers(tag.text);
    const parsed = isCodeBlock(text) ? 'a block of code is no value' : parseExpressions(text);
    const at = (offset: number): SourcePosition => this.#project.position(file, offsetIn(tag, offset - 1));
    if (typeof parsed === 'string' || (marker.parameters.length === 0 && parsed.elements.length > 0)) {
      const problem = typeof parsed === 'string' ? parsed : 'it takes no arguments';
      const remedy = syntaxRemedy(marker, text);
      this.#problems.report('markerSyntax', { name: tag.name, problem }, { position, remedy });
      return undefined;
    }
    const positionOf = (node: ts.Node): SourcePosition => at(node.getStart());
    const values = this.#arguments(parsed.elements, this.#tagScope(declaration, positionOf), positionOf);
    return this.#use(marker, `@${tag.name}`, values, position);
  }

  #checkTag(tag: DocTag, position: SourcePosition): void {
    const { name } = tag;
    if (name === 'required' || name === 'optional') {
      const remedy = "write '?' behind the member's name, or nothing";
      this.#problems.report('requiredTag', { name }, { position, remedy });
      return;
    }
    if (standardTags.has(name) || this.#allowedTags.has(name) || name.startsWith('kubebuilder:')) return;
    const meant = suggestTag(name);
    const remedy =
      meant === undefined ? "a tag of your own goes into 'allowedTags' of operator.json" : `did you mean @${meant}?`;
    this.#problems.report('unknownTag', { name }, { position, remedy });
  }

  #tagScope(declaration: ts.Node, positionOf: (node: ts.Node) => SourcePosition): ConstantScope {
    const { checker } = this.#project;
    const scope: ConstantScope = {
      checker,
      symbolOf: (name) =>
        checker
          .getSymbolsInScope(declaration, ts.SymbolFlags.Value | ts.SymbolFlags.Alias)
          .find((symbol) => symbol.name === name.text),
      markerOf: (call) => {
        const marker = ts.isIdentifier(call.expression) ? markerByTag(plainTag(call.expression.text)) : undefined;
        if (marker === undefined) return undefined;
        const values = this.#arguments(call.arguments, scope, positionOf);
        return this.#use(marker, marker.tag, values, positionOf(call))[0];
      },
      sourceMarkerOf: this.#sourceScope.markerOf,
    };
    return scope;
  }

  #arguments(
    nodes: readonly ts.Expression[],
    scope: ConstantScope,
    positionOf: (node: ts.Node) => SourcePosition,
  ): Argument[] | undefined {
    try {
      return new ConstantEvaluator(scope)
        .evaluateList(nodes)
        .map(({ value, node }) => ({ value, position: positionOf(node) }));
    } catch (error) {
      if (!(error instanceof NotConstantError)) throw error;
      const text = shorten(error.node.getText());
      const inTag = nodes.some((node) => node.getSourceFile() === error.node.getSourceFile());
      const position = inTag ? positionOf(error.node) : this.#project.positionOf(error.node);
      const remedy = inTag && error.isUnknownName ? unquotedRemedy(error.node, nodes) : undefined;
      this.#problems.report('notConstant', { text, problem: error.message }, { position, remedy });
      return undefined;
    }
  }

  #use(marker: Marker, shown: string, values: readonly Argument[] | undefined, position: SourcePosition): MarkerUse[] {
    if (values === undefined) return [];
    const found = checkArguments(
      marker,
      values.map(({ value }) => value),
    );
    for (const { problem, remedy, index } of found) {
      const place = index === undefined ? position : (values[index]?.position ?? position);
      this.#problems.report('markerArguments', { name: shown, problem }, { position: place, remedy });
    }
    if (found.length > 0) return [];
    const use: MarkerUse = { marker, values: values.map(({ value }) => value), position };
    return this.#nestedFit(use) ? [use] : [];
  }

  /** Inside `Items` and `Values` stand markers of members that speak of a schema. */
  #nestedFit(use: MarkerUse): boolean {
    let fits = true;
    for (const inner of use.values.filter(isMarkerUse)) {
      const { effect, targets, name } = inner.marker;
      const allowed = ['keywords', 'nested', 'schemaless', 'replace', 'intOrString', 'immutable'].includes(effect.kind);
      if (allowed && targets.includes('property') && name !== 'Default' && name !== 'Example') continue;
      this.#problems.report('nestedMarker', { name, outer: use.marker.name }, { position: inner.position });
      fits = false;
    }
    return fits;
  }

  /** Drops what cannot stand on a declaration, or stands there once too often, and says so. */
  #placed(uses: readonly MarkerUse[], declaration: ts.Node): MarkerUse[] {
    const targets = placesOf(declaration);
    const seen = new Set<string>();
    return uses.filter(({ marker, position }) => {
      if (!marker.targets.some((target) => targets.includes(target))) {
        const place = placeName(declaration);
        this.#problems.report('markerPlace', { name: marker.name, place }, { position, remedy: whereItStands(marker) });
        return false;
      }
      if (seen.has(marker.name) && !marker.repeatable) {
        this.#problems.report('markerTwice', { name: marker.name }, { position });
        return false;
      }
      seen.add(marker.name);
      return true;
    });
  }
}

function docComment(text: string, offset: number): DocComment | undefined {
  if (!text.startsWith('/**') || text === '/**/') return undefined;
  return parseDocComment(text, offset, (tag) => markerByTag(tag) !== undefined);
}

/** A comment's description; `@internal` keeps it to the source, `@deprecated` says so in a paragraph of its own. */
function describe(comment: DocComment): string | undefined {
  if (comment.tags.some(({ name }) => name === 'internal')) return undefined;
  const parts = [descriptionOf(comment.text)];
  const deprecated = comment.tags.find(({ name }) => name === 'deprecated');
  if (deprecated !== undefined) parts.push(`Deprecated: ${descriptionOf(deprecated.text).trim()}`.replace(/: $/, '.'));
  const text = parts.filter((part) => part !== '').join('\n\n');
  return text === '' ? undefined : text;
}

/** Strings, and the tags that are words of the language (`enum('a')` inside of `items`). */
const reservedCalls = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\b(?:enum|default)(?=\s*\()/g;
const stand = new Map([
  ['enum', '$num'],
  ['default', '$efault'],
]);

/** The tag for which a name of the same length stands in an expression, so that it can be parsed. */
function plainTag(name: string): string {
  return [...stand].find(([, other]) => other === name)?.[0] ?? name;
}

/** Many tags say the same: `@minLength 1`. */
const parsedTags = new Map<string, ts.ArrayLiteralExpression | string>();

/** The expressions of a tag as the elements of an array, their offsets counted from 1; or what is wrong with them. */
function parseExpressions(text: string): ts.ArrayLiteralExpression | string {
  const known = parsedTags.get(text);
  if (known !== undefined) return known;
  const found = parseArray(text);
  if (parsedTags.size < 10_000) parsedTags.set(text, found);
  return found;
}

function parseArray(text: string): ts.ArrayLiteralExpression | string {
  const parsable = text.replace(reservedCalls, (found) => stand.get(found) ?? found);
  const file = ts.createSourceFile('tag.ts', `[${parsable}]`, ts.ScriptTarget.Latest, true) as ts.SourceFile & {
    readonly parseDiagnostics?: readonly ts.Diagnostic[];
  };
  const [problem] = file.parseDiagnostics ?? [];
  if (problem !== undefined) return ts.flattenDiagnosticMessageText(problem.messageText, ' ');
  const [statement, ...others] = file.statements;
  if (others.length > 0 || statement === undefined || !ts.isExpressionStatement(statement))
    return 'it is no list of values';
  return ts.isArrayLiteralExpression(statement.expression) ? statement.expression : 'it is no list of values';
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
