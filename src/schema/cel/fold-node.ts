import { Frame } from './frame.ts';
import { GrowingList, ListValue } from './lists.ts';
import { GrowingMap, MapValue } from './maps.ts';
import type { PlannedNode } from './planned-node.ts';
import { Optional } from './optional.ts';
import { Duration, Timestamp } from './time.ts';
import { CelType } from './types.ts';
import { Uint } from './uint.ts';
import { CelError, isError, type Value } from './values.ts';

/** The planned parts of a comprehension. */
export interface FoldParts {
  readonly range: PlannedNode;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: PlannedNode;
  readonly condition: PlannedNode;
  readonly step: PlannedNode;
  readonly result: PlannedNode;
}

/** A loop over a list or map, as all macros expand to. */
export class FoldNode implements PlannedNode {
  readonly id: number;
  readonly #parts: FoldParts;

  constructor(id: number, parts: FoldParts) {
    this.id = id;
    this.#parts = parts;
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    frame.tracker.drop(this.#parts.range.id);
    frame.tracker.push(this.id, result);
    return result;
  }

  #result(frame: Frame): Value {
    const range = this.#parts.range.exec(frame);
    if (isError(range)) return range;
    const loop = new LoopFrame(frame, this.#parts);
    if (range instanceof ListValue) return this.#overList(loop, range);
    if (range instanceof MapValue) return this.#overMap(loop, range);
    return new CelError(
      this.#parts.variable2 === undefined
        ? `got '${goTypeName(range)}', expected iterable type`
        : `unsupported comprehension range type: ${goTypeName(range)}`,
    );
  }

  #overList(loop: LoopFrame, list: ListValue): Value {
    let index = 0n;
    for (const element of list) {
      const more = this.#parts.variable2 === undefined ? loop.step(element, null) : loop.step(index, element);
      if (!more) break;
      index += 1n;
    }
    return loop.result();
  }

  #overMap(loop: LoopFrame, map: MapValue): Value {
    for (const key of map.keys()) {
      if (!loop.step(key, this.#parts.variable2 === undefined ? null : map.get(key))) break;
    }
    return loop.result();
  }
}

class LoopFrame extends Frame {
  readonly #parent: Frame;
  readonly #parts: FoldParts;
  #accumulated: Value | undefined;
  #first: Value = null;
  #second: Value = null;
  #grows = false;
  #done = false;

  constructor(parent: Frame, parts: FoldParts) {
    super(parent.tracker);
    this.#parent = parent;
    this.#parts = parts;
  }

  override get outermost(): Frame {
    return this.#parent.outermost;
  }

  override resolve(name: string): Value | undefined {
    if (name === this.#parts.accumulator) return (this.#accumulated ??= this.#start());
    if (!this.#done) {
      if (name === this.#parts.variable) return this.#first;
      if (name === this.#parts.variable2) return this.#second;
    }
    return this.#parent.resolve(name);
  }

  /** The start value is evaluated when it is first read. An empty list or map grows in place. */
  #start(): Value {
    const value = this.#parts.initial.exec(this.#parent);
    if (value instanceof ListValue && value.size === 0) {
      this.#grows = true;
      return new GrowingList();
    }
    if (value instanceof MapValue && value.size === 0) {
      this.#grows = true;
      return new GrowingMap();
    }
    return value;
  }

  /** One turn; false when the loop is over. */
  step(first: Value, second: Value): boolean {
    this.#first = first;
    this.#second = second;
    if (this.#parts.condition.exec(this) === false) return false;
    this.#accumulated = this.#parts.step.exec(this);
    return true;
  }

  result(): Value {
    this.#done = true;
    const value = this.#parts.result.exec(this);
    return this.#grows && value instanceof GrowingList ? value.finished() : value;
  }
}

/** The name of the Go type of a value that cannot be looped over. */
function goTypeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'types.String';
    case 'boolean':
      return 'types.Bool';
    case 'bigint':
      return 'types.Int';
    case 'number':
      return 'types.Double';
    default:
      break;
  }
  if (value === null) return 'types.Null';
  if (value instanceof Uint8Array) return 'types.Bytes';
  if (value instanceof Uint) return 'types.Uint';
  if (value instanceof Duration) return 'types.Duration';
  if (value instanceof Timestamp) return 'types.Timestamp';
  if (value instanceof Optional) return '*types.Optional';
  if (value instanceof CelType) return '*types.Type';
  return 'cel.Value';
}
