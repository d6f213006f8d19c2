import type { Frame } from './frame.ts';
import { listIndex, ListValue } from './lists.ts';
import { MapValue } from './maps.ts';
import { printValue } from './print-value.ts';
import type { PlannedNode } from './planned-node.ts';
import { Optional, optionalNone } from './optional.ts';
import { Uint } from './uint.ts';
import { CelError, isError, noSuchOverload, type Value } from './values.ts';

/** A part of a value that may not be there. */
interface Part {
  readonly value: Value;
  readonly present: boolean;
}

const absent: Part = { value: null, present: false };

/** One step of `a.b[c]`. */
export interface Qualifier {
  readonly id: number;
  /** True for `.?b` and `[?c]`. */
  readonly optional: boolean;
  qualify(frame: Frame, value: Value): Value;
  qualifyIfPresent(frame: Frame, value: Value): Part | CelError;
}

/** Looks a member or an element up. With `ifPresent`, what is not there is no error. */
function partOf(value: Value, key: Value, ifPresent: boolean): Part | CelError {
  if (isError(value)) return value;
  if (value instanceof MapValue) {
    const found = value.find(key);
    if (found !== undefined) return isError(found) ? found : { value: found, present: true };
    return ifPresent ? absent : new CelError(`no such key: ${printValue(key)}`);
  }
  if (value instanceof ListValue) {
    const index = listIndex(key);
    if (index instanceof CelError) return index;
    if (index >= 0 && index < value.size) return { value: value.at(key), present: true };
    return ifPresent ? absent : new CelError(`index out of bounds: ${printValue(key)}`);
  }
  return ifPresent ? absent : new CelError(`no such key: ${printValue(key)}`);
}

/** A field or a constant index. Inside `has()` the last one tests instead of reading. */
export class ConstantQualifier implements Qualifier {
  readonly id: number;
  readonly optional: boolean;
  readonly #key: Value;
  readonly #testOnly: boolean;

  constructor(id: number, key: Value, optional: boolean, testOnly = false) {
    this.id = id;
    this.optional = optional;
    this.#key = key;
    this.#testOnly = testOnly;
  }

  qualify(frame: Frame, value: Value): Value {
    const part = partOf(value, this.#key, this.#testOnly);
    const result = part instanceof CelError ? part : this.#testOnly ? part.present : part.value;
    frame.tracker.cost += 1;
    frame.tracker.push(this.id, result);
    return result;
  }

  qualifyIfPresent(frame: Frame, value: Value): Part | CelError {
    const part = partOf(value, this.#key, true);
    if (!(part instanceof CelError) && part.present) {
      frame.tracker.cost += 1;
      frame.tracker.push(this.id, part.value);
    }
    return part;
  }
}

/** An index that is computed. */
export class ComputedQualifier implements Qualifier {
  readonly id: number;
  readonly optional: boolean;
  readonly #attribute: Attribute;
  /** Whether the index is a call or the like, whose value lies on the cost stack. */
  readonly #drops: boolean;

  constructor(id: number, attribute: Attribute, optional: boolean, drops: boolean) {
    this.id = id;
    this.optional = optional;
    this.#attribute = attribute;
    this.#drops = drops;
  }

  #observe(frame: Frame, value: Value): void {
    if (this.#drops) frame.tracker.drop(this.#attribute.id);
    frame.tracker.cost += 1;
    frame.tracker.push(this.id, value);
  }

  #part(frame: Frame, value: Value, ifPresent: boolean): Part | CelError {
    const key = this.#attribute.resolve(frame);
    if (isError(key)) return key;
    if (!isQualifierKey(key)) return new CelError('invalid qualifier type');
    return partOf(value, key, ifPresent);
  }

  qualify(frame: Frame, value: Value): Value {
    const part = this.#part(frame, value, false);
    const result = part instanceof CelError ? part : part.value;
    this.#observe(frame, result);
    return result;
  }

  qualifyIfPresent(frame: Frame, value: Value): Part | CelError {
    const part = this.#part(frame, value, true);
    if (!(part instanceof CelError) && part.present) this.#observe(frame, part.value);
    return part;
  }
}

function isQualifierKey(key: Value): boolean {
  return ['string', 'bigint', 'number', 'boolean'].includes(typeof key) || key instanceof Uint;
}

/** A variable, the value of another expression, or a choice of two, with the steps that follow it. */
export interface Attribute {
  readonly id: number;
  addQualifier(qualifier: Qualifier): void;
  resolve(frame: Frame): Value;
  /** Takes what the evaluation of its parts left off the cost stack and counts the access. */
  observe(frame: Frame): void;
}

function applyQualifiers(frame: Frame, start: Value, qualifiers: readonly Qualifier[]): Value {
  let value = start;
  let optional = false;
  if (value instanceof Optional) {
    if (value.value === undefined) return value;
    value = value.value;
    optional = true;
  }
  for (const qualifier of qualifiers) {
    optional ||= qualifier.optional;
    if (optional) {
      const part = qualifier.qualifyIfPresent(frame, value);
      if (part instanceof CelError) return part;
      if (!part.present) return optionalNone;
      value = part.value;
    } else {
      value = qualifier.qualify(frame, value);
      if (isError(value)) return value;
    }
  }
  return optional ? new Optional(value) : value;
}

abstract class QualifiedAttribute implements Attribute {
  readonly #ownId: number;
  protected readonly qualifiers: Qualifier[] = [];

