import { describe, expect, it } from 'vitest';
import { checkGroup, checkKind, checkPlural, checkProjectName, checkVersion } from './names.ts';

describe('names of a scaffold', () => {
  it.each(['widget-operator', 'a', 'x1', 'a'.repeat(28)])('takes the project name %s', (name) => {
    expect(checkProjectName(name)).toBeUndefined();
  });

  it.each([
    '',
    'Widget',
    'a_b',
    '-a',
    'a-',
    '.a',
    '@scope/a',
    'a b',
    'ä',
    'a'.repeat(29),
    '1op',
    '..',
    'a/b',
    'vitest',
    'operator-runtime',
  ])('refuses the project name %j', (name) => {
    expect(checkProjectName(name)?.message).toContain('name');
  });

  it.each(['Widget', 'S3Bucket', 'HTTPRoute', 'Class', 'W'])('takes the kind %s', (kind) => {
    expect(checkKind(kind)).toBeUndefined();
  });

  it.each([
    '',
    'widget',
    'class',
    'default',
    'My-Kind',
    'Ünit',
    '1Kind',
    'Record',
    'Promise',
    'KubernetesObject',
    'WidgetList',
    `A${'b'.repeat(63)}`,
  ])('refuses the kind %j', (kind) => {
    expect(checkKind(kind)?.message).toMatch(/kind/);
  });

  it('says of a reserved word that it is one', () => {
    expect(checkKind('class')?.message).toContain('reserved word');
  });

  it.each(['widgets', 's3-buckets', 'a', 'a'.repeat(63)])('takes the plural %s', (plural) => {
    expect(checkPlural(plural)).toBeUndefined();
  });

  it.each(['', 'Widgets', 'two words', '3things', '-a', 'a-', 'a.b', 'a'.repeat(64)])(
    'refuses the plural %j',
    (plural) => {
      expect(checkPlural(plural)?.message).toContain('no plural');
    },
  );

  it.each(['example.com', 'apps.example.com', 'a-b.c1.io'])('takes the group %s', (group) => {
    expect(checkGroup(group)).toBeUndefined();
  });

  it.each([
    '',
    'apps',
    'Example.com',
    'a..b',
    '.com',
    'foo.k8s.io',
    'k8s.io',
    'x.kubernetes.io',
    'a_b.c',
    `${'a'.repeat(64)}.io`,
  ])('refuses the group %j', (group) => {
    expect(checkGroup(group)).toBeDefined();
  });

  it.each([
    ['v1', true],
    ['v1beta2', true],
    ['v10alpha1', true],
    ['1', false],
    ['v0', false],
    ['v1beta', false],
    ['V1', false],
    ['v1gamma1', false],
    ['', false],
  ])('version %j is right: %s', (version, right) => {
    expect(checkVersion(version) === undefined).toBe(right);
  });
});
