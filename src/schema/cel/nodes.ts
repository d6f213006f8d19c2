import type { Attribute } from './attributes.ts';
import type { Overload } from './declarations.ts';
import { strictEquals } from './equality.ts';
import type { Frame } from './frame.ts';
import { ArrayList, type ListValue } from './lists.ts';
import { EntriesMap } from './maps.ts';
import { printValue } from './print-value.ts';
import { Optional } from './optional.ts';
import type { PlannedNode } from './planned-node.ts';
import { Duration, Timestamp } from './time.ts';
import { CelError, isError, noSuchOverload, type Value } from './values.ts';

export class ConstantNode implements PlannedNode {
  readonly id: number;
  readonly value: Value;

  constructor(id: number, value: Value) {
    this.id = id;
    this.value = value;
  }

  exec(frame: Frame): Value {
    frame.tracker.push(this.id, this.value);
    return this.value;
  }
}

export class AttributeNode implements PlannedNode {
  readonly attribute: Attribute;

  constructor(attribute: Attribute) {
    this.attribute = attribute;
  }

  get id(): number {
    return this.attribute.id;
  }

  exec(frame: Frame): Value {
    const value = this.attribute.resolve(frame);
    this.attribute.observe(frame);
    frame.tracker.push(this.id, value);
    return value;
  }
}

/** `has(a.b)`. */
export class PresenceNode implements PlannedNode {
  readonly id: number;
  readonly attribute: Attribute;

  constructor(id: number, attribute: Attribute) {
    this.id = id;
    this.attribute = attribute;
  }

  exec(frame: Frame): Value {
    const found = this.attribute.resolve(frame);
    const value = found instanceof Optional ? found.value !== undefined : found;
    this.attribute.observe(frame);
    // The test is free.
    frame.tracker.cost -= 1;
    frame.tracker.push(this.id, value);
    return value;
  }
}

/** How a call is carried out. */
export interface Callee {
  readonly name: string;
  /** The overload that the checker chose, where it is only one. */
  readonly overload: Overload | undefined;
  readonly call: ((args: readonly Value[]) => Value) | undefined;
  readonly accepts: ((value: Value) => boolean) | undefined;
  /** Whether arguments after the first error are not evaluated. */
  readonly sequential: boolean;
}

export class CallNode implements PlannedNode {
  readonly id: number;
  readonly callee: Callee;
  readonly args: readonly PlannedNode[];
  readonly #argumentIds: readonly number[];

  constructor(id: number, callee: Callee, args: readonly PlannedNode[]) {
    this.id = id;
    this.callee = callee;
    this.args = args;
    this.#argumentIds = args.map((argument) => argument.id);
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    frame.tracker.call(this.id, this.callee.name, this.callee.overload, this.#argumentIds, result);
    return result;
  }

  #result(frame: Frame): Value {
    const values: Value[] = [];
    for (const argument of this.args) {
      const value = argument.exec(frame);
      if (this.callee.sequential && isError(value)) return value;
      values.push(value);
    }
    for (const value of values) if (isError(value)) return value;
    return this.apply(values);
  }

  /** The result for values none of which is an error. */
  apply(values: readonly Value[]): Value {
    const { call, accepts, name } = this.callee;
    const first = values[0] ?? null;
    if (call !== undefined && (accepts === undefined || accepts(first))) return call(values);
    if (typeof first === 'string' || first instanceof Duration || first instanceof Timestamp) return noSuchOverload();
    return new CelError(values.length > 2 ? `no such overload: ${name} ${this.id}` : `no such overload: ${name}`);
  }
}

/** What the loop of a quantifier goes on for: an error does not end it. */
export class NotStrictlyFalseNode implements PlannedNode {
  readonly id: number;
  readonly #operand: PlannedNode;
  readonly #overload: Overload | undefined;

  constructor(id: number, operand: PlannedNode, overload: Overload | undefined) {
    this.id = id;
    this.#operand = operand;
    this.#overload = overload;
  }

  exec(frame: Frame): Value {
    const value = this.#operand.exec(frame);
    const result = typeof value === 'boolean' ? value : true;
    frame.tracker.call(this.id, '@not_strictly_false', this.#overload, [this.#operand.id], result);
    return result;
  }
}

/** `&&` and `||`: an error counts only when no operand decides. */
export class LogicalNode implements PlannedNode {
  readonly id: number;
  readonly #decisive: boolean;
  readonly #terms: readonly PlannedNode[];

