import { stringLiteral } from '../generate/client/identifiers.ts';

/** Hands out names for types: each once in a file. */
export class TypeNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The name, or the name and a number from 2 on. */
  allocate(name: string): string {
    let free = name;
    for (let number = 2; this.#taken.has(free); number++) free = `${name}${number}`;
    this.#taken.add(free);
    return free;
  }
}

/** A member's name as a part of a type's name: `external-ips` gives `ExternalIps`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Words that cannot name a member of a class as they stand, or would be read as something else. */
const quotedNames = new Set(
  'constructor static declare readonly abstract override public private protected get set async accessor'.split(' '),
);

/** A member's name as it stands in an interface: quoted unless it is an identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && !quotedNames.has(name) ? name : stringLiteral(name);
}

/** A member's name as it stands in a class. */
export function classMemberName(name: string): string {
  // As a string it would still be the constructor.
  return name === 'constructor' ? "['constructor']" : propertyName(name);
}
