import type { CheckedExpression } from './checked-expression.ts';
import { checkExpression } from './checker.ts';
import { estimateCost } from './cost.ts';
import { type DeclaredType, maximumCardinality, nameTypes, type NamedType } from './declared-type.ts';
import type { Environment } from './environment.ts';
import type { PlannedNode } from './planned-node.ts';
import { parseExpression } from './parser.ts';
import { PlanError, planExpression } from './planner.ts';
import { type CompileIssue, Source } from './source.ts';
import type { ValidationRule } from './structural.ts';
import { type CelType, optionalOf } from './types.ts';
import { validateExpression } from './validators.ts';

/** An expression that cannot be used: the server's text and, where it is known, the places. */
export interface ExpressionError {
  readonly detail: string;
  readonly issues: readonly CompileIssue[];
}

/** A rule as the server judges it; without `error` it can be evaluated, except when it is empty. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly error?: ExpressionError;
  readonly program?: PlannedNode;
  /** The highest cost of one evaluation, as uint64. */
  readonly maxCost: bigint;
  /** How often the rule may have to be evaluated for one request where a list or map around it has no bound. */
  readonly maxCardinality: bigint;
  readonly usesOldSelf: boolean;
  readonly message?: PlannedNode;
  readonly messageError?: ExpressionError;
  readonly messageCost?: bigint;
}

const selfTypeName = 'selfType';

/** Compiles the rules of one schema node. */
export function compileNodeRules(
  rules: readonly ValidationRule[],
  declaration: DeclaredType,
  environment: Environment,
): CompiledRule[] {
  const named = nameTypes(declaration, selfTypeName);
  return rules.map((rule) => compileRule(rule, declaration, named, environment));
}

function compileRule(
  rule: ValidationRule,
  declaration: DeclaredType,
  named: NamedType,
  environment: Environment,
): CompiledRule {
  const nothing = { rule, maxCost: 0n, maxCardinality: 0n, usesOldSelf: false };
  if (rule.rule.trim() === '') return nothing;
  const context = {
    declaration,
    environment,
    named,
    oldSelf: rule.optionalOldSelf === true ? optionalOf(named.type) : named.type,
  };
  const compiled = compileExpression(rule.rule, 'bool', context);
  if ('error' in compiled) return { ...nothing, usesOldSelf: compiled.usesOldSelf, error: compiled.error };
  const result = {
    rule,
    program: compiled.program,
    maxCost: compiled.cost,
    maxCardinality: maximumCardinality(declaration),
    usesOldSelf: compiled.usesOldSelf,
  };
  if (rule.messageExpression === '') return result;
  const message = compileExpression(rule.messageExpression, 'string', context);
  if ('error' in message) return { ...result, messageError: message.error };
  return { ...result, message: message.program, messageCost: message.cost };
}

interface Context {
  readonly declaration: DeclaredType;
  readonly environment: Environment;
  readonly named: NamedType;
  readonly oldSelf: CelType;
}

type Compiled =
  | { readonly error: ExpressionError; readonly usesOldSelf: boolean }
  | { readonly program: PlannedNode; readonly cost: bigint; readonly usesOldSelf: boolean };

function compileExpression(text: string, result: 'bool' | 'string', context: Context): Compiled {
  const prefix = result === 'bool' ? '' : 'messageExpression ';
  const source = new Source(text);
  const parsed = parseExpression(source, context.environment.macros);
  const refuse = (issues: readonly CompileIssue[], usesOldSelf = false): Compiled => ({
    error: { detail: `${prefix}compilation failed: ${source.display(issues)}`, issues },
    usesOldSelf,
  });
  if (parsed.issues.length > 0) return refuse(parsed.issues);
  const { checked, issues } = checkExpression(parsed.expression, parsed.offsets, source, context.environment, {
    variables: new Map([
      ['self', context.named.type],
      ['oldSelf', context.oldSelf],
    ]),
    objects: context.named.objects,
  });
  if (issues.length > 0) return refuse(issues);
  const invalid = validateExpression(checked, source);
  if (invalid.length > 0) return refuse(invalid);
  if (checked.types.get(checked.expression.id)?.kind !== result) {
    const detail =
      result === 'bool' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string';
    return { error: { detail, issues: [{ message: detail }] }, usesOldSelf: false };
  }
  return plan(checked, prefix, context);
}

function plan(checked: CheckedExpression, prefix: string, context: Context): Compiled {
  const usesOldSelf = refersToOldSelf(checked);
  try {
    const program = planExpression(checked, context.environment);
    return { program, cost: estimateCost(checked, context.environment, context.declaration).max, usesOldSelf };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const verb = prefix === '' ? 'program instantiation failed' : 'messageExpression instantiation failed';
    const detail = `${verb}: ${error.message}`;
    return { error: { detail, issues: [{ message: detail }] }, usesOldSelf };
  }
}

function refersToOldSelf(checked: CheckedExpression): boolean {
  for (const reference of checked.references.values())
    if (reference.kind === 'variable' && reference.name === 'oldSelf') return true;
  return false;
}
