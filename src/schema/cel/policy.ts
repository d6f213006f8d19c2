import { checkExpression } from './checker.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { definitionEnvironment, kubernetesLibraries, minorVersion, storedEnvironment } from './kubernetes.ts';
import { jsonPatchLibrary } from './library/json-patch.ts';
import type { PlannedNode } from './planned-node.ts';
import { parseExpression } from './parser.ts';
import { PlanError, planExpression } from './planner.ts';
import { policyObjects, policyVariables, type PolicyScope, variablesType } from './policy-types.ts';
import { Source } from './source.ts';
import { jsonPatchType, mutationStructs, objectType } from './struct-values.ts';
import { boolType, type CelType, dynType, isExactType, listOf, mapOf, nullType, stringType } from './types.ts';
import { validateExpression } from './validators.ts';

export type { PolicyScope } from './policy-types.ts';

/** What an expression of a policy is for, which decides its type. */
export type PolicyUse = 'condition' | 'message' | 'auditAnnotation' | 'variable' | 'applyConfiguration' | 'jsonPatch';

const resultTypes: Readonly<Record<PolicyUse, readonly CelType[]>> = {
  condition: [boolType],
  message: [stringType],
  auditAnnotation: [stringType, nullType],
  variable: [],
  applyConfiguration: [objectType],
  jsonPatch: [listOf(jsonPatchType)],
};

/** An expression of a policy or of a webhook; without `problem` it can be evaluated. */
export interface PolicyExpression {
  readonly text: string;
  /** Why it does not compile, in the server's words. */
  readonly problem?: string;
  readonly program?: PlannedNode;
  readonly type?: CelType;
}

export interface PolicyCompilerOptions {
  readonly kubernetesVersion?: string;
  /** Whether there is an object `variables`; an expression that names it does not compile otherwise. */
  readonly composed?: boolean;
}

/** Compiles the expressions of one policy, in order: each sees the variables that were added before it. */
export class PolicyCompiler {
  /** The variables by name. */
  readonly variables = new Map<string, PolicyExpression>();
  readonly #minor: number;
  readonly #composed: boolean;
  readonly #variableTypes = new Map<string, CelType>();

  constructor(options: PolicyCompilerOptions = {}) {
    this.#minor = minorVersion(options.kubernetesVersion);
    this.#composed = options.composed ?? true;
  }

  /** Adds a variable; one that does not compile is there, too, and fails where it is used. */
  addVariable(name: string, text: string, scope: PolicyScope, isNew: boolean): PolicyExpression {
    const compiled = this.compile(text, 'variable', scope, isNew);
    this.variables.set(name, compiled);
    this.#variableTypes.set(name, declaredType(compiled.type));
    return compiled;
  }

  /** @param isNew whether the expression is just being written: it may then only use what the version before knows, too */
  compile(text: string, use: PolicyUse, scope: PolicyScope, isNew: boolean): PolicyExpression {
    const environment = environmentFor(this.#minor, isNew, scope.mutation === true);
    const source = new Source(text);
    const parsed = parseExpression(source, environment.macros);
    if (parsed.issues.length > 0) return { text, problem: `compilation failed: ${source.display(parsed.issues)}` };
    const { checked, issues } = checkExpression(parsed.expression, parsed.offsets, source, environment, {
      variables: policyVariables(scope, this.#composed),
      objects: new Map([...policyObjects, [variablesType.name, this.#variableTypes]]),
      ...(scope.mutation === true && { structs: mutationStructs }),
    });
    const found = issues.length > 0 ? issues : validateExpression(checked, source);
    if (found.length > 0) return { text, problem: `compilation failed: ${source.display(found)}` };
    const type = checked.types.get(checked.expression.id) ?? dynType;
    const expected = resultTypes[use];
    if (expected.length > 0 && !expected.some((allowed) => isExactType(allowed, type)))
      return { text, problem: `must evaluate to ${oneOf(expected)} but got ${typeName(type)}` };
    try {
      return { text, type, program: planExpression(checked, environment) };
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      return { text, problem: `program instantiation failed: ${error.message}` };
    }
  }
}

const mutationEnvironments = new Map<number, Environment>();

function environmentFor(minor: number, isNew: boolean, mutation: boolean): Environment {
  if (!mutation) return isNew ? definitionEnvironment(minor) : storedEnvironment(minor);
  const effective = isNew ? minor - 1 : minor;
  const known = mutationEnvironments.get(effective);
  if (known !== undefined) return known;
  const environment = createEnvironment([...kubernetesLibraries, jsonPatchLibrary], effective);
  mutationEnvironments.set(effective, environment);
  return environment;
}

/** The type that a variable's users see: only what the server can turn into one of its own declarations. */
export function declaredType(type: CelType | undefined): CelType {
  if (type === undefined) return dynType;
  const [first, second] = type.parameters;
  switch (type.kind) {
    case 'bool':
    case 'bytes':
    case 'double':
    case 'duration':
    case 'int':
    case 'null':
    case 'string':
    case 'timestamp':
    case 'uint':
      return type;
    case 'list':
      return listOf(declaredType(first));
    case 'map':
      return mapOf(declaredType(first), declaredType(second));
    default:
      return dynType;
  }
}

function oneOf(types: readonly CelType[]): string {
  const names = types.map(typeName);
  return names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
}

/** A type with its full name: `list(google.protobuf.Timestamp)`. */
function typeName(type: CelType): string {
  return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeName).join(', ')})`;
}
