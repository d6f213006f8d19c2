import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packages, readPackageJson, root } from './repository.ts';

const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

describe.each(Object.entries(packages))('dependencies of %s', (_, folder) => {
  const manifest = readPackageJson(folder);
  const dependencies = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

  it.each(dependencies)('%s %s is pinned, and CONTRIBUTING.md says what it is for', (name, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(contributing).toMatch(new RegExp(`(^|[\\s|])${name.replaceAll('/', String.raw`\/`)}(?=[\\s,:;])`, 'm'));
  });
});
