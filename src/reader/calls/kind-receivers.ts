import { ts } from 'ts-morph';
import type { SourceProject } from '../source-project.ts';
import type { CallIndex } from './call-index.ts';
import type { KnownKinds } from './known-kinds.ts';
import { unwrap } from './unwrap.ts';

/** The interfaces of operator-runtime whose first type argument is the kind of all their calls. */
const ofOneKind = new Set(['KindMethods', 'KindLiveReader', 'KindStatusClient', 'KindScaleClient']);

/** What the client of one kind says of its calls: `WidgetClient(client, 'team-a').get('one')`. */
export class KindReceivers {
  readonly #project: SourceProject;
  readonly #index: CallIndex;
  readonly #known: KnownKinds;

  constructor(project: SourceProject, index: CallIndex, known: KnownKinds) {
    this.#project = project;
    this.#index = index;
    this.#known = known;
  }

  /** The type of the objects of a receiver; undefined where it has none. */
  objectType(receiver: ts.Expression): ts.Type | undefined {
    const { checker } = this.#project;
    const type = checker.getNonNullableType(checker.getTypeAtLocation(receiver));
    for (const part of type.isIntersection() ? type.types : [type]) {
      const declaration = part.symbol?.declarations?.[0];
      const found = declaration && this.#project.runtimeDeclaration(declaration);
      if (found !== undefined && ofOneKind.has(found.name)) {
        return checker.getTypeArguments(part as ts.TypeReference)[0];
      }
    }
    return undefined;
  }

  /** The namespace that the client was made for, where the source says it. */
  namespace(receiver: ts.Expression): string | undefined {
    let made = this.#known.initial(receiver);
    // `widgets.status`, `widgets.live`
    while (ts.isPropertyAccessExpression(made)) made = this.#known.initial(made.expression);
    if (!ts.isCallExpression(made)) return undefined;
    const position = this.#namespaceArgument(made);
    const argument = position === undefined ? undefined : made.arguments[position];
    const value = argument && this.#known.constant(argument);
    return typeof value === 'string' ? value : undefined;
  }

  /** Of `kindClient` the third argument; of a generated client the one that it passes on as such. */
  #namespaceArgument(call: ts.CallExpression): number | undefined {
    for (const declaration of this.#index.declarationsOf(call)) {
      if (this.#project.runtimeDeclaration(declaration)?.name === 'kindClient') return 2;
      if (!ts.isArrowFunction(declaration) || ts.isBlock(declaration.body)) continue;
      const body = unwrap(declaration.body);
      if (!ts.isCallExpression(body) || this.#namespaceArgument(body) !== 2) continue;
      const passed = body.arguments[2];
      if (passed === undefined || !ts.isIdentifier(passed)) continue;
      const position = declaration.parameters.findIndex(
        ({ name }) => ts.isIdentifier(name) && name.text === passed.text,
      );
      if (position !== -1) return position;
    }
    return undefined;
  }
}
