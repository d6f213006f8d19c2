import type { Frame } from './frame.ts';
import type { PlannedNode } from './planned-node.ts';
import { Optional } from './optional.ts';
import { printValue } from './print-value.ts';
import { makeStruct } from './struct-values.ts';
import { CelError, isError, type Value } from './values.ts';

export interface PlannedField {
  readonly name: string;
  readonly value: PlannedNode;
  readonly optional: boolean;
}

/** `Object.spec{replicas: 3}`. */
export class StructNode implements PlannedNode {
  readonly id: number;
  readonly #typeName: string;
  readonly #fields: readonly PlannedField[];

  constructor(id: number, typeName: string, fields: readonly PlannedField[]) {
    this.id = id;
    this.#typeName = typeName;
    this.#fields = fields;
  }

  exec(frame: Frame): Value {
    const result = this.#result(frame);
    frame.tracker.takeAll(this.#fields.map((field) => field.value.id));
    frame.tracker.cost += 40;
    frame.tracker.push(this.id, result);
    return result;
  }

  #result(frame: Frame): Value {
    const fields = new Map<string, Value>();
    for (const { name, value: node, optional } of this.#fields) {
      const value = node.exec(frame);
      if (isError(value)) return value;
      if (!optional) {
        fields.set(name, value);
        continue;
      }
      if (!(value instanceof Optional))
        return new CelError(`cannot initialize optional entry '${name}' from non-optional value ${printValue(value)}`);
      if (value.value !== undefined) fields.set(name, value.value);
    }
    return makeStruct(this.#typeName, fields);
  }
}
