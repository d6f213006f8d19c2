import { isArray, isObject, numeric, type Json, type JsonObject } from '../json.ts';
import { stringify } from '../json-text.ts';

/** How a member of the JSON form stands in the protobuf form. */
type Encoding = 'text' | 'texts' | 'boolean' | 'integer' | 'double' | 'any' | 'anys' | MessageEncoding;

interface MessageEncoding {
  /** The message of the member's value, or of each of its items. */
  readonly message: () => Message;
  readonly repeated?: true;
}

/** The members of a message by their names in JSON, with the numbers of their fields. */
interface Message {
  readonly members: Readonly<Record<string, readonly [field: number, encoding: Encoding]>>;
  /** The field of the members that begin with `x-`. */
  readonly extensions?: number;
  /** The field of all other members, each of which has a name of its own. */
  readonly named?: readonly [field: number, value: () => Message];
  /** Chooses the field and message that stand for a value, where they depend on it. */
  readonly choose?: (value: Json) => readonly [field: number, encoding: Encoding];
}

const of = (message: () => Message): MessageEncoding => ({ message });
const listOf = (message: () => Message): MessageEncoding => ({ message, repeated: true });

/** Messages of gnostic's OpenAPIv2.proto, as far as the documents of API servers use them. */
const document: Message = {
  members: {
    swagger: [1, 'text'],
    info: [2, of(() => info)],
    paths: [8, of(() => paths)],
    definitions: [9, of(() => schemasByName)],
  },
};
const info: Message = { members: { title: [1, 'text'], version: [2, 'text'], description: [3, 'text'] } };
const paths: Message = { members: {}, named: [2, () => pathItem] };
const schemasByName: Message = { members: {}, named: [1, () => schema] };
const pathItem: Message = {
  members: {
    get: [2, of(() => operation)],
    put: [3, of(() => operation)],
    post: [4, of(() => operation)],
    delete: [5, of(() => operation)],
    options: [6, of(() => operation)],
    head: [7, of(() => operation)],
    patch: [8, of(() => operation)],
    parameters: [9, listOf(() => parametersItem)],
  },
  extensions: 10,
};
const operation: Message = {
  members: {
    tags: [1, 'texts'],
    description: [3, 'text'],
    operationId: [5, 'text'],
    produces: [6, 'texts'],
    consumes: [7, 'texts'],
    parameters: [8, listOf(() => parametersItem)],
    responses: [9, of(() => responses)],
    schemes: [10, 'texts'],
    deprecated: [11, 'boolean'],
  },
  extensions: 13,
};
const parametersItem: Message = { members: {}, choose: () => [1, of(() => parameter)] };
const parameter: Message = {
  members: {},
  choose: (value) =>
    isObject(value) && value['in'] === 'body' ? [1, of(() => bodyParameter)] : [2, of(() => otherParameter)],
};
const bodyParameter: Message = {
  members: {
    description: [1, 'text'],
    name: [2, 'text'],
    in: [3, 'text'],
    required: [4, 'boolean'],
    schema: [5, of(() => schema)],
  },
};
const otherParameter: Message = {
  members: {},
  choose: (value) =>
    isObject(value) && value['in'] === 'path' ? [4, of(() => pathParameter)] : [3, of(() => queryParameter)],
};
const queryParameter: Message = {
  members: {
    required: [1, 'boolean'],
    in: [2, 'text'],
    description: [3, 'text'],
    name: [4, 'text'],
    type: [6, 'text'],
    format: [7, 'text'],
    default: [10, 'any'],
    uniqueItems: [20, 'boolean'],
  },
};
const pathParameter: Message = {
  members: {
    required: [1, 'boolean'],
    in: [2, 'text'],
    description: [3, 'text'],
    name: [4, 'text'],
    type: [5, 'text'],
    format: [6, 'text'],
    uniqueItems: [19, 'boolean'],
  },
};
const responses: Message = { members: {}, named: [1, () => responseValue], extensions: 2 };
const responseValue: Message = { members: {}, choose: () => [1, of(() => response)] };
const response: Message = { members: { description: [1, 'text'], schema: [2, of(() => schemaItem)] } };
const schemaItem: Message = { members: {}, choose: () => [1, of(() => schema)] };
const schema: Message = {
  members: {
    $ref: [1, 'text'],
    format: [2, 'text'],
    title: [3, 'text'],
    description: [4, 'text'],
    default: [5, 'any'],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'boolean'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'boolean'],
    maxLength: [11, 'integer'],
    minLength: [12, 'integer'],
    pattern: [13, 'text'],
    maxItems: [14, 'integer'],
    minItems: [15, 'integer'],
    uniqueItems: [16, 'boolean'],
    maxProperties: [17, 'integer'],
    minProperties: [18, 'integer'],
    required: [19, 'texts'],
    enum: [20, 'anys'],
    additionalProperties: [21, of(() => additional)],
    type: [22, of(() => types)],
    items: [23, of(() => itemsItem)],
    allOf: [24, listOf(() => schema)],
    properties: [25, of(() => schemasByName)],
    readOnly: [27, 'boolean'],
  },
  extensions: 31,
};
const additional: Message = {
  members: {},
  choose: (value) => (typeof value === 'boolean' ? [2, 'boolean'] : [1, of(() => schema)]),
};
const types: Message = { members: {}, choose: () => [1, 'texts'] };
const itemsItem: Message = { members: {}, choose: () => [1, of(() => schema)] };

