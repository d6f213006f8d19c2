import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generate } from '../generate.ts';
import { model } from '../testing/model.ts';
import { kindOf, type PlainDefinition } from '../testing/definition.ts';

const golden = fileURLToPath(new URL('../../../../shared/golden/', import.meta.url));
const outputs = {
  root: '/work',
  crdDir: '.',
  roleName: 'manager-role',
  kindRoles: false,
  kubernetesVersion: { major: 1, minor: 34 },
};

describe.skipIf(!existsSync(golden))('generate beside controller-gen (needs ../shared/golden)', () => {
  it.each(globSync('*/crds*/*.yaml', { cwd: golden }).sort())(
    'defines what %s describes, and finds no fault',
    (file) => {
      const theirs = parse(readFileSync(`${golden}/${file}`, 'utf8'), reviver, { version: '1.1' }) as PlainDefinition;
      const { files, diagnostics } = generate(model([kindOf(theirs)]), outputs);
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(files).toHaveLength(1);
      expect(file.endsWith(`/${files[0]?.path}`)).toBe(true);
      expect(parse(files[0]?.content ?? '', { version: '1.1' })).toEqual(theirs);
    },
  );
});

/** Leaves out what says nothing, and what we refuse. */
function reviver(key: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Columns without a status leave an empty object.
  if (key === 'subresources' && Object.keys(value).length === 0) return undefined;
  // The server never lets null through an enum.
  if ('enum' in value && 'nullable' in value)
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'nullable'));
  return value;
}
