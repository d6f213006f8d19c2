import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash, ownerOf, slotOf } from './hashing.ts';

const members = (count: number): string[] => Array.from({ length: count }, (_, index) => `operator-7d4b9c-${index}`);
const slots = Array.from({ length: 64 }, (_, slot) => slot);

describe('the slot of a key', () => {
  it('is the same in every release: processes of two releases share the slots', () => {
    expect(hash('')).toBe(2872998923);
    expect(hash('default/widget-1')).toBe(1531992872);
    expect(['a', 'b', 'c'].map((name) => slotOf({ namespace: 'default', name }, 64))).toEqual([63, 20, 1]);
    expect(slotOf({ name: 'cluster-wide' }, 64)).toBe(slotOf({ namespace: '', name: 'cluster-wide' }, 64));
  });

  it('spreads keys with numbered names evenly', () => {
    const counts = slots.map(() => 0);
    for (let index = 0; index < 64_000; index++) {
      const slot = slotOf({ namespace: 'default', name: `widget-${index}` }, 64);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });
});

describe('the owner of a slot', () => {
  it('is one of the members, whatever their order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 }), fc.nat(1023), (names, slot) => {
        const owner = ownerOf(slot, names);
        expect(names).toContain(owner);
        expect(ownerOf(slot, [...names].reverse())).toBe(owner);
      }),
    );
    expect(ownerOf(0, [])).toBeUndefined();
  });

  it('changes only where the membership makes it', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 }),
        fc.string(),
        fc.nat(1023),
        (names, other, slot) => {
          fc.pre(!names.includes(other));
          const before = ownerOf(slot, names);
          const after = ownerOf(slot, [...names, other]);
          expect([before, other]).toContain(after);
        },
      ),
    );
  });

  it('gives each of a few members its share', () => {
    for (const count of [2, 3, 5, 8]) {
      const shares = new Map(members(count).map((member) => [member, 0]));
      for (const slot of slots) {
        const owner = ownerOf(slot, members(count)) ?? '';
        shares.set(owner, (shares.get(owner) ?? 0) + 1);
      }
      expect(Math.min(...shares.values()), String([...shares.values()])).toBeGreaterThan(0.3 * (64 / count));
      expect(Math.max(...shares.values())).toBeLessThan(2 * (64 / count));
    }
  });
});