  constructor(id: number, decisive: boolean, terms: readonly PlannedNode[]) {
    this.id = id;
    this.#decisive = decisive;
    this.#terms = terms;
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    for (const term of this.#terms) frame.tracker.drop(term.id);
    frame.tracker.push(this.id, result);
    return result;
  }

  #result(frame: Frame): Value {
    let error: CelError | undefined;
    for (const term of this.#terms) {
      const value = term.exec(frame);
      if (value === this.#decisive) return value;
      if (typeof value !== 'boolean') error ??= noSuchOverload(value);
    }
    return error ?? !this.#decisive;
  }
}

/** `==` and `!=`. */
export class EqualityNode implements PlannedNode {
  readonly id: number;
  readonly #overload: Overload | undefined;
  readonly #negated: boolean;
  readonly #left: PlannedNode;
  readonly #right: PlannedNode;

  constructor(id: number, overload: Overload | undefined, negated: boolean, left: PlannedNode, right: PlannedNode) {
    this.id = id;
    this.#overload = overload;
    this.#negated = negated;
    this.#left = left;
    this.#right = right;
  }

  exec(frame: Frame): Value {
    const left = this.#left.exec(frame);
    const right = this.#right.exec(frame);
    const result = isError(left) ? left : isError(right) ? right : this.#compare(left, right);
    frame.tracker.call(
      this.id,
      this.#negated ? '_!=_' : '_==_',
      this.#overload,
      [this.#left.id, this.#right.id],
      result,
    );
    return result;
  }

  #compare(left: Value, right: Value): Value {
    const equal = strictEquals(left, right);
    return this.#negated ? equal !== true : equal;
  }
}

export class ListNode implements PlannedNode {
  readonly id: number;
  readonly elements: readonly PlannedNode[];
  readonly #optionals: ReadonlySet<number>;

  constructor(id: number, elements: readonly PlannedNode[], optionals: ReadonlySet<number>) {
    this.id = id;
    this.elements = elements;
    this.#optionals = optionals;
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    frame.tracker.takeAll(this.elements.map((element) => element.id));
    frame.tracker.cost += 10;
    frame.tracker.push(this.id, result);
    return result;
  }

  #result(frame: Frame): Value {
    const values: Value[] = [];
    for (const [index, element] of this.elements.entries()) {
      const value = element.exec(frame);
      if (isError(value)) return value;
      if (!this.#optionals.has(index)) {
        values.push(value);
        continue;
      }
      if (!(value instanceof Optional)) {
        return new CelError(`cannot initialize optional list element from non-optional value ${printValue(value)}`);
      }
      if (value.value !== undefined) values.push(value.value);
    }
    return new ArrayList(values);
  }
}

export interface PlannedEntry {
  readonly key: PlannedNode;
  readonly value: PlannedNode;
  readonly optional: boolean;
}

export class MapNode implements PlannedNode {
  readonly id: number;
  readonly entries: readonly PlannedEntry[];

  constructor(id: number, entries: readonly PlannedEntry[]) {
    this.id = id;
    this.entries = entries;
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    frame.tracker.takeAll(this.entries.flatMap((entry) => [entry.key.id, entry.value.id]));
    frame.tracker.cost += 30;
    frame.tracker.push(this.id, result);
    return result;
  }

  #result(frame: Frame): Value {
    const map = new EntriesMap();
    for (const entry of this.entries) {
      const key = entry.key.exec(frame);
      if (isError(key)) return key;
      const value = entry.value.exec(frame);
      if (isError(value)) return value;
      if (!entry.optional) {
        map.set(key, value);
        continue;
      }
      if (!(value instanceof Optional)) {
        return new CelError(
          `cannot initialize optional entry '${printValue(key)}' from non-optional value ${printValue(value)}`,
        );
      }
      if (value.value === undefined) map.delete(key);
      else map.set(key, value.value);
    }
    return map;
  }
}

/** `x in [constants]`. */
export class MembershipNode implements PlannedNode {
  readonly id: number;
  readonly #value: PlannedNode;
  readonly #list: ListValue;

  constructor(id: number, value: PlannedNode, list: ListValue) {
    this.id = id;
    this.#value = value;
    this.#list = list;
  }

  exec(frame: Frame): Value {
    const value = this.#value.exec(frame);
    const result = isError(value) ? value : this.#list.contains(value);
    frame.tracker.push(this.id, result);
    return result;
  }
}

/** `optional.or(other)` and `optional.orValue(other)`: the other one is evaluated only when it is needed. */
export class OptionalOrNode implements PlannedNode {
  readonly id: number;
  readonly #left: PlannedNode;
  readonly #right: PlannedNode;
  readonly #unwraps: boolean;

  constructor(id: number, left: PlannedNode, right: PlannedNode, unwraps: boolean) {
    this.id = id;
    this.#left = left;
    this.#right = right;
    this.#unwraps = unwraps;
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    frame.tracker.push(this.id, result);
    return result;
  }

  #result(frame: Frame): Value {
    const left = this.#left.exec(frame);
    if (isError(left)) return left;
    if (!(left instanceof Optional)) return noSuchOverload();
    if (left.value === undefined) return this.#right.exec(frame);
    return this.#unwraps ? left.value : left;
  }
}
