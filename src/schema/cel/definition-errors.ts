import type { JsonObject } from '../../model/index.ts';
import { child, type FieldError, invalid, invalidJson, notSupported, required } from '../field-error.ts';
import { resolveFieldPath } from './field-paths.ts';
import { trimSpace } from './library/strings.ts';
import type { StructuralSchema, ValidationRule } from './structural.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Checks what stands beside the expression of a rule. */
export function checkTexts(rule: ValidationRule, schema: StructuralSchema, place: string, errors: FieldError[]): void {
  const message = trimSpace(rule.message);
  const expression = trimSpace(rule.rule);
  if (expression === '') {
    errors.push(required(child(place, 'rule'), 'rule is not specified'));
  } else if (rule.message !== '' && message === '') {
    errors.push(invalid(child(place, 'message'), rule.message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message)) {
    errors.push(invalid(child(place, 'message'), rule.message, 'must not contain line breaks'));
  } else if (hasLineBreak(expression) && message === '') {
    errors.push(required(child(place, 'message'), 'message must be specified if rule contains line breaks'));
  }
  if (rule.messageExpression !== '' && trimSpace(rule.messageExpression) === '') {
    errors.push(required(child(place, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(notSupported(child(place, 'reason'), rule.reason, reasons));
  }
  if (rule.fieldPath === '') return;
  const fieldPath = child(place, 'fieldPath');
  if (trimSpace(rule.fieldPath) === '')
    errors.push(invalid(fieldPath, rule.fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(rule.fieldPath)) errors.push(invalid(fieldPath, rule.fieldPath, 'must not contain line breaks'));
  if (resolveFieldPath(rule.fieldPath, schema) === undefined)
    errors.push(invalid(fieldPath, rule.fieldPath, 'must be a valid path'));
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** An error of which the value is the whole rule. */
export function invalidRule(path: string, rule: ValidationRule, detail: string): FieldError {
  const value: JsonObject = {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
  return invalidJson(path, JSON.stringify(value), detail);
}

export function internalError(path: string, detail: string): FieldError {
  return { type: 'InternalError', field: path, detail, message: `${path}: Internal error: ${detail}` };
}

/** What the server says of a cost above its limit. */
export function costMessage(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
