/** Where and why a text is no JSON. */
export interface JsonError {
  readonly message: string;
  readonly position: number;
}

/** Finds the first error of a text that `JSON.parse` refused; messages are those of Go's `encoding/json`. */
export function findJsonError(text: string): JsonError {
  try {
    const scanner = new Scanner(text);
    scanner.value('looking for beginning of value');
    scanner.end();
  } catch (error) {
    if (error instanceof ScanError) return error;
    if (error instanceof RangeError) return { message: 'exceeded max depth', position: 0 };
    throw error;
  }
  return { message: 'exceeded max depth', position: 0 };
}

class ScanError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

class Scanner {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(context: string): void {
    this.#space();
    const character = this.#peek();
    if (character === '{') this.#object();
    else if (character === '[') this.#array();
    else if (character === '"') this.#string();
    else if (character === '-' || (character >= '0' && character <= '9')) this.#number();
    else if (character === 't') this.#literal('true');
    else if (character === 'f') this.#literal('false');
    else if (character === 'n') this.#literal('null');
    else this.#fail(context);
  }

  end(): void {
    this.#space();
    if (this.#position < this.#text.length) this.#fail('after top-level value');
  }

  #object(): void {
    this.#position++;
    this.#space();
    if (this.#take('}')) return;
    for (;;) {
      this.#space();
      if (this.#peek() !== '"') this.#fail('looking for beginning of object key string');
      this.#string();
      this.#space();
      if (!this.#take(':')) this.#fail('after object key');
      this.value('looking for beginning of value');
      this.#space();
      if (this.#take('}')) return;
      if (!this.#take(',')) this.#fail('after object key:value pair');
    }
  }

  #array(): void {
    this.#position++;
    this.#space();
    if (this.#take(']')) return;
    for (;;) {
      this.value('looking for beginning of value');
      this.#space();
      if (this.#take(']')) return;
      if (!this.#take(',')) this.#fail('after array element');
    }
  }

  #string(): void {
    this.#position++;
    for (;;) {
      const character = this.#peek();
      if (character === '' || character < ' ') this.#fail('in string literal');
      this.#position++;
      if (character === '"') return;
      if (character !== '\\') continue;
      if (this.#take('u')) {
        for (let i = 0; i < 4; i++) {
          if (!/^[0-9a-fA-F]$/.test(this.#peek())) this.#fail('in \\u hexadecimal character escape');
          this.#position++;
        }
      } else if (this.#peek() !== '' && '"\\/bfnrt'.includes(this.#peek())) this.#position++;
      else this.#fail('in string escape code');
    }
  }

  #number(): void {
    this.#take('-');
    if (!this.#take('0') && !this.#digits()) this.#fail('in numeric literal');
    if (this.#take('.') && !this.#digits()) this.#fail('after decimal point in numeric literal');
    if (this.#take('e') || this.#take('E')) {
      if (!this.#take('+')) this.#take('-');
      if (!this.#digits()) this.#fail('in exponent of numeric literal');
    }
  }

  #digits(): boolean {
    const start = this.#position;
    while (/^\d$/.test(this.#peek())) this.#position++;
    return this.#position > start;
  }

  #literal(word: string): void {
    for (const character of word) {
      if (!this.#take(character)) this.#fail(`in literal ${word} (expecting '${character}')`);
    }
  }

  #space(): void {
    while (this.#peek() !== '' && ' \t\r\n'.includes(this.#peek())) this.#position++;
  }

  #peek(): string {
    return this.#text.charAt(this.#position);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#position++;
    return true;
  }

  #fail(context: string): never {
    const character = this.#text.codePointAt(this.#position);
    if (character === undefined) throw new ScanError('unexpected end of JSON input', this.#position);
    throw new ScanError(
      `invalid character ${quoteCharacter(String.fromCodePoint(character))} ${context}`,
      this.#position,
    );
  }
}

function quoteCharacter(character: string): string {
  if (character === "'") return "'\\''";
  return `'${JSON.stringify(character).slice(1, -1).replace('\\"', '"')}'`;
}
