import { parseIp } from './ip.ts';

/** Whether Go's `mail.ParseAddress` accepts the text: `a@b`, `Name <a@b>`, comments and one-member groups. */
export function isEmail(text: string): boolean {
  try {
    return new AddressParser(text).isSingleAddress();
  } catch (error) {
    if (error instanceof AddressError) return false;
    throw error;
  }
}

class AddressError extends Error {}

const multibyte = /[^\x00-\x7f]/; // oxlint-disable-line no-control-regex -- all that is not ASCII
const specials = '()<>[]:;@\\,"';

function isVisible(character: string): boolean {
  return (character >= '!' && character <= '~') || multibyte.test(character);
}

function isAtomCharacter(character: string): boolean {
  return isVisible(character) && !specials.includes(character);
}

class AddressParser {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  isSingleAddress(): boolean {
    const count = this.#address(true);
    this.#skipComments();
    return this.#rest === '' && count === 1;
  }

  /** Reads an address or a group; gives the number of addresses. */
  #address(allowGroup: boolean): number {
    this.#skipSpace();
    if (this.#rest === '') throw new AddressError();
    const start = this.#rest;
    try {
      this.#addressSpec();
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      this.#rest = start;
      return this.#namedAddress(allowGroup);
    }
    this.#skipSpace();
    if (this.#consume('(')) {
      for (const word of this.#comment().split(/[ \t]+/)) checkEncodedWord(word);
    }
    return 1;
  }

  #namedAddress(allowGroup: boolean): number {
    if (!this.#rest.startsWith('<')) this.#phrase();
    this.#skipSpace();
    if (allowGroup && this.#consume(':')) return this.#group();
    if (!this.#consume('<')) throw new AddressError();
    this.#addressSpec();
    if (!this.#consume('>')) throw new AddressError();
    return 1;
  }

  #group(): number {
    this.#skipSpace();
    let count = 0;
    if (this.#consume(';')) {
      this.#skipComments();
      return count;
    }
    for (;;) {
      this.#skipSpace();
      count += this.#address(false);
      this.#skipComments();
      if (this.#consume(';')) {
        this.#skipComments();
        return count;
      }
      if (!this.#consume(',')) throw new AddressError();
    }
  }

  #addressSpec(): void {
    this.#skipSpace();
    if (this.#rest === '') throw new AddressError();
    if (this.#rest.startsWith('"')) {
      if (this.#quotedString() === '') throw new AddressError();
    } else {
      this.#atom(false);
    }
    if (!this.#consume('@')) throw new AddressError();
    this.#skipSpace();
    if (this.#rest === '') throw new AddressError();
    if (this.#consume('[')) this.#domainLiteral();
    else this.#atom(false);
  }

  /** One or more words; what follows the first word may be broken. */
  #phrase(): void {
    for (let words = 0; ; words++) {
      if (words > 0) this.#skipComments();
      this.#skipSpace();
      if (this.#rest === '') {
        return;
      }
      try {
        if (this.#rest.startsWith('"')) this.#quotedString();
        else checkEncodedWord(this.#atom(true));
      } catch (error) {
        if (!(error instanceof AddressError) || words === 0) throw error;
        return;
      }
    }
  }

  #quotedString(): string {
    let value = '';
    const characters = Array.from(this.#rest);
    for (let i = 1; i < characters.length; i++) {
      let character = characters[i] ?? '';
      if (character === '"') {
        this.#rest = characters.slice(i + 1).join('');
        return value;
      }
      if (character === '\\') character = characters[++i] ?? '';
      if (character === '') break;
      if (!isVisible(character) && character !== ' ' && character !== '\t') throw new AddressError();
      value += character;
    }
    throw new AddressError();
  }

  #atom(isPermissive: boolean): string {
    let end = 0;
    while (end < this.#rest.length && isAtomCharacter(this.#rest.charAt(end))) end++;
    if (end === 0) throw new AddressError();
    const atom = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    if (!isPermissive && (atom.startsWith('.') || atom.includes('..') || atom.endsWith('.'))) throw new AddressError();
    return atom;
  }

  #domainLiteral(): void {
    const end = this.#rest.indexOf(']');
    if (end < 0 || parseIp(this.#rest.slice(0, end)) === undefined) throw new AddressError();
    this.#rest = this.#rest.slice(end + 1);
  }

  #skipComments(): void {
    this.#skipSpace();
    while (this.#consume('(')) {
      this.#comment();
      this.#skipSpace();
    }
  }

  #comment(): string {
    let depth = 1;
    let comment = '';
    let i = 0;
    for (; i < this.#rest.length && depth > 0; i++) {
      const character = this.#rest.charAt(i);
      if (character === '\\' && i + 1 < this.#rest.length) i++;
      else if (character === '(') depth++;
      else if (character === ')') depth--;
      if (depth > 0) comment += this.#rest.charAt(i);
    }
    this.#rest = this.#rest.slice(i);
    if (depth > 0) throw new AddressError();
    return comment;
  }

  #consume(character: string): boolean {
    if (!this.#rest.startsWith(character)) return false;
    this.#rest = this.#rest.slice(1);
    return true;
  }

  #skipSpace(): void {
    this.#rest = this.#rest.replace(/^[ \t]+/, '');
  }
}

/** A word in the encoded form of RFC 2047 that is well formed must name a character set that Go knows. */
function checkEncodedWord(word: string): void {
  const match = /^=\?([^?]+)\?([bBqQ])\?([^?]*)\?=$/.exec(word);
  if (match === null || word.length < 8) return;
  const [, charset = '', encoding = '', text = ''] = match;
  const isWellFormed =
    encoding.toLowerCase() === 'b'
      ? /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
      : /^(?:=[0-9a-fA-F]{2}|[ -<>-~])*$/.test(text);
  if (isWellFormed && !['utf-8', 'iso-8859-1', 'us-ascii'].includes(charset.toLowerCase())) throw new AddressError();
}
