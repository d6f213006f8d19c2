import { compilePattern, PatternError } from '../re2.ts';
import type { CallExpression, Expression, Literal } from './ast.ts';
import {
  type Attribute,
  ComputedQualifier,
  ConditionalAttribute,
  ConstantQualifier,
  ExpressionAttribute,
  type Qualifier,
  VariableAttribute,
} from './attributes.ts';
import type { CheckedExpression } from './checked-expression.ts';
import {
  argument,
  type FunctionDeclaration,
  matchesSignature,
  noMatchingOverload,
  type Overload,
} from './declarations.ts';
import type { Environment } from './environment.ts';
import { FoldNode } from './fold-node.ts';
import { ArrayList, ListValue } from './lists.ts';
import { EntriesMap } from './maps.ts';
import {
  AttributeNode,
  type Callee,
  CallNode,
  ConstantNode,
  EqualityNode,
  ListNode,
  LogicalNode,
  MapNode,
  MembershipNode,
  NotStrictlyFalseNode,
  OptionalOrNode,
  PresenceNode,
} from './nodes.ts';
import type { PlannedNode } from './planned-node.ts';
import { StructNode } from './struct-node.ts';
import { Uint } from './uint.ts';
import { CelError, noSuchOverload, type Value } from './values.ts';

/** A checked expression that no program can be made of, such as one with a constant that cannot be converted. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

/** Makes a checked expression ready for evaluation. Constants are computed once. Throws a {@link PlanError}. */
export function planExpression(checked: CheckedExpression, environment: Environment): PlannedNode {
  return new Planner(checked, environment).plan(checked.expression);
}

/** The conversions of constants that are computed when the program is made. */
const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);
const patternFunctions = new Set(['matches', 'find', 'findAll']);

class Planner {
  readonly #checked: CheckedExpression;
  readonly #environment: Environment;

  constructor(checked: CheckedExpression, environment: Environment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(expression: Expression): PlannedNode {
    switch (expression.kind) {
      case 'literal':
        return new ConstantNode(expression.id, literalValue(expression.value));
      case 'identifier':
        return this.#identifier(expression.id, expression.name);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'comprehension':
        return new FoldNode(expression.id, {
          initial: this.plan(expression.initial),
          range: this.plan(expression.range),
          variable: expression.variable,
          variable2: expression.variable2,
          accumulator: expression.accumulator,
          condition: this.plan(expression.condition),
          step: this.plan(expression.step),
          result: this.plan(expression.result),
        });
      case 'struct':
        return this.#struct(expression);
      default:
        throw new PlanError(`unsupported expression: ${expression.kind}`);
    }
  }

  #identifier(id: number, name: string): PlannedNode {
    const reference = this.#checked.references.get(id);
    const resolved = reference?.kind === 'variable' ? reference.name : name;
    if (this.#checked.types.get(id)?.kind === 'type') {
      const type = this.#environment.types.get(resolved);
      if (type === undefined) throw new PlanError(`reference to undefined type: ${resolved}`);
      return new ConstantNode(id, type);
    }
    return new AttributeNode(new VariableAttribute(id, resolved));
  }

