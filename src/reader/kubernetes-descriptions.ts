import { ts } from 'ts-morph';
import type { Schema } from '../model/index.ts';
import { commentRanges } from './comment-ranges.ts';
import { descriptionOf, parseDocComment } from './doc-comment.ts';
import type { SourceProject } from './source-project.ts';
import { symbolOf } from './type-parts.ts';

/**
 * Puts the descriptions of Kubernetes' own types into their schemas, where somebody asks for them. The catalogue has none: they stand
 * in the declarations of the installed operator-runtime, the same that editors show.
 */
export class KubernetesDescriptions {
  readonly #project: SourceProject;

  constructor(project: SourceProject) {
    this.#project = project;
  }

  /** A schema of a type of Kubernetes with its own description and those inside of it, `levels` deep. */
  ofType(schema: Schema, type: ts.Type, levels: number): Schema {
    return this.#described(schema, type, levels, undefined);
  }

  /** A schema of a member of a type of Kubernetes; the member's description comes before that of its type. */
  ofMember(schema: Schema, declaration: ts.Declaration, levels: number): Schema {
    if (levels <= 0) return schema;
    const type = this.#project.checker.getTypeAtLocation(declaration);
    return this.#described(schema, type, levels, this.#comment(declaration));
  }

  #described(schema: Schema, of: ts.Type, levels: number, own: string | undefined): Schema {
    if (levels <= 0) return schema;
    const { checker } = this.#project;
    const type = checker.getNonNullableType(of);
    const description = own ?? this.#ofDeclarations(symbolOf(type)?.declarations);
    const { properties, items, additionalProperties } = schema;
    const inner = (part: Schema, partType: ts.Type | undefined): Schema =>
      partType === undefined ? part : this.#described(part, partType, levels - 1, undefined);
    return {
      ...schema,
      ...(description === undefined ? {} : { description }),
      ...(properties === undefined ? {} : { properties: this.#members(properties, type, levels - 1) }),
      ...(items === undefined ? {} : { items: inner(items, checker.getIndexTypeOfType(type, ts.IndexKind.Number)) }),
      ...(typeof additionalProperties === 'object'
        ? { additionalProperties: inner(additionalProperties, type.getStringIndexType()) }
        : {}),
    };
  }

  #members(properties: ReadonlyMap<string, Schema>, type: ts.Type, levels: number): ReadonlyMap<string, Schema> {
    return new Map(
      [...properties].map(([name, property]) => {
        const [declaration] = type.getProperty(name)?.declarations ?? [];
        return [name, declaration === undefined ? property : this.ofMember(property, declaration, levels)];
      }),
    );
  }

  /** Kubernetes' words about a type: not those of the language about lists, nor ours about the types that we declare by hand. */
  #ofDeclarations(declarations: readonly ts.Declaration[] | undefined): string | undefined {
    const declaration = declarations?.find(ts.isInterfaceDeclaration);
    if (declaration === undefined || !declaration.getSourceFile().fileName.includes('.generated.')) return undefined;
    const runtime = this.#project.runtimeDeclaration(declaration);
    return runtime?.module.startsWith('apis/') === true ? this.#comment(declaration) : undefined;
  }

  #comment(declaration: ts.Node): string | undefined {
    const { text } = declaration.getSourceFile();
    const last = commentRanges(declaration)
      .filter(({ pos }) => text.startsWith('/**', pos))
      .sort((a, b) => a.pos - b.pos)
      .at(-1);
    if (last === undefined) return undefined;
    const comment = parseDocComment(text.slice(last.pos, last.end), last.pos, () => false);
    // controller-gen knows nothing of the enums of Kubernetes' types.
    return descriptionOf(comment.text.replace(/\s*Possible enum values:[\s\S]*$/, '')) || undefined;
  }
}