/** The swagger document in the form that clients before Kubernetes 1.29 validate with. */
export function swaggerProtobuf(swagger: JsonObject): Buffer {
  const writer = new Writer();
  writeMessage(writer, document, swagger);
  return writer.finish();
}

/** Writes fields one after the other. Lengths are filled in afterwards: they always take four bytes, which decoders read as well. */
class Writer {
  #buffer = Buffer.alloc(1 << 20);
  #length = 0;

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  tag(field: number, wireType: number): void {
    this.varint((field << 3) | wireType);
  }

  varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#buffer[this.#length++] = (rest % 128) | 0x80;
    this.#buffer[this.#length++] = rest;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  text(field: number, value: string): void {
    this.nested(field, () => {
      this.#reserve(value.length * 3);
      this.#length += this.#buffer.write(value, this.#length);
    });
  }

  /** A field whose content `write` writes. */
  nested(field: number, write: () => void): void {
    this.tag(field, 2);
    this.#reserve(4);
    const start = this.#length;
    this.#length += 4;
    write();
    let size = this.#length - start - 4;
    for (let index = 0; index < 4; index++) {
      this.#buffer[start + index] = (size & 0x7f) | (index < 3 ? 0x80 : 0);
      size >>>= 7;
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, this.#length + count));
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}

function writeMessage(writer: Writer, { members, extensions, named, choose }: Message, value: Json): void {
  if (choose !== undefined) {
    const [field, encoding] = choose(value);
    writeField(writer, field, encoding, value);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    if (known !== undefined) writeField(writer, known[0], known[1], inner);
    else if (name.startsWith('x-')) {
      if (extensions !== undefined)
        writer.nested(extensions, () => {
          writer.text(1, name);
          writer.nested(2, () => writeYaml(writer, inner));
        });
    } else if (named !== undefined)
      writer.nested(named[0], () => {
        writer.text(1, name);
        writer.nested(2, () => writeMessage(writer, named[1](), inner));
      });
  }
}

function writeField(writer: Writer, field: number, encoding: Encoding, value: Json): void {
  switch (encoding) {
    case 'text':
      if (typeof value === 'string') writer.text(field, value);
      return;
    case 'texts':
      for (const item of isArray(value) ? value : [value]) writeField(writer, field, 'text', item);
      return;
    case 'boolean':
      if (value !== true) return;
      writer.tag(field, 0);
      writer.varint(1);
      return;
    case 'integer':
      writer.tag(field, 0);
      writer.varint(Math.max(0, numeric(value) ?? 0));
      return;
    case 'double':
      writer.tag(field, 1);
      writer.double(numeric(value) ?? 0);
      return;
    case 'any':
      writer.nested(field, () => writeYaml(writer, value));
      return;
    case 'anys':
      for (const item of isArray(value) ? value : []) writeField(writer, field, 'any', item);
      return;
    default:
      for (const item of encoding.repeated === true ? (isArray(value) ? value : []) : [value])
        writer.nested(field, () => writeMessage(writer, encoding.message(), item));
  }
}

/** A value of any form: as YAML, of which JSON is a part. */
function writeYaml(writer: Writer, value: Json): void {
  writer.text(2, stringify(value));
}
