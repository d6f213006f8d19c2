import { describe, expect, it } from 'vitest';
import { lines, readSources } from './testing/read-sources.ts';

const kind = `
/** @resource { group: 'test.example.com', version: 'v1' } */
export interface Thing { spec: { /** @minimum 1 */ size: number } }
`;

function found(text: string, other?: string): string[] {
  return lines(
    readSources({ 'thing.ts': `${text}${kind}`, ...(other === undefined ? {} : { 'other.ts': other }) }).diagnostics,
  );
}

const onKinds = '(it stands on kinds and reconciler classes)';
const rbac = "@rbac { groups: [''], resources: ['pods'], verbs: ['get'] }";

describe('markers in comments of nothing that takes them', () => {
  it.each([
    ['a function', 'export function run() {}'],
    ['a variable', 'export const run = 1;'],
    ['a comment without a declaration', "import 'node:fs';"],
    ['a comment without a declaration', 'run();'],
    ['a method', '', 'class Reconciler { ', ' reconcile() {} }'],
    ['an accessor', '', 'class Reconciler { ', ' get x() { return 1; } }'],
    ['a constructor', '', 'class Reconciler { ', ' constructor() {} }'],
    ['a parameter', '', 'function f(', ' a: string) {}'],
    ['a member of an object', '', 'const o = { ', ' a: 1 };'],
    ['a comment without a declaration', '', 'function f() { ', '\n }'],
  ])('are errors on %s (%s%s)', (place, after, before = '', behind = '') => {
    const text = `${before}/** ${rbac} */\n${after}${behind}`;
    const expected = [`CO1105 Rbac cannot stand on ${place} ${onKinds}`];
    const source = readSources({ 'thing.ts': kind, 'reconciler.ts': text });
    expect(lines(source.diagnostics)).toEqual(expected);
    expect(source.diagnostics[0]?.position?.line).toBe(1);
  });

  it('are errors at the end of a file and behind a statement', () => {
    expect(found('', `export const a = 1; /** ${rbac} */\n/** ${rbac} */`)).toEqual([
      `CO1105 Rbac cannot stand on a comment without a declaration ${onKinds}`,
      `CO1105 Rbac cannot stand on a comment without a declaration ${onKinds}`,
    ]);
  });

  it.each([
    "@resource { group: 'a.example.com', version: 'v1' }",
    '@statusSubresource',
    "@validatingWebhook { name: 'a' }",
  ])('%s is an error on a function of any file', (tag) => {
    expect(found('', `/** ${tag} */ export function f() {}`)).toEqual([
      expect.stringMatching(/^CO1105 .* a function /),
    ]);
  });

  it.each([
    ['a method', 'export class A { /** @minimum 1 */ size(): number { return 1; } }'],
    ['a method', 'export interface A { /** @minimum 1 */ size(): number }'],
    ['a parameter', 'export function f(/** @minimum 1 */ a: number) { return a; }'],
    ['a part of a type', 'export type A = (/** @minimum 1 */ number)[];'],
    ['a member of an enum', 'export enum A { /** @minimum 1 */ a }'],
  ])('that speak of a schema are errors on %s beside types of an API', (place, text) => {
    expect(found(text)).toEqual([`CO1105 Minimum cannot stand on ${place} (it stands on members and types)`]);
  });

  it('pass where they speak of something else', () => {
    const comments = [
      '/** @format */',
      "import 'node:fs';",
      '/** Runs.\n * @default 5\n * @example run()\n * @ignore */ export function run() {}',
      '/** @enum {string} */ export const all = {};',
      '// /** @rbac {} */',
      "export const text = '/** @rbac {} */' + `\n/** @rbac {} */`;",
      '/* /** @rbac {} */',
      '/** Says `@rbac` and\n * {@link rbac}, or @rbac in a line. */ export const b = 1;',
    ].join('\n');
    const elsewhere = '/** @minimum 1\n * @title Of all\n * @metadata x */ export function f() {}';
    expect(found(comments.replace("import 'node:fs';", ''), elsewhere)).toEqual([]);
  });

  it('pass by allowedTags', () => {
    const sources = { 'thing.ts': kind, 'other.ts': '/** @resource images */ export const images = 1;' };
    expect(lines(readSources(sources, { allowedTags: ['resource'] }).diagnostics)).toEqual([]);
  });
});