  constructor(id: number) {
    this.#ownId = id;
  }

  get id(): number {
    return this.qualifiers.at(-1)?.id ?? this.#ownId;
  }

  addQualifier(qualifier: Qualifier): void {
    this.qualifiers.push(qualifier);
  }

  abstract resolve(frame: Frame): Value;

  observe(frame: Frame): void {
    frame.tracker.drop(this.id);
    frame.tracker.cost += 1;
  }
}

/** A variable. A dot in front skips the variables of loops. */
export class VariableAttribute extends QualifiedAttribute {
  readonly #name: string;
  readonly #outermost: boolean;

  constructor(id: number, name: string) {
    super(id);
    this.#outermost = name.startsWith('.');
    this.#name = this.#outermost ? name.slice(1) : name;
  }

  override resolve(frame: Frame): Value {
    const scope = this.#outermost ? frame.outermost : frame;
    const value = scope.resolve(this.#name);
    if (value === undefined) return new CelError(`no such attribute(s): ${this.#name}`);
    if (isError(value) || this.qualifiers.length === 0) return value;
    return applyQualifiers(scope, value, this.qualifiers);
  }
}

/** The value of an expression that is no attribute itself. */
export class ExpressionAttribute extends QualifiedAttribute {
  readonly #operand: PlannedNode;

  constructor(id: number, operand: PlannedNode) {
    super(id);
    this.#operand = operand;
  }

  override resolve(frame: Frame): Value {
    const value = this.#operand.exec(frame);
    return isError(value) ? value : applyQualifiers(frame, value, this.qualifiers);
  }
}

/** `condition ? a : b`, possibly with steps after it. */
export class ConditionalAttribute implements Attribute {
  readonly #ownId: number;
  readonly #condition: PlannedNode;
  readonly #whenTrue: Attribute;
  readonly #whenFalse: Attribute;

  constructor(id: number, condition: PlannedNode, whenTrue: Attribute, whenFalse: Attribute) {
    this.#ownId = id;
    this.#condition = condition;
    this.#whenTrue = whenTrue;
    this.#whenFalse = whenFalse;
  }

  get id(): number {
    return this.#whenTrue.id === this.#whenFalse.id ? this.#whenTrue.id : this.#ownId;
  }

  addQualifier(qualifier: Qualifier): void {
    this.#whenTrue.addQualifier(qualifier);
    this.#whenFalse.addQualifier(qualifier);
  }

  resolve(frame: Frame): Value {
    const condition = this.#condition.exec(frame);
    if (condition === true) return this.#whenTrue.resolve(frame);
    if (condition === false) return this.#whenFalse.resolve(frame);
    return noSuchOverload(condition);
  }

  /** The choice itself costs nothing. */
  observe(frame: Frame): void {
    frame.tracker.drop(this.#whenFalse.id);
    frame.tracker.drop(this.#whenTrue.id);
    frame.tracker.drop(this.#condition.id);
  }
}
