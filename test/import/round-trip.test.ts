// Definitions at random come back equal from the types that they are imported as.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundTrip } from './round-trip.ts';
import { anySchema, definitionOf } from './schemas.ts';

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
