import { typeScriptHead } from '../model/index.ts';
import { className, resourcePaths } from './resource-paths.ts';
import { specifier } from './specifier.ts';
import type { ProjectChoices } from './template-data.ts';

export const registryPath = 'src/generated/registry.ts';

/** `src/generated/registry.ts`: registers the controllers of all kinds, so that no file of the user's has to be patched for it. */
export function registry({ resources, multigroup }: Pick<ProjectChoices, 'resources' | 'multigroup'>): string {
  const taken = new Set<string>();
  const controllers = resources
    .filter(({ controller }) => controller)
    .map((resource) => {
      const exported = `register${className(resource.kind)}Controller`;
      let local = exported;
      for (let number = 2; taken.has(local); number++) local = `${exported}${number}`;
      taken.add(local);
      const name = local === exported ? exported : `${exported} as ${local}`;
      return { local, name, from: specifier(registryPath, resourcePaths(resource, multigroup).controller) };
    });
  const imports = controllers.map(({ name, from }) => `import { ${name} } from '${from}';\n`);
  const calls = controllers.map(({ local }) => `  ${local}(manager);\n`);
  const parameter = controllers.length === 0 ? '_manager' : 'manager';
  return (
    `${typeScriptHead}\n` +
    "import type { Manager } from 'operator-runtime';\n" +
    imports.join('') +
    '\n/** Registers the controller of each kind in operator.json. */\n' +
    `export function registerControllers(${parameter}: Manager): void {${calls.length === 0 ? '' : `\n${calls.join('')}`}}\n`
  );
}
