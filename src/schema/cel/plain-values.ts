import { Float, type Json, type JsonObject } from '../../model/index.ts';
import { ArrayList } from './lists.ts';
import { MapValue } from './maps.ts';
import { isJsonObject } from './structural.ts';
import type { Value } from './values.ts';

/** A JSON value as expressions see it that know no schema: objects are maps, whole numbers ints. */
export function plainValue(json: Json): Value {
  switch (typeof json) {
    case 'number':
      return Number.isSafeInteger(json) ? BigInt(json) : json;
    case 'object':
      if (json instanceof Float) return json.value;
      if (isJsonObject(json)) return new PlainMap(json);
      return json === null ? null : new ArrayList(json.map(plainValue));
    default:
      return json;
  }
}

/** An object without a schema; its members become values when they are asked for. */
export class PlainMap extends MapValue {
  readonly #json: JsonObject;

  constructor(json: JsonObject) {
    super();
    this.#json = json;
  }

  override get size(): number {
    return Object.keys(this.#json).length;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#json, key)) return undefined;
    return plainValue(this.#json[key] ?? null);
  }

  override keys(): readonly Value[] {
    return Object.keys(this.#json);
  }

  override isZero(): boolean {
    return this.size === 0;
  }
}
