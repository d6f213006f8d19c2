import type { Schema } from '../../model/index.ts';

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** The schema of a value that is an integer or a text. */
export const intOrString: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

/** The aliases of operator-runtime that stand for scalars, with the schemas that controller-gen gives their Go counterparts. */
export const scalars: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['integer', { type: 'integer' }],
  ['int32', { type: 'integer', format: 'int32' }],
  ['int64', { type: 'integer', format: 'int64' }],
  ['float', { type: 'number', format: 'float' }],
  ['double', { type: 'number', format: 'double' }],
  ['Time', { type: 'string', format: 'date-time' }],
  ['MicroTime', { type: 'string', format: 'date-time' }],
  ['Duration', { type: 'string' }],
  ['IntOrString', intOrString],
  ['Quantity', { ...intOrString, pattern: quantityPattern }],
]);
