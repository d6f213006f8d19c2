import { stringLiteral } from '../../generate/client/identifiers.ts';
import { Float, type Json } from '../../model/index.ts';

/** A marker as it is written: its name and its arguments, which may be markers themselves (`Items(MinLength(1))`). */
export class MarkerCall {
  readonly name: string;
  readonly arguments: readonly (Json | MarkerCall)[];

  constructor(name: string, values: readonly (Json | MarkerCall)[]) {
    this.name = name;
    this.arguments = values;
  }
}

export function call(name: string, ...values: readonly (Json | MarkerCall)[]): MarkerCall {
  return new MarkerCall(name, values);
}

/** How long a line may become before what stands in brackets goes onto lines of its own. */
const widest = 120;

/** The name by which a file imports a marker. */
type LocalName = (marker: string) => string;

/**
 * A marker as code.
 *
 * @param indent the blanks in front of it
 */
export function writeCall(marker: MarkerCall, indent: string, localName: LocalName): string {
  return write(marker, indent, localName);
}

function write(value: Json | MarkerCall, indent: string, localName: LocalName): string {
  const line = oneLine(value, localName);
  if (indent.length + line.length < widest || typeof value !== 'object' || value === null || value instanceof Float) {
    return line;
  }
  const inner = `${indent}  `;
  const lines = (parts: readonly string[]): string =>
    `\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}`;
  if (value instanceof MarkerCall) {
    const [only] = value.arguments;
    const name = localName(value.name);
    if (value.arguments.length === 1 && only !== undefined) return `${name}(${write(only, indent, localName)})`;
    return `${name}(${lines(value.arguments.map((argument) => write(argument, inner, localName)))})`;
  }
  if (Array.isArray(value)) {
    return `[${lines((value as readonly Json[]).map((item) => write(item, inner, localName)))}]`;
  }
  const members = Object.entries(value).map(([name, item]) => `${memberName(name)}: ${write(item, inner, localName)}`);
  return `{${lines(members)}}`;
}

function oneLine(value: Json | MarkerCall, localName: LocalName): string {
  const inner = (item: Json | MarkerCall): string => oneLine(item, localName);
  if (value instanceof MarkerCall) return `${localName(value.name)}(${value.arguments.map(inner).join(', ')})`;
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Float) return `${value.value}.0`;
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(inner).join(', ')}]`;
  const members = Object.entries(value).map(([name, item]) => `${memberName(name)}: ${inner(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** In an object literal `__proto__: x` would set the prototype; as a computed name it is a member like any other. */
function memberName(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name);
}

/** A text in the quotes that need fewer escapes, as people write expressions with texts inside. */
function textLiteral(text: string): string {
  return text.includes("'") && !text.includes('"') ? JSON.stringify(text) : stringLiteral(text);
}
