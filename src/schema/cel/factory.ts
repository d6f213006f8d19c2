import { accumulatorName, type Expression, type ListExpression, type Literal, type MapEntry } from './ast.ts';

/** Makes the nodes of a tree and keeps where in the text each belongs. */
export class ExpressionFactory {
  readonly #offsets = new Map<number, number>();
  #nextId = 1;

  get offsets(): ReadonlyMap<number, number> {
    return this.#offsets;
  }

  /** A new node id that belongs to this offset. */
  id(offset: number): number {
    const id = this.reserve();
    this.#offsets.set(id, offset);
    return id;
  }

  /** An id whose place becomes known later. */
  reserve(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  place(id: number, offset: number): void {
    this.#offsets.set(id, offset);
  }

  /** Gives up an id; the last one given out is used again, as in cel-go. */
  drop(id: number): void {
    this.#offsets.delete(id);
    if (id === this.#nextId - 1) this.#nextId -= 1;
  }

  unspecified(offset: number): Expression {
    return { kind: 'unspecified', id: this.id(offset) };
  }

  literal(offset: number, value: Literal): Expression {
    return { kind: 'literal', id: this.id(offset), value };
  }

  identifier(id: number, name: string): Expression {
    return { kind: 'identifier', id, name };
  }

  select(id: number, operand: Expression, field: string, testOnly: boolean): Expression {
    return { kind: 'select', id, operand, field, testOnly };
  }

  call(id: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    return { kind: 'call', id, name, target, args };
  }

  list(id: number, elements: readonly Expression[], optionals: ReadonlySet<number> = new Set()): ListExpression {
    return { kind: 'list', id, elements, optionals };
  }

  map(id: number, entries: readonly MapEntry[]): Expression {
    return { kind: 'map', id, entries };
  }

  /** A factory whose nodes all belong to the place of the macro call `id`. */
  forMacro(id: number): MacroFactory {
    return new MacroFactory(this, this.#offsets.get(id) ?? 0);
  }
}

/** The parts of a comprehension that a macro fills in. */
export interface ComprehensionParts {
  readonly range: Expression;
  readonly variable: string;
  readonly variable2?: string;
  readonly accumulator?: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Makes the nodes of one macro's expansion. */
export class MacroFactory {
  readonly #factory: ExpressionFactory;
  readonly #offset: number;

  constructor(factory: ExpressionFactory, offset: number) {
    this.#factory = factory;
    this.#offset = offset;
  }

  #id(): number {
    return this.#factory.id(this.#offset);
  }

  literal(value: Literal): Expression {
    return this.#factory.literal(this.#offset, value);
  }

  identifier(name: string): Expression {
    return this.#factory.identifier(this.#id(), name);
  }

  accumulator(): Expression {
    return this.identifier(accumulatorName);
  }

  call(name: string, ...args: readonly Expression[]): Expression {
    return this.#factory.call(this.#id(), name, undefined, args);
  }

  memberCall(name: string, target: Expression, ...args: readonly Expression[]): Expression {
    return this.#factory.call(this.#id(), name, target, args);
  }

  presenceTest(operand: Expression, field: string): Expression {
    return this.#factory.select(this.#id(), operand, field, true);
  }

  list(...elements: readonly Expression[]): Expression {
    return this.#factory.list(this.#id(), elements);
  }

  emptyMap(): Expression {
    return this.#factory.map(this.#id(), []);
  }

  comprehension(parts: ComprehensionParts): Expression {
    return {
      kind: 'comprehension',
      id: this.#id(),
      range: parts.range,
      variable: parts.variable,
      variable2: parts.variable2,
      accumulator: parts.accumulator ?? accumulatorName,
      initial: parts.initial,
      condition: parts.condition,
      step: parts.step,
      result: parts.result,
    };
  }

  /** A copy with ids of its own at the places of the original. */
  copy(expression: Expression): Expression {
    const factory = this.#factory;
    const id = factory.id(factory.offsets.get(expression.id) ?? this.#offset);
    switch (expression.kind) {
      case 'literal':
      case 'identifier':
      case 'unspecified':
        return { ...expression, id };
      case 'select':
        return { ...expression, id, operand: this.copy(expression.operand) };
      case 'call': {
        const args = expression.args.map((argument) => this.copy(argument));
        return {
          ...expression,
          id,
          args,
          target: expression.target === undefined ? undefined : this.copy(expression.target),
        };
      }
      case 'list':
        return { ...expression, id, elements: expression.elements.map((element) => this.copy(element)) };
      case 'map':
        return {
          ...expression,
          id,
          entries: expression.entries.map((entry) => {
            const entryId = this.#id();
            return { ...entry, id: entryId, key: this.copy(entry.key), value: this.copy(entry.value) };
          }),
        };
      case 'struct':
        return {
          ...expression,
          id,
          fields: expression.fields.map((field) => {
            const fieldId = this.#id();
            return { ...field, id: fieldId, value: this.copy(field.value) };
          }),
        };
      default:
        return {
          ...expression,
          id,
          range: this.copy(expression.range),
          initial: this.copy(expression.initial),
          condition: this.copy(expression.condition),
          step: this.copy(expression.step),
          result: this.copy(expression.result),
        };
    }
  }
}
