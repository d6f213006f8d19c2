import type { Json } from '../model/index.ts';
import {
  child,
  type FieldError,
  invalid,
  notSupported,
  type Path,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
import { goJson } from './go-format.ts';

/** An error of kube-openapi's validator, which becomes a {@link FieldError} in the end. */
export interface ValueError {
  readonly kind: 'type' | 'required' | 'enum' | 'tooLong' | 'tooMany' | 'invalid' | 'plain';
  /** The path of the value, or undefined for errors that carry none (`kind: 'plain'`). */
  readonly name?: string;
  readonly value?: Json;
  readonly limit?: bigint;
  readonly actual?: number;
  readonly supported?: readonly Json[];
  /** Errors of one message are reported once. */
  readonly message: string;
}

/** The errors of a value and the number of checks that it passed, by which the best branch of a junctor is found. */
export class ValueResult {
  readonly errors: ValueError[] = [];
  matchCount = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(...errors: readonly ValueError[]): void {
    for (const error of errors) {
      if (!this.errors.some((known) => known.message === error.message)) this.errors.push(error);
    }
  }

  merge(other: ValueResult): void {
    if (other.errors.length > 0) this.add(...other.errors);
    this.matchCount += other.matchCount;
  }

  toFieldErrors(path: Path): FieldError[] {
    return this.errors.map((error) => toFieldError(error, path));
  }
}

function toFieldError(error: ValueError, path: Path): FieldError {
  const name = error.name ?? '';
  const at = name === '' || name === '.' ? path : child(path, name.replace(/^\./, ''));
  switch (error.kind) {
    case 'plain':
      return invalid(path, '', error.message);
    case 'required':
      return required(at);
    case 'enum':
      return notSupported(
        at,
        error.value ?? null,
        (error.supported ?? []).map((value) => (typeof value === 'string' ? value : goJson(value))),
      );
    case 'tooLong':
      return tooLong(at, error.limit ?? -1n);
    case 'tooMany':
      return tooMany(at, error.actual ?? -1, error.limit ?? -1n);
    case 'type':
      return typeInvalid(at, error.value ?? '', error.message);
    default:
      return invalid(at, error.value ?? '', error.message);
  }
}
