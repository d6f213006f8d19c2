import { describe, expect, it } from 'vitest';
import { addKustomizeResources } from './kustomization.ts';

describe('addKustomizeResources', () => {
  it('fills an empty list', () => {
    expect(addKustomizeResources('# ours\nresources: []\n', ['a.yaml', 'b.yaml'])).toBe(
      '# ours\nresources:\n  - a.yaml\n  - b.yaml\n',
    );
  });

  it('adds what is missing behind what is there and keeps comments and other members', () => {
    const text = 'resources:\n  # first\n  - mine.yaml\npatches:\n  - path: p.yaml\n';
    expect(addKustomizeResources(text, ['mine.yaml', 'a.yaml'])).toBe(
      'resources:\n  # first\n  - mine.yaml\n  - a.yaml\npatches:\n  - path: p.yaml\n',
    );
  });

  it('gives the same text when nothing is missing', () => {
    const text = 'resources: [ a.yaml ]   # odd but mine\n';
    expect(addKustomizeResources(text, ['a.yaml'])).toBe(text);
  });

  it('makes the list when there is none', () => {
    expect(addKustomizeResources('namePrefix: x-\n', ['a.yaml'])).toBe('namePrefix: x-\nresources:\n  - a.yaml\n');
  });

  it.each([['resources: yes\n'], ['resources: [a\n']])('refuses %j', (text) => {
    expect(() => addKustomizeResources(text, ['a.yaml'])).toThrow();
  });
});
