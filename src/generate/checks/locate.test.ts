import { describe, expect, it } from 'vitest';
import type { Schema } from '../../model/index.ts';
import { at, kind, object, version } from '../testing/model.ts';
import { locate } from './locate.ts';

const marked = (schema: Schema, line: number, keyword?: string): Schema => ({
  ...schema,
  origin: { position: at(line), ...(keyword === undefined ? {} : { keywords: new Map([[keyword, at(line + 100)]]) }) },
});

const spec = object({
  name: marked({ type: 'string', pattern: 'x' }, 11, 'pattern'),
  'a].b': marked({ type: 'string' }, 12),
  a: marked({ type: 'string' }, 13),
  list: marked({ type: 'array', items: object({ port: marked({ type: 'integer', default: 1 }, 15, 'default') }) }, 14),
  map: marked({ type: 'object', additionalProperties: marked({ type: 'string' }, 17) }, 16),
  either: marked({ type: 'object', oneOf: [{ required: ['x'] }], not: {} }, 18),
  rules: marked({ type: 'object', 'x-kubernetes-validations': [{ rule: 'x' }] }, 19, 'x-kubernetes-validations'),
});
const first = version({
  schema: object({ spec }),
  position: at(1),
  printerColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a', position: at(21) }],
  selectableFields: [{ jsonPath: '.spec.a', position: at(22) }],
  scaleSubresource: { specReplicasPath: '.a', statusReplicasPath: '.b', position: at(23) },
});
const second = version({ name: 'v2', position: at(2), schema: object({ spec: marked({ type: 'object' }, 30) }) });
const both = kind({ versions: [first, second], position: at(99) });
const schema = 'spec.validation.openAPIV3Schema';

describe('locate', () => {
  it.each<[string, number, string, string]>([
    [`${schema}.properties[spec].properties[name].pattern`, 111, 'spec.name', 'pattern'],
    [`${schema}.properties[spec].properties[name].type`, 11, 'spec.name', 'type'],
    [`${schema}.properties[spec].properties[a].b].type`, 12, 'spec["a].b"]', 'type'],
    [`${schema}.properties[spec].properties[a].b`, 13, 'spec.a', 'b'],
    [`${schema}.properties[spec].properties[list].items.properties[port].default`, 115, 'spec.list[].port', 'default'],
    [`${schema}.properties[spec].properties[list].items.type`, 14, 'spec.list[]', 'type'],
    [`${schema}.properties[spec].properties[map].additionalProperties.type`, 17, 'spec.map{}', 'type'],
    [`${schema}.properties[spec].properties[either].oneOf[0].type`, 18, 'spec.either', 'type'],
    [`${schema}.properties[spec].properties[either].not.type`, 18, 'spec.either', 'type'],
    [
      `${schema}.properties[spec].properties[rules].x-kubernetes-validations[0].rule`,
      119,
      'spec.rules',
      'x-kubernetes-validations[0].rule',
    ],
    [`${schema}.properties[gone].type`, 1, '', 'properties[gone].type'],
    [schema, 1, '', ''],
    ['spec.versions[1].schema.openAPIV3Schema.properties[spec].type', 30, 'spec', 'type'],
    ['spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type', 13, 'spec.a', 'type'],
    ['spec.additionalPrinterColumns[0].JSONPath', 21, '', 'additionalPrinterColumns[0].JSONPath'],
    ['spec.versions[0].selectableFields[0].jsonPath', 22, '', 'selectableFields[0].jsonPath'],
    ['spec.subresources.scale.specReplicasPath', 23, '', 'subresources.scale.specReplicasPath'],
    ['spec.versions[1].name', 2, '', 'name'],
    ['spec.names.plural', 99, '', 'names.plural'],
    ['metadata.name', 99, '', 'metadata.name'],
  ])('finds %s', (field, line, path, rest) => {
    expect(locate(both, field)).toEqual({ position: at(line), path, rest });
  });
});
