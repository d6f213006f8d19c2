import { Float, type Json } from '../model/index.ts';
import { equalJson, isList, isObject, member } from './json.ts';
import type { ValueSchema } from './value-schema.ts';

/**
 * A new value beside the old one that it came from (`common.CorrelatedObject`). Members are matched by name and items of list maps
 * by their keys; items of other lists are not matched, such lists are compared as a whole.
 */
export class Correlation {
  readonly value: Json;
  readonly old: Json;
  readonly #schema: ValueSchema;
  readonly #below = new Map<string | number, Correlation | undefined>();
  #oldItems: ReadonlyMap<string | undefined, Json> | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: Json, old: Json, schema: ValueSchema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** The pair of values below a name, or undefined when one of them is missing. */
  member(name: string): Correlation | undefined {
    return this.#once(name, () => {
      if (!isObject(this.value) || !isObject(this.old)) return undefined;
      const [value, old] = [member(this.value, name), member(this.old, name)];
      const schema = this.#schema.properties.get(name) ?? this.#schema.additional?.schema;
      return value === undefined || old === undefined || schema === undefined
        ? undefined
        : new Correlation(value, old, schema);
    });
  }

  /** The pair of an item and the old item of the same keys. */
  item(position: number): Correlation | undefined {
    return this.#once(position, () => {
      const { items, node } = this.#schema;
      if (!isList(this.value) || !isList(this.old) || items === undefined || node.xListType !== 'map') return undefined;
      const item = this.value[position] ?? null;
      // Of two old items with one key the first counts.
      this.#oldItems ??= new Map(this.old.toReversed().map((old) => [this.#keyOf(old), old] as const));
      const itemKey = this.#keyOf(item);
      const old = itemKey === undefined ? undefined : this.#oldItems.get(itemKey);
      return old === undefined ? undefined : new Correlation(item, old, items);
    });
  }

  /**
   * Whether the new value equals the old one. An object with a member that the schema does not name never does; items of list maps
   * may change their places.
   */
  isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  #compare(): boolean {
    const { value, old } = this;
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      return (
        names.length === Object.keys(old).length && names.every((name) => this.member(name)?.isUnchanged() === true)
      );
    }
    if (isList(value) && isList(old) && this.#schema.node.xListType === 'map') {
      return value.length === old.length && value.every((_, position) => this.item(position)?.isUnchanged() === true);
    }
    return equalJson(value, old);
  }

  /** What identifies an item of a list map, or undefined when a key is missing or no scalar. */
  #keyOf(item: Json): string | undefined {
    if (!isObject(item) || this.#schema.node.xListMapKeys.length === 0) return undefined;
    const keys = this.#schema.node.xListMapKeys.map((name) => identify(member(item, name)));
    return keys.every((key) => key !== undefined) ? keys.join('\0') : undefined;
  }

  #once(at: string | number, make: () => Correlation | undefined): Correlation | undefined {
    if (!this.#below.has(at)) this.#below.set(at, make());
    return this.#below.get(at);
  }
}

/** A scalar with its kind, so that `1`, `1.0` and `"1"` differ. */
function identify(key: Json | undefined): string | undefined {
  if (key instanceof Float) return `float ${key.value}`;
  if (typeof key === 'object' || key === undefined) return undefined;
  return `${typeof key} ${key}`;
}
