import type { JsonObject } from '../../model/index.ts';
import { checkExpression } from './checker.ts';
import { declareType, nameTypes, type NamedType } from './declared-type.ts';
import { minorVersion, storedEnvironment } from './kubernetes.ts';
import { parseExpression } from './parser.ts';
import { declaredType } from './policy.ts';
import { policyObjects, policyVariables, variablesType } from './policy-types.ts';
import { Source } from './source.ts';
import { readSchema } from './structural.ts';
import { type CelType, dynType } from './types.ts';
import { validateExpression } from './validators.ts';

/** The schemas, without references, of what the expressions of a policy see. */
export interface PolicySchemas {
  /** Of `object` and `oldObject`. */
  readonly object: JsonObject;
  /** Whether there are `params`. */
  readonly hasParams: boolean;
  /** Of `params`, where it is known. */
  readonly params?: JsonObject | undefined;
}

/**
 * Checks expressions of a stored policy against the types of one kind of objects. Objects are dynamic where policies are
 * evaluated, so that what is found here is no more than a warning.
 */
export class PolicyTypeChecker {
  readonly #environment = storedEnvironment(minorVersion(undefined));
  readonly #variables: Map<string, CelType>;
  readonly #objects: Map<string, ReadonlyMap<string, CelType>>;
  readonly #variableTypes = new Map<string, CelType>();

  constructor({ object, hasParams, params }: PolicySchemas) {
    this.#variables = policyVariables({ params: hasParams, authorizer: true }, true);
    // The server's check does not know this one.
    this.#variables.delete('authorizer.requestResource');
    this.#objects = new Map([...policyObjects, [variablesType.name, this.#variableTypes]]);
    this.#declare(typesOf(object, 'Object'), 'object', 'oldObject');
    if (params !== undefined) this.#declare(typesOf(params, 'Params'), 'params');
  }

  /** Adds a variable, of any type where it does not fit the objects. */
  addVariable(name: string, text: string): void {
    this.#variableTypes.set(name, declaredType(this.#check(text).type));
  }

  /** What is wrong with an expression, as the server shows it. */
  problem(text: string): string | undefined {
    return this.#check(text).problem;
  }

  #declare(named: NamedType | undefined, ...variables: readonly string[]): void {
    for (const [name, fields] of named?.objects ?? []) this.#objects.set(name, fields);
    for (const variable of variables) this.#variables.set(variable, named?.type ?? dynType);
  }

  #check(text: string): { readonly problem?: string; readonly type?: CelType } {
    const source = new Source(text);
    const parsed = parseExpression(source, this.#environment.macros);
    if (parsed.issues.length > 0) return { problem: source.display(parsed.issues) };
    const { checked, issues } = checkExpression(parsed.expression, parsed.offsets, source, this.#environment, {
      variables: this.#variables,
      objects: this.#objects,
    });
    const found = issues.length > 0 ? issues : validateExpression(checked, source);
    if (found.length > 0) return { problem: source.display(found) };
    return { type: checked.types.get(checked.expression.id) ?? dynType };
  }
}

function typesOf(schema: JsonObject, name: string): NamedType | undefined {
  const declared = declareType(readSchema(schema), true);
  return declared === undefined ? undefined : nameTypes(declared, name);
}
