// Definitions at random come back equal from the types that they are imported as.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { roundTrip } from './round-trip.ts';
import { anySchema } from './schemas.ts';

/** A definition whose spec has members of these schemas. */
function definitionOf(schemas: readonly unknown[]): string {
  const properties = Object.fromEntries(schemas.map((schema, index) => [`member${index}`, schema]));
  const spec = { type: 'object', properties };
  return stringify(
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec,
                },
              },
            },
          },
        ],
      },
    },
    { version: '1.1', aliasDuplicateObjects: false },
  );
}

describe('definitions at random', () => {
  it('come back equal from their types', () => {
    const members = fc.array(anySchema, { minLength: 30, maxLength: 40 });
    fc.assert(
      fc.property(members, (schemas) => {
        const { before, after, errors, lost } = roundTrip(definitionOf(schemas), false);
        expect({ errors, lost }).toEqual({ errors: [], lost: [] });
        expect(after).toEqual(before);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  }, 60_000);
});
