import { Float, type Json, type JsonObject, yamlHeader } from '../../model/index.ts';
import { sortKeys } from './order.ts';
import { writeNumber, writeString } from './scalar.ts';

/**
 * Texts that were emitted before, by the object and the indentation: what several kinds hold (the types of Kubernetes) is written once.
 * Only for objects that nobody changes.
 */
export class EmittedTexts {
  readonly #texts = new WeakMap<JsonObject, Map<string, string>>();

  /** The text of an object at an indentation; `write` makes it where it is not known. */
  of(object: JsonObject, indent: string, write: () => string): string {
    const known = this.#texts.get(object)?.get(indent);
    if (known !== undefined) return known;
    const text = write();
    if (text.length >= shortest) {
      const texts = this.#texts.get(object);
      if (texts === undefined) this.#texts.set(object, new Map([[indent, text]]));
      else texts.set(indent, text);
    }
    return text;
  }
}

/** Texts below this length are sooner written again than looked up. */
const shortest = 100;

/**
 * One YAML file: our first line, then each object as a document that begins with `---`. The bytes depend on the objects alone:
 * keys sorted, two blanks of indentation, lists not indented, LF, no folded lines, no aliases.
 */
export function emitFile(objects: readonly Json[], known = new EmittedTexts()): string {
  return `${yamlHeader}\n${objects.map((object) => `---\n${emitDocument(object, known)}`).join('')}`;
}

/** One document without its `---`; ends with a line break. */
export function emitDocument(value: Json, known = new EmittedTexts()): string {
  return `${new Emitter(known).value(value, '')}\n`;
}

/** Keys that are longer must be marked as keys: readers look for the colon no further. */
const longestPlainKey = 1024;

class Emitter {
  readonly #known: EmittedTexts;
  readonly #keys = new Map<string, string>();

  constructor(known: EmittedTexts) {
    this.#known = known;
  }

  /** A value from where it begins; `indent` is that of its further lines. */
  value(value: Json, indent: string): string {
    if (isList(value)) return value.length === 0 ? '[]' : this.#list(value, indent);
    if (!isMap(value)) return scalar(value, indent === '' ? '  ' : indent);
    return this.#known.of(value, indent, () => this.#map(value, indent));
  }

  #list(items: readonly Json[], indent: string): string {
    let text = '';
    for (const item of items) text += `${text === '' ? '' : `\n${indent}`}- ${this.value(item, `${indent}  `)}`;
    return text;
  }

  #map(object: JsonObject, indent: string): string {
    let text = '';
    for (const name of sortKeys(Object.keys(object))) {
      text += `${text === '' ? '' : `\n${indent}`}${this.#member(name, object[name] ?? null, indent)}`;
    }
    return text === '' ? '{}' : text;
  }

  #member(name: string, value: Json, indent: string): string {
    const key = this.#key(name);
    const inner = `${indent}  `;
    if (key.length > longestPlainKey) return `? ${key}\n${indent}: ${this.value(value, inner)}`;
    if (isList(value)) {
      return value.length === 0 ? `${key}: []` : `${key}:\n${indent}${this.#list(value, indent)}`;
    }
    if (!isMap(value)) return `${key}: ${scalar(value, inner)}`;
    const text = this.value(value, inner);
    return text === '{}' ? `${key}: {}` : `${key}:\n${inner}${text}`;
  }

  #key(name: string): string {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = writeString(name, undefined);
    this.#keys.set(name, key);
    return key;
  }
}

function scalar(value: null | boolean | string | number | bigint | Float, indent: string): string {
  if (typeof value === 'string') return writeString(value, indent);
  return value === null || typeof value === 'boolean' ? String(value) : writeNumber(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}
