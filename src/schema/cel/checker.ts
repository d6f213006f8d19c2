import type {
  CallExpression,
  ComprehensionExpression,
  Expression,
  IdentifierExpression,
  ListExpression,
  MapExpression,
  SelectExpression,
  StructExpression,
} from './ast.ts';
import type { CheckResult, Declarations, Reference } from './checked-expression.ts';
import type { FunctionDeclaration } from './declarations.ts';
import type { Environment } from './environment.ts';
import { isReservedSymbol } from './escaping.ts';
import { literalType, qualifiedName, qualifiers, Scope, unusableTypeNames } from './names.ts';
import type { CompileIssue, Source } from './source.ts';
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  intType,
  isExactType,
  listOf,
  mapOf,
  optionalOf,
  parameterOf,
  printType,
  typeOfType,
  typeParameter,
} from './types.ts';
import {
  areAssignable,
  isAssignable,
  isDynOrError,
  mostGeneral,
  substitute,
  Substitutions,
  unwrapOptional,
} from './unify.ts';

/** Gives every node of a parsed expression its type, and resolves names and overloads. */
export function checkExpression(
  expression: Expression,
  offsets: ReadonlyMap<number, number>,
  source: Source,
  environment: Environment,
  declarations: Declarations,
): CheckResult {
  const checker = new Checker(offsets, source, environment, declarations);
  return checker.run(expression);
}

class Checker {
  readonly #offsets: ReadonlyMap<number, number>;
  readonly #source: Source;
  readonly #environment: Environment;
  readonly #declarations: Declarations;
  readonly #types = new Map<number, CelType>();
  readonly #references = new Map<number, Reference>();
  readonly #substitutions = new Substitutions();
  readonly #issues: CompileIssue[] = [];
  #scope: Scope | undefined;
  #freeVariables = 0;

  constructor(
    offsets: ReadonlyMap<number, number>,
    source: Source,
    environment: Environment,
    declarations: Declarations,
  ) {
    this.#offsets = offsets;
    this.#source = source;
    this.#environment = environment;
    this.#declarations = declarations;
  }

  run(expression: Expression): CheckResult {
    this.#check(expression);
    for (const [id, type] of this.#types) this.#types.set(id, substitute(this.#substitutions, type, true));
    const checked = { expression, offsets: this.#offsets, types: this.#types, references: this.#references };
    return { checked, issues: this.#issues };
  }

  #report(id: number, message: string): void {
    const offset = this.#offsets.get(id);
    this.#issues.push(offset === undefined ? { message } : { message, position: this.#source.positionAt(offset) });
  }

  #mismatch(id: number, expected: CelType, actual: CelType): void {
    this.#report(id, `expected type '${printType(expected)}' but found '${printType(actual)}'`);
  }

  #undeclared(id: number, name: string): void {
    this.#report(id, `undeclared reference to '${name}' (in container '')`);
  }

