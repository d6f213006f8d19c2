import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/index.ts';
import { compileSchema } from '../schema/index.ts';
import { formatOperatorFile, readOperatorMembers } from './operator-file.ts';
import { operatorSchema } from './operator-schema.ts';
import { packageManagers } from './package-manager.ts';

const schemaFile = fileURLToPath(new URL('../../schemas/operator.schema.json', import.meta.url));
const widget = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets' };

describe('the JSON schema of operator.json', () => {
  it('is what editors read (written by vitest run src/project --update)', async () => {
    await expect(`${JSON.stringify(operatorSchema, undefined, 2)}\n`).toMatchFileSnapshot(schemaFile);
  });

  it('says something of every member', () => {
    const resources = operatorSchema.properties?.['resources']?.items;
    for (const schema of [operatorSchema, resources]) {
      for (const [name, member] of Object.entries(schema?.properties ?? {})) {
        expect(member.description, name).toMatch(/\.$/);
        expect(member.examples, name).toHaveLength(1);
      }
    }
  });

  it.each<[string, unknown, string | undefined]>([
    ['nothing', {}, undefined],
    ['what it does not know', { mine: { deep: [1] } }, undefined],
    ['a kind', { resources: [widget] }, undefined],
    ['a core kind', { resources: [{ ...widget, group: '', types: 'core', controller: true }] }, undefined],
    ['every package manager', { packageManager: packageManagers[3] }, undefined],
    ['roles of kinds', { kindRoles: 'aggregated' }, undefined],
    ['a number as a version', { kubernetesVersion: 1.34 }, 'kubernetesVersion is no text'],
    ['an old version', { kubernetesVersion: '1.33' }, 'Kubernetes 1.33 is not supported'],
    ['a word as a version', { kubernetesVersion: 'new' }, 'is no version of Kubernetes'],
    ['an unknown package manager', { packageManager: 'deno' }, 'packageManager is none of "npm", "pnpm"'],
    ['a text for a switch', { namespaced: 'yes' }, 'namespaced is no true or false'],
    ['null', { projectName: null }, 'projectName is no text'],
    ['an empty name', { projectName: '' }, 'projectName is empty'],
    ['a name that is none', { projectName: '../a' }, 'projectName is "../a", which does not match'],
    ['tags that are no list', { allowedTags: {} }, 'allowedTags is no list'],
    ['a tag that is no text', { allowedTags: ['a', 1] }, 'allowedTags[1] is no text'],
    ['roles of kinds that are none', { kindRoles: 'all' }, 'kindRoles is none of true, false, "aggregated"'],
    ['resources that are no list', { resources: {} }, 'resources is no list'],
    ['a resource that is null', { resources: [null] }, 'resources[0] is no object'],
    ['a resource without a kind', { resources: [{ ...widget, kind: undefined }] }, 'resources[0].kind is missing'],
    [
      'a second resource that is wrong',
      { resources: [widget, { ...widget, scope: 'x' }] },
      'resources[1].scope is none',
    ],
    ['a kind that is none', { resources: [{ ...widget, kind: 'a-b' }] }, 'resources[0].kind is "a-b", which'],
    ['a group that is none', { resources: [{ ...widget, group: 'A.b' }] }, 'resources[0].group is "A.b", which'],
    ['a client with backslashes', { resources: [{ ...widget, client: 'a\\b.ts' }] }, 'resources[0].client is'],
  ])('and our reader agree on %s', (_what, document, problem) => {
    const text = JSON.stringify(document);
    // Another implementation: the one that validates custom objects.
    const schema = compileSchema(JSON.parse(readFileSync(schemaFile, 'utf8')) as JsonObject);
    const errors = schema.validate(JSON.parse(text) as JsonObject);
    expect(errors.length === 0, JSON.stringify(errors)).toBe(problem === undefined);
    if (problem === undefined) expect(readOperatorMembers(text)).toEqual(JSON.parse(text));
    else expect(() => readOperatorMembers(text)).toThrow(problem);
  });

  it('allows what we write', () => {
    const text = formatOperatorFile({
      projectName: 'a',
      resources: [{ ...widget, scope: 'Cluster', controller: false }],
    });
    expect(readOperatorMembers(text)).toEqual(JSON.parse(text));
  });
});
