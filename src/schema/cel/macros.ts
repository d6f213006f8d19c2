import { accumulatorName, type Expression } from './ast.ts';
import type { MacroFactory } from './factory.ts';

/** A macro whose arguments are not of the form it needs; `at` is the id of the offending expression. */
export class MacroError extends Error {
  override readonly name = 'MacroError';
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Gives the expansion of a call. Throws a {@link MacroError}. */
export type Macro = (factory: MacroFactory, target: Expression | undefined, args: readonly Expression[]) => Expression;

/** The macros of an environment by name, number of arguments and whether they are called on a target. */
export class MacroTable {
  readonly #macros = new Map<string, Macro>();

  add(name: string, arity: number, onTarget: boolean, macro: Macro): void {
    this.#macros.set(key(name, arity, onTarget), macro);
  }

  find(name: string, arity: number, onTarget: boolean): Macro | undefined {
    return this.#macros.get(key(name, arity, onTarget));
  }
}

function key(name: string, arity: number, onTarget: boolean): string {
  return `${name}:${arity}:${onTarget}`;
}

/** An argument or target that the macro's arity guarantees. */
export function given(expression: Expression | undefined): Expression {
  if (expression === undefined) throw new TypeError('a macro was called without its target or argument');
  return expression;
}

/** What cel-go called the accumulator before; a variable still may not have this name. */
const formerAccumulatorName = '__result__';

function loopVariable(argument: Expression, message: string): string {
  if (argument.kind !== 'identifier') throw new MacroError(argument.id, message);
  if (argument.name === accumulatorName || argument.name === formerAccumulatorName) {
    throw new MacroError(argument.id, 'iteration variable overwrites accumulator variable');
  }
  return argument.name;
}

type Quantifier = 'all' | 'exists' | 'existsOne';

function quantify(
  kind: Quantifier,
  factory: MacroFactory,
  range: Expression,
  predicate: Expression,
  variable: string,
  variable2?: string,
): Expression {
  const parts = quantifierParts(kind, factory, predicate);
  return factory.comprehension({ range, variable, ...(variable2 === undefined ? {} : { variable2 }), ...parts });
}

function quantifierParts(kind: Quantifier, factory: MacroFactory, predicate: Expression) {
  switch (kind) {
    case 'all':
      return {
        initial: factory.literal(true),
        condition: factory.call('@not_strictly_false', factory.accumulator()),
        step: factory.call('_&&_', factory.accumulator(), predicate),
        result: factory.accumulator(),
      };
    case 'exists':
      return {
        initial: factory.literal(false),
        condition: factory.call('@not_strictly_false', factory.call('!_', factory.accumulator())),
        step: factory.call('_||_', factory.accumulator(), predicate),
        result: factory.accumulator(),
      };
    default:
      return {
        initial: factory.literal(0n),
        condition: factory.literal(true),
        step: factory.call(
          '_?_:_',
          predicate,
          factory.call('_+_', factory.accumulator(), factory.literal(1n)),
          factory.accumulator(),
        ),
        result: factory.call('_==_', factory.accumulator(), factory.literal(1n)),
      };
  }
}

function quantifier(kind: Quantifier): Macro {
  return (factory, target, args) => {
    const variable = loopVariable(given(args[0]), 'argument must be a simple name');
    return quantify(kind, factory, given(target), given(args[1]), variable);
  };
}

/** `list.map(x, f)` and `list.map(x, p, f)`. */
export const mapMacro: Macro = (factory, target, args) => {
  const variable = loopVariable(given(args[0]), 'argument is not an identifier');
  const filter = args.length === 3 ? args[1] : undefined;
  const transform = given(args[args.length - 1]);
  const initial = factory.list();
  const condition = factory.literal(true);
  let step = factory.call('_+_', factory.accumulator(), factory.list(transform));
  if (filter !== undefined) step = factory.call('_?_:_', filter, step, factory.accumulator());
  return factory.comprehension({
    range: given(target),
    variable,
    initial,
    condition,
    step,
    result: factory.accumulator(),
  });
};

const filterMacro: Macro = (factory, target, args) => {
  const element = given(args[0]);
  const variable = loopVariable(element, 'argument is not an identifier');
  const initial = factory.list();
  const condition = factory.literal(true);
  const appended = factory.call('_+_', factory.accumulator(), factory.list(element));
  const step = factory.call('_?_:_', given(args[1]), appended, factory.accumulator());
  return factory.comprehension({
    range: given(target),
    variable,
    initial,
    condition,
    step,
    result: factory.accumulator(),
  });
};

const hasMacro: Macro = (factory, _target, args) => {
  const argument = given(args[0]);
  if (argument.kind !== 'select') throw new MacroError(argument.id, 'invalid argument to has() macro');
  return factory.presenceTest(argument.operand, argument.field);
};

/** The macros of the language itself. */
export function addStandardMacros(table: MacroTable): void {
  table.add('has', 1, false, hasMacro);
  table.add('all', 2, true, quantifier('all'));
  table.add('exists', 2, true, quantifier('exists'));
  table.add('exists_one', 2, true, quantifier('existsOne'));
  table.add('map', 2, true, mapMacro);
  table.add('map', 3, true, mapMacro);
  table.add('filter', 2, true, filterMacro);
}

function optionalMacro(name: string, wrap: (factory: MacroFactory, result: Expression) => Expression): Macro {
  return (factory, target, args) => {
    const variable = given(args[0]);
    if (variable.kind !== 'identifier')
      throw new MacroError(variable.id, `${name}() variable name must be a simple identifier`);
    const operand = given(target);
    const present = factory.memberCall('hasValue', operand);
    const mapped = wrap(
      factory,
      factory.comprehension({
        range: factory.list(),
        variable: '#unused',
        accumulator: variable.name,
        initial: factory.memberCall('value', factory.copy(operand)),
        condition: factory.literal(false),
        step: factory.identifier(variable.name),
        result: given(args[1]),
      }),
    );
    return factory.call('_?_:_', present, mapped, factory.call('optional.none'));
  };
}

/** `optMap` and `optFlatMap`. */
export function addOptionalMacros(table: MacroTable): void {
  table.add(
    'optMap',
    2,
    true,
    optionalMacro('optMap', (factory, result) => factory.call('optional.of', result)),
  );
  table.add(
    'optFlatMap',
    2,
    true,
    optionalMacro('optFlatMap', (_factory, result) => result),
  );
}

/** `list.sortBy(x, key)`. */
export function addSortByMacro(table: MacroTable): void {
  table.add('sortBy', 2, true, (factory, target, args) => {
    const name = '@__sortBy_input__';
    const input = factory.identifier(name);
    const list = given(target);
    if (list.kind === 'literal' || list.kind === 'map' || list.kind === 'struct' || list.kind === 'unspecified') {
      throw new MacroError(
        list.id,
        'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
      );
    }
    const keys = mapMacro(factory, factory.copy(input), args);
    const sorted = factory.memberCall('@sortByAssociatedKeys', factory.copy(input), keys);
    return factory.comprehension({
      range: factory.list(),
      variable: '#unused',
      accumulator: name,
      initial: list,
      condition: factory.literal(false),
      step: input,
      result: sorted,
    });
  });
}

function loopVariables(args: readonly Expression[]): [string, string] {
  const [first, second] = [given(args[0]), given(args[1])];
  if (first.kind !== 'identifier') throw new MacroError(first.id, 'argument must be a simple name');
  if (second.kind !== 'identifier') throw new MacroError(second.id, 'argument must be a simple name');
  if (first.name === second.name) throw new MacroError(second.id, `duplicate variable name: ${first.name}`);
  return [loopVariable(first, ''), loopVariable(second, '')];
}

function quantifier2(kind: Quantifier): Macro {
  return (factory, target, args) => {
    const [variable, variable2] = loopVariables(args);
    return quantify(kind, factory, given(target), given(args[2]), variable, variable2);
  };
}

type Collect = (factory: MacroFactory, variable: string, transform: Expression) => Expression;

function transformer(initial: (factory: MacroFactory) => Expression, collect: Collect): Macro {
  return (factory, target, args) => {
    const [variable, variable2] = loopVariables(args);
    const filter = args.length === 4 ? args[2] : undefined;
    let step = collect(factory, variable, given(args[args.length - 1]));
    if (filter !== undefined) step = factory.call('_?_:_', filter, step, factory.accumulator());
    return factory.comprehension({
      range: given(target),
      variable,
      variable2,
      initial: initial(factory),
      condition: factory.literal(true),
      step,
      result: factory.accumulator(),
    });
  };
}

/** The macros with two variables: index or key, and value. */
export function addTwoVariableMacros(table: MacroTable): void {
  table.add('all', 3, true, quantifier2('all'));
  table.add('exists', 3, true, quantifier2('exists'));
  table.add('existsOne', 3, true, quantifier2('existsOne'));
  table.add('exists_one', 3, true, quantifier2('existsOne'));
  const list = transformer(
    (factory) => factory.list(),
    (factory, _variable, transform) => factory.call('_+_', factory.accumulator(), factory.list(transform)),
  );
  const map = transformer(
    (factory) => factory.emptyMap(),
    (factory, variable, transform) =>
      factory.call('cel.@mapInsert', factory.accumulator(), factory.identifier(variable), transform),
  );
  const mapEntry = transformer(
    (factory) => factory.emptyMap(),
    (factory, _variable, transform) => factory.call('cel.@mapInsert', factory.accumulator(), transform),
  );
  for (const arity of [3, 4]) {
    table.add('transformList', arity, true, list);
    table.add('transformMap', arity, true, map);
    table.add('transformMapEntry', arity, true, mapEntry);
  }
}
