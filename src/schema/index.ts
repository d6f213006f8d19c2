/** What a Kubernetes API server does with the schemas of definitions and with custom objects, as pure functions. */
export { compileSchema, type AdmittedObject, type CompiledSchema, type DecodedObject } from './compiled-schema.ts';
export { decodeDefinition } from './definition-decoder.ts';
export { defaultDefinition } from './definition-defaults.ts';
export {
  type DefinitionValidationOptions,
  type DefinitionVerdict,
  validateDefinition,
} from './definition-validation.ts';
export type { Definition, DefinitionSpec, DefinitionVersion, PrinterColumn, ScaleSubresource } from './definition.ts';
export type { RuleEvaluator } from './default-validation.ts';
export type { FieldError, FieldErrorType } from './field-error.ts';
export { isRecognizedFormat, isStringFormat, matchesFormat } from './formats.ts';
export { DecodeError } from './go-decoder.ts';
export { goFloat, goJson, goQuote } from './go-format.ts';
export { equalJson, JsonSyntaxError, parseJson, stringifyJson } from './json.ts';
export { checkSimpleJsonPath, JsonPath, JsonPathError, printJsonPathValue, simpleJsonPathNames } from './json-path.ts';
export { validateFieldManager, validateObjectMeta, validateObjectMetaUpdate } from './metadata-validation.ts';
export { decodeObjectMeta } from './object-meta.ts';
export type { Pruned } from './pruning.ts';
export { Quantity, QuantityError, type QuantityFormat } from './quantity.ts';
export { compilePattern, Pattern, PatternError } from './re2.ts';
export { decodeSchema } from './schema-decoder.ts';
export type { SchemaNode, SchemaOrBoolean, ValidationRule } from './schema-node.ts';
export { validateStructuralSchema } from './structural.ts';
export type { RuleChecker } from './version-validation.ts';
