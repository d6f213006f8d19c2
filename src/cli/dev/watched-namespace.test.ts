import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchedNamespace } from './watched-namespace.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watched-namespace-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ['{ "projectName": "op", "namespaced": true }', {}, { WATCH_NAMESPACE: 'op-system' }],
  ['{ "projectName": "op", "namespaced": true }', { WATCH_NAMESPACE: '' }, { WATCH_NAMESPACE: 'op-system' }],
  ['{ "projectName": "op", "namespaced": true }', { WATCH_NAMESPACE: 'a,b' }, {}],
  ['{ "projectName": "op", "namespaced": false }', {}, {}],
  ['{ "projectName": "op" }', {}, {}],
])('adds for %s and %j %j', (text, environment, added) => {
  writeFileSync(join(root, 'operator.json'), text);
  expect(watchedNamespace(root, environment)).toEqual(added);
});