  #setType(id: number, type: CelType): void {
    const before = this.#types.get(id);
    if (before !== undefined && !isExactType(before, type)) {
      this.#report(
        id,
        `incompatible type already exists for expression: (${id}) old:${printType(before)}, new:${printType(type)}`,
      );
      return;
    }
    this.#types.set(id, type);
  }

  #typeOf(expression: Expression): CelType {
    return this.#types.get(expression.id) ?? errorType;
  }

  #check(expression: Expression): void {
    switch (expression.kind) {
      case 'literal':
        this.#setType(expression.id, literalType(expression.value));
        return;
      case 'identifier':
        this.#checkIdentifier(expression);
        return;
      case 'select':
        this.#checkSelect(expression);
        return;
      case 'call':
        this.#checkCall(expression);
        return;
      case 'list':
        this.#checkList(expression);
        return;
      case 'map':
        this.#checkMap(expression);
        return;
      case 'struct':
        this.#checkStruct(expression);
        return;
      case 'comprehension':
        this.#checkComprehension(expression);
        return;
      case 'unspecified':
        this.#report(expression.id, 'unexpected unspecified type');
    }
  }

  #localType(name: string): CelType | undefined {
    for (let scope = this.#scope; scope !== undefined; scope = scope.parent) {
      const type = scope.names.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  #globalType(name: string): CelType | undefined {
    const variable = this.#declarations.variables.get(name);
    if (variable !== undefined) return variable;
    const type = this.#environment.types.get(name) ?? unusableTypeNames.get(name);
    return type === undefined ? undefined : typeOfType(type);
  }

  #checkIdentifier(expression: IdentifierExpression): void {
    const absolute = expression.name.startsWith('.');
    const name = absolute ? expression.name.slice(1) : expression.name;
    const local = this.#localType(name);
    if (local !== undefined && !absolute) {
      this.#setType(expression.id, local);
      this.#references.set(expression.id, { kind: 'variable', name });
      return;
    }
    const global = this.#globalType(name);
    if (global === undefined) {
      this.#setType(expression.id, errorType);
      this.#undeclared(expression.id, expression.name);
      return;
    }
    this.#setType(expression.id, global);
    // A dot in front stays where a loop variable hides the name.
    expression.name = local === undefined ? name : `.${name}`;
    this.#references.set(expression.id, { kind: 'variable', name: expression.name });
  }

  #checkSelect(expression: SelectExpression): void {
    const names = qualifiers(expression);
    const first = names?.[0];
    if (names !== undefined && first !== undefined) {
      const absolute = first.startsWith('.');
      const local = this.#localType(absolute ? first.slice(1) : first);
      const name = names.join('.').slice(absolute ? 1 : 0);
      const global = local === undefined || absolute ? this.#globalType(name) : undefined;
      if (global !== undefined) {
        this.#setType(expression.id, global);
        this.#references.set(expression.id, { kind: 'variable', name: local === undefined ? name : `.${name}` });
        return;
      }
    }
    const result = this.#selectedType(expression, expression.operand, expression.field, false);
    this.#setType(expression.id, substitute(this.#substitutions, expression.testOnly ? boolType : result, false));
  }

  #selectedType(expression: Expression, operand: Expression, field: string, optional: boolean): CelType {
    this.#check(operand);
    const operandType = substitute(this.#substitutions, this.#typeOf(operand), false);
    const target = unwrapOptional(operandType);
    const result = this.#fieldType(expression, target.type, field);
    return target.optional || optional ? optionalOf(result) : result;
  }

  #fieldType(expression: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return parameterOf(target, 1);
      case 'struct':
        return this.#lookUpField(expression.id, target.name, field) ?? errorType;
      case 'typeParam':
        isAssignable(this.#substitutions, dynType, target);
        return dynType;
      default:
        if (!isDynOrError(target))
          this.#report(expression.id, `type '${printType(target)}' does not support field selection`);
        return dynType;
    }
  }

  #lookUpField(id: number, typeName: string, field: string): CelType | undefined {
    const fields = this.#declarations.objects.get(typeName);
    const made = fields === undefined ? this.#declarations.structs?.(typeName) : undefined;
    if (fields === undefined && made === undefined) {
      this.#report(id, `unexpected failed resolution of '${typeName}'`);
      return undefined;
    }
    // A keyword can be written as it is, although the name of its field is escaped.
    const type =
      made?.fieldType(field) ??
      fields?.get(field) ??
      (isReservedSymbol(field) ? fields?.get(`__${field}__`) : undefined);
    if (type === undefined) this.#report(id, `undefined field '${field}'`);
    return type;
  }

  #checkCall(expression: CallExpression): void {
    if (expression.name === '_?._') {
      this.#checkOptionalSelect(expression);
      return;
    }
    for (const argument of expression.args) this.#check(argument);
    const { target } = expression;
    if (target === undefined) {
      const name = expression.name.startsWith('.') ? expression.name.slice(1) : expression.name;
      const declaration = this.#environment.functions.get(name);
      if (declaration === undefined) {
        this.#undeclared(expression.id, expression.name);
        this.#setType(expression.id, errorType);
        return;
      }
      expression.name = name;
      this.#resolve(expression, declaration, undefined);
      return;
    }
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : `${prefix}.${expression.name}`.replace(/^\./, '');
    const namespaced = qualified === undefined ? undefined : this.#environment.functions.get(qualified);
    if (namespaced !== undefined) {
      expression.target = undefined;
      expression.name = namespaced.name;
      this.#resolve(expression, namespaced, undefined);
      return;
    }
    this.#check(target);
    const declaration = this.#environment.functions.get(expression.name);
    if (declaration !== undefined) {
      this.#resolve(expression, declaration, target);
      return;
    }
    this.#setType(expression.id, errorType);
    this.#undeclared(expression.id, expression.name);
  }

  #checkOptionalSelect(expression: CallExpression): void {
    const [operand, field] = expression.args;
    if (operand === undefined || field === undefined || expression.target !== undefined) {
      this.#report(
        expression.id,
        `unsupported optional field selection: incorrect signature. argument count: ${expression.args.length}`,
      );
      return;
    }
    if (field.kind !== 'literal' || typeof field.value !== 'string') {
      this.#report(field.id, 'unsupported optional field selection');
      return;
    }
    const result = this.#selectedType(expression, operand, field.value, true);
    this.#setType(expression.id, substitute(this.#substitutions, result, false));
    this.#references.set(expression.id, { kind: 'function', overloads: ['select_optional_field'] });
  }

  #resolve(expression: CallExpression, declaration: FunctionDeclaration, target: Expression | undefined): void {
    const argumentTypes = expression.args.map((argument) => this.#typeOf(argument));
    if (target !== undefined) argumentTypes.unshift(this.#typeOf(target));
    if (declaration.name === '_&&_' || declaration.name === '_||_') {
      this.#resolveLogical(expression, declaration, argumentTypes);
      return;
    }
    const overloads: string[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== (target !== undefined)) continue;
      const fresh = this.#instantiate([overload.result, ...overload.args]);
      if (!areAssignable(this.#substitutions, argumentTypes, fresh.slice(1))) continue;
      overloads.push(overload.id);
      const type = substitute(this.#substitutions, fresh[0] ?? dynType, false);
      if (result === undefined) result = type;
      else if (result.kind !== 'dyn' && !isExactType(type, result)) result = dynType;
    }
    if (result === undefined) {
      const given = argumentTypes.map((type) => printType(substitute(this.#substitutions, type, true)));
      const receiver = target === undefined ? '' : `${given.shift() ?? ''}.`;
      this.#report(
        expression.id,
        `found no matching overload for '${declaration.name}' applied to '${receiver}(${given.join(', ')})'`,
      );
      this.#setType(expression.id, errorType);
      return;
    }
    this.#setType(expression.id, result);
    this.#references.set(expression.id, { kind: 'function', overloads });
  }

  #resolveLogical(
    expression: CallExpression,
    declaration: FunctionDeclaration,
    argumentTypes: readonly CelType[],
  ): void {
    let fits = true;
    for (const [index, type] of argumentTypes.entries()) {
      if (isAssignable(this.#substitutions, type, boolType)) continue;
      this.#mismatch(expression.args[index]?.id ?? expression.id, boolType, type);
      fits = false;
    }
    this.#setType(expression.id, fits ? boolType : errorType);
    if (!fits) return;
    this.#references.set(expression.id, {
      kind: 'function',
      overloads: declaration.overloads.map((overload) => overload.id),
    });
  }

  /** The types of a signature with variables of its own. */
  #instantiate(signature: readonly CelType[]): CelType[] {
    const fresh = new Substitutions();
    const collect = (type: CelType): void => {
      if (type.kind === 'typeParam' && fresh.find(type) === undefined) fresh.add(type, this.#newVariable());
      for (const parameter of type.parameters) collect(parameter);
    };
    for (const type of signature) collect(type);
    return signature.map((type) => substitute(fresh, type, false));
  }

  #newVariable(): CelType {
    const variable = typeParameter(`_var${this.#freeVariables}`);
    this.#freeVariables += 1;
    return variable;
  }

  /** The type of an element, taken out of its optional where it is written `?x`. */
  #elementType(element: Expression, optional: boolean): CelType {
    const type = this.#typeOf(element);
    if (!optional) return type;
    const unwrapped = unwrapOptional(type);
    if (!unwrapped.optional && unwrapped.type.kind !== 'dyn') this.#mismatch(element.id, optionalOf(type), type);
    return unwrapped.type;
  }

  /** The type of both; mixed elements are dyn here, and refused later where they may not be mixed. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    return isAssignable(this.#substitutions, before, type) ? mostGeneral(before, type) : dynType;
  }

  #checkList(expression: ListExpression): void {
    let elementType: CelType | undefined;
    for (const [index, element] of expression.elements.entries()) {
      this.#check(element);
      elementType = this.#join(elementType, this.#elementType(element, expression.optionals.has(index)));
    }
    this.#setType(expression.id, listOf(elementType ?? this.#newVariable()));
  }

  #checkMap(expression: MapExpression): void {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const entry of expression.entries) {
      this.#check(entry.key);
      keyType = this.#join(keyType, this.#typeOf(entry.key));
      this.#check(entry.value);
      valueType = this.#join(valueType, this.#elementType(entry.value, entry.optional));
    }
    const key = keyType ?? this.#newVariable();
    this.#setType(expression.id, mapOf(key, valueType ?? this.#newVariable()));
  }

  /** Only mutations have types whose objects an expression can make. */
  #checkStruct(expression: StructExpression): void {
    const name = expression.typeName.startsWith('.') ? expression.typeName.slice(1) : expression.typeName;
    const made = this.#declarations.structs?.(name);
    if (made === undefined) {
      this.#undeclared(expression.id, expression.typeName);
      this.#setType(expression.id, errorType);
      return;
    }
    this.#setType(expression.id, made.type);
    for (const field of expression.fields) {
      this.#check(field.value);
      const expected = this.#lookUpField(field.id, name, field.name) ?? errorType;
      const actual = this.#elementType(field.value, field.optional);
      if (isAssignable(this.#substitutions, expected, actual)) continue;
      this.#report(
        field.id,
        `expected type of field '${field.name}' is '${printType(expected)}' but provided type is '${printType(actual)}'`,
      );
    }
  }

  #checkComprehension(expression: ComprehensionExpression): void {
    this.#check(expression.range);
    this.#check(expression.initial);
    const rangeType = substitute(this.#substitutions, this.#typeOf(expression.range), false);
    const accumulatorType = this.#typeOf(expression.initial);
    const outer = this.#scope;
    const resultScope = new Scope(outer);
    resultScope.names.set(expression.accumulator, accumulatorType);
    const loopScope = new Scope(resultScope);
    const [first, second] = this.#loopTypes(expression, rangeType);
    loopScope.names.set(expression.variable, first);
    if (expression.variable2 !== undefined) loopScope.names.set(expression.variable2, second);
    this.#scope = loopScope;
    this.#check(expression.condition);
    this.#assertType(expression.condition, boolType);
    this.#check(expression.step);
    this.#assertType(expression.step, accumulatorType);
    this.#scope = resultScope;
    this.#check(expression.result);
    this.#scope = outer;
    this.#setType(expression.id, substitute(this.#substitutions, this.#typeOf(expression.result), false));
  }

  #loopTypes(expression: ComprehensionExpression, rangeType: CelType): [CelType, CelType] {
    const two = expression.variable2 !== undefined;
    switch (rangeType.kind) {
      case 'list': {
        const element = parameterOf(rangeType, 0);
        return two ? [intType, element] : [element, element];
      }
      case 'map':
        return [parameterOf(rangeType, 0), parameterOf(rangeType, 1)];
      case 'dyn':
      case 'error':
      case 'typeParam':
        isAssignable(this.#substitutions, dynType, rangeType);
        return [dynType, dynType];
      default:
        this.#report(
          expression.range.id,
          `expression of type '${printType(rangeType)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #assertType(expression: Expression, type: CelType): void {
    if (!isAssignable(this.#substitutions, type, this.#typeOf(expression)))
      this.#mismatch(expression.id, type, this.#typeOf(expression));
  }
}
