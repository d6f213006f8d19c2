import { CelType, dynType, isExactType, isOptionalType, listOf, mapOf, parameterOf, typeOfType } from './types.ts';

/** What the checker has found for each free type variable; failed attempts are undone. */
export class Substitutions {
  readonly #types = new Map<string, CelType>();
  readonly #journal: { readonly name: string; readonly before: CelType | undefined }[] = [];

  find(type: CelType): CelType | undefined {
    return type.kind === 'typeParam' ? this.#types.get(type.name) : undefined;
  }

  add(parameter: CelType, type: CelType): void {
    this.#journal.push({ name: parameter.name, before: this.#types.get(parameter.name) });
    this.#types.set(parameter.name, type);
  }

  /** Runs an attempt and takes back what it found if it fails. */
  attempt(attempt: () => boolean): boolean {
    const mark = this.#journal.length;
    if (attempt()) return true;
    while (this.#journal.length > mark) {
      const entry = this.#journal.pop();
      if (entry === undefined) break;
      if (entry.before === undefined) this.#types.delete(entry.name);
      else this.#types.set(entry.name, entry.before);
    }
    return false;
  }
}

export function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** The type inside an optional, and whether there was one. */
export function unwrapOptional(type: CelType): { readonly type: CelType; readonly optional: boolean } {
  return isOptionalType(type) ? { type: parameterOf(type, 0), optional: true } : { type, optional: false };
}

export function isAssignable(substitutions: Substitutions, from: CelType, to: CelType): boolean {
  return substitutions.attempt(() => assign(substitutions, from, to));
}

export function areAssignable(substitutions: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  return substitutions.attempt(() => assignAll(substitutions, from, to));
}

function assignAll(substitutions: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  if (from.length !== to.length) return false;
  return from.every((type, index) => assign(substitutions, type, to[index] ?? dynType));
}

function assign(substitutions: Substitutions, t1: CelType, t2: CelType): boolean {
  if (t2.kind === 'typeParam') {
    const { valid, known } = bind(substitutions, t1, t2);
    if (valid) return true;
    if (known) return false;
  }
  if (t1.kind === 'typeParam') return bind(substitutions, t2, t1).valid;
  if (isDynOrError(t1) || isDynOrError(t2)) return true;
  if (t1.kind === 'null') return acceptsNull(t2);
  if (t2.kind === 'null') return acceptsNull(t1);
  switch (t1.kind) {
    case 'type':
      return t2.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return t1.kind === t2.kind && t1.name === t2.name && assignAll(substitutions, t1.parameters, t2.parameters);
    default:
      return t1.kind === t2.kind && t1.name === t2.name;
  }
}

/** Which types null may stand for. */
function acceptsNull(type: CelType): boolean {
  switch (type.kind) {
    case 'opaque':
    case 'struct':
    case 'duration':
    case 'timestamp':
    case 'null':
      return true;
    default:
      return false;
  }
}

/** Whether `t1` may be what the variable `t2` stands for, and whether the variable stood for something already. */
function bind(substitutions: Substitutions, t1: CelType, t2: CelType): { valid: boolean; known: boolean } {
  if (t1.kind === t2.kind && isExactType(t1, t2)) return { valid: true, known: true };
  const found = substitutions.find(t2);
  if (found !== undefined) {
    if (t1.kind === found.kind && isExactType(t1, found)) return { valid: true, known: true };
    if (!assign(substitutions, t1, found)) return { valid: false, known: true };
    const general = mostGeneral(t1, found);
    if (isFreeOf(substitutions, t2, general)) substitutions.add(t2, general);
    return { valid: true, known: true };
  }
  if (!isFreeOf(substitutions, t2, t1)) return { valid: false, known: false };
  substitutions.add(t2, t1);
  return { valid: true, known: false };
}

/** Whether a variable does not occur within a type (it may be the type itself only in name). */
function isFreeOf(substitutions: Substitutions, variable: CelType, type: CelType): boolean {
  if (isExactType(variable, type)) return false;
  if (type.kind === 'typeParam') {
    const found = substitutions.find(type);
    return found === undefined || isFreeOf(substitutions, variable, found);
  }
  return type.parameters.every((parameter) => isFreeOf(substitutions, variable, parameter));
}

export function mostGeneral(t1: CelType, t2: CelType): CelType {
  return isEqualOrLessSpecific(t1, t2) ? t1 : t2;
}

function isEqualOrLessSpecific(t1: CelType, t2: CelType): boolean {
  if (t1.kind === 'dyn' || t1.kind === 'typeParam') return true;
  if (t2.kind === 'dyn' || t2.kind === 'typeParam' || t1.kind !== t2.kind) return false;
  switch (t1.kind) {
    case 'opaque':
      if (t1.name !== t2.name || t1.parameters.length !== t2.parameters.length) return false;
      return t1.parameters.every((parameter, index) => isEqualOrLessSpecific(parameter, parameterOf(t2, index)));
    case 'list':
    case 'map':
      return t1.parameters.every((parameter, index) => isEqualOrLessSpecific(parameter, parameterOf(t2, index)));
    case 'type':
      return true;
    default:
      return isExactType(t1, t2);
  }
}

/** A type with what is known of its variables put in; with `freeToDyn` the others become dyn. */
export function substitute(substitutions: Substitutions, type: CelType, freeToDyn: boolean): CelType {
  const found = substitutions.find(type);
  if (found !== undefined) return substitute(substitutions, found, freeToDyn);
  if (type.kind === 'typeParam') return freeToDyn ? dynType : type;
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map((parameter) => substitute(substitutions, parameter, freeToDyn));
  switch (type.kind) {
    case 'list':
      return listOf(parameters[0] ?? dynType);
    case 'map':
      return mapOf(parameters[0] ?? dynType, parameters[1] ?? dynType);
    case 'type':
      return typeOfType(parameters[0] ?? dynType);
    default:
      return new CelType(type.kind, type.name, parameters);
  }
}