  #select(expression: Extract<Expression, { kind: 'select' }>): PlannedNode {
    const reference = this.#checked.references.get(expression.id);
    if (reference?.kind === 'variable') return this.#identifier(expression.id, reference.name);
    const attribute = attributeOf(this.plan(expression.operand));
    attribute.addQualifier(new ConstantQualifier(expression.id, expression.field, false, expression.testOnly));
    return expression.testOnly ? new PresenceNode(expression.id, attribute) : new AttributeNode(attribute);
  }

  #call(expression: CallExpression): PlannedNode {
    const args = (expression.target === undefined ? expression.args : [expression.target, ...expression.args]).map(
      (part) => this.plan(part),
    );
    const [first, second, third] = args;
    const { id, name } = expression;
    if (first !== undefined && second !== undefined) {
      switch (name) {
        case '_&&_':
          return new LogicalNode(id, false, args);
        case '_||_':
          return new LogicalNode(id, true, args);
        case '_?_:_':
          if (third === undefined) break;
          return new AttributeNode(new ConditionalAttribute(id, first, branchOf(second), branchOf(third)));
        case '_==_':
        case '_!=_':
          return new EqualityNode(
            id,
            this.#environment.functions.get(name)?.overloads[0],
            name === '_!=_',
            first,
            second,
          );
        case '_[_]':
          return this.#index(id, first, second, false);
        case '_?._':
        case '_[?_]':
          return this.#index(id, first, second, true);
        case 'or':
        case 'orValue':
          return new OptionalOrNode(id, first, second, name === 'orValue');
        default:
          break;
      }
    }
    if (name === '@not_strictly_false' && first !== undefined) {
      return new NotStrictlyFalseNode(id, first, this.#environment.functions.get(name)?.overloads[0]);
    }
    return this.#optimized(new CallNode(id, this.#callee(expression, args.length), args));
  }

  #callee(expression: CallExpression, count: number): Callee {
    const { id, name } = expression;
    const declaration = this.#environment.functions.get(name);
    const reference = this.#checked.references.get(id);
    const chosen =
      reference?.kind === 'function' && reference.overloads.length === 1 ? reference.overloads[0] : undefined;
    const overload = declaration?.overloads.find((candidate) => candidate.id === chosen);
    const none: Callee = { name, overload, call: undefined, accepts: undefined, sequential: count > 2 };
    if (declaration === undefined) return none;
    if (declaration.shared !== undefined) {
      return { ...none, call: declaration.shared.call, accepts: declaration.shared.accepts };
    }
    const bound = declaration.overloads.filter((candidate) => candidate.call !== undefined);
    const only = overload?.call !== undefined ? overload : bound.length === 1 ? bound[0] : undefined;
    if (only !== undefined) {
      return { ...none, call: guarded(declaration, only), sequential: only.sequential === true || count > 2 };
    }
    return bound.length === 0 ? none : { ...none, call: dispatching(declaration, bound), sequential: true };
  }

  #index(id: number, operand: PlannedNode, index: PlannedNode, optional: boolean): PlannedNode {
    const attribute = attributeOf(operand);
    attribute.addQualifier(indexQualifier(id, index, optional));
    return new AttributeNode(attribute);
  }

  #list(expression: Extract<Expression, { kind: 'list' }>): PlannedNode {
    const elements = expression.elements.map((element) => this.plan(element));
    const constants = elements.filter((element) => element instanceof ConstantNode);
    if (constants.length === elements.length)
      return new ConstantNode(expression.id, new ArrayList(constants.map((node) => node.value)));
    return new ListNode(expression.id, elements, expression.optionals);
  }

  #struct(expression: Extract<Expression, { kind: 'struct' }>): PlannedNode {
    const name = expression.typeName.startsWith('.') ? expression.typeName.slice(1) : expression.typeName;
    const fields = expression.fields.map((field) => ({
      name: field.name,
      value: this.plan(field.value),
      optional: field.optional,
    }));
    return new StructNode(expression.id, name, fields);
  }

  #map(expression: Extract<Expression, { kind: 'map' }>): PlannedNode {
    const entries = expression.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    const constants: (readonly [Value, Value])[] = [];
    for (const { key, value } of entries) {
      if (key instanceof ConstantNode && value instanceof ConstantNode) constants.push([key.value, value.value]);
    }
    if (constants.length === entries.length) return new ConstantNode(expression.id, new EntriesMap(constants));
    return new MapNode(expression.id, entries);
  }

  /** Computes what is constant: conversions, patterns, and lists that something is looked for in. */
  #optimized(node: CallNode): PlannedNode {
    const { name, overload } = node.callee;
    const [first, second] = node.args;
    if (
      overload?.id === 'in_list' &&
      first !== undefined &&
      second instanceof ConstantNode &&
      second.value instanceof ListValue
    ) {
      if (second.value.size === 0) return new ConstantNode(node.id, false);
      if ([...second.value].every(isSimple)) return new MembershipNode(node.id, first, second.value);
    }
    if (conversions.has(name) && node.args.length === 1 && first instanceof ConstantNode) {
      const value = node.apply([first.value]);
      if (value instanceof CelError) throw new PlanError(value.message);
      return new ConstantNode(node.id, value);
    }
    if (patternFunctions.has(name) && second instanceof ConstantNode && typeof second.value === 'string') {
      checkPattern(second.value);
      const { call } = node.callee;
      if (call !== undefined)
        return new CallNode(
          node.id,
          { ...node.callee, call: onTexts(call), accepts: undefined, sequential: true },
          node.args,
        );
    }
    return node;
  }
}

function checkPattern(source: string): void {
  try {
    compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) throw new PlanError(error.message);
    throw error;
  }
}

/** With a constant pattern, anything but a text has no overload. */
function onTexts(call: (args: readonly Value[]) => Value) {
  return (args: readonly Value[]): Value =>
    typeof argument(args, 0) === 'string' ? call(args) : noSuchOverload(argument(args, 0));
}

function literalValue(value: Literal): Value {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array) ? new Uint(value.uint) : value;
}

/** bool, int, uint, double or string. */
function isSimple(value: Value): boolean {
  return ['string', 'boolean', 'bigint', 'number'].includes(typeof value) || value instanceof Uint;
}

function attributeOf(node: PlannedNode): Attribute {
  return node instanceof AttributeNode || node instanceof PresenceNode
    ? node.attribute
    : new ExpressionAttribute(node.id, node);
}

/** A branch of a choice: the access to an attribute there is not counted. */
function branchOf(node: PlannedNode): Attribute {
  return node instanceof AttributeNode || node instanceof PresenceNode
    ? node.attribute
    : new ExpressionAttribute(node.id, node);
}

function indexQualifier(id: number, index: PlannedNode, optional: boolean): Qualifier {
  if (index instanceof ConstantNode) return new ConstantQualifier(id, index.value, optional);
  if (index instanceof AttributeNode || index instanceof PresenceNode)
    return new ComputedQualifier(id, index.attribute, optional, false);
  return new ComputedQualifier(id, new ExpressionAttribute(id, index), optional, true);
}

function guarded(declaration: FunctionDeclaration, overload: Overload) {
  return (args: readonly Value[]): Value => {
    if (overload.call === undefined || !matchesSignature(declaration, overload, args))
      return noMatchingOverload(declaration.name, args);
    return overload.call(args);
  };
}

function dispatching(declaration: FunctionDeclaration, overloads: readonly Overload[]) {
  return (args: readonly Value[]): Value => {
    for (const overload of overloads) {
      if (overload.call !== undefined && matchesSignature(declaration, overload, args)) return overload.call(args);
    }
    return noMatchingOverload(declaration.name, args);
  };
}
