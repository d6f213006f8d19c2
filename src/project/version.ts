import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readOperatorMembers } from './operator-file.ts';
import { type PackageManager, packageManagerCommands } from './package-manager.ts';
import { nearest, ProjectError } from './settings.ts';

/** The version of create-operator. Sources and bundle both stand two levels below the package's root. */
export function ownVersion(): string {
  return versionOf(new URL('../../package.json', import.meta.url));
}

/**
 * Makes sure that the operator-runtime that a project has installed was released with this create-operator, up to the patch
 * version. A project without it is fine.
 *
 * @throws ProjectError with the command that brings them together.
 */
export function checkRuntimeVersion(folder: string, own: string = ownVersion()): void {
  const installed = installedVersion('operator-runtime', folder);
  if (installed === undefined || minor(installed) === minor(own)) return;
  const { add, addDev } = packageManagerCommands[managerOf(folder)];
  throw new ProjectError(
    `create-operator ${own} and operator-runtime ${installed} do not belong together`,
    `${add} operator-runtime@${own} && ${addDev} create-operator@${own}`,
  );
}

/**
 * Makes sure that outputs are compared by the create-operator that the project has installed: another version may write other bytes.
 *
 * @throws ProjectError that names both.
 */
export function checkOwnVersion(folder: string, own: string = ownVersion()): void {
  const installed = installedVersion('create-operator', folder);
  if (installed === undefined || installed === own) return;
  throw new ProjectError(
    `the project has create-operator ${installed}, and this is ${own}: their outputs may differ`,
    'check with the installed one: npx --no-install create-operator generate --check',
  );
}

/** Whose commands the project speaks. */
function managerOf(folder: string): PackageManager {
  const root = nearest(folder, 'operator.json');
  if (root === undefined) return 'npm';
  return readOperatorMembers(readFileSync(join(root, 'operator.json'), 'utf8')).packageManager ?? 'npm';
}

function installedVersion(name: string, folder: string): string | undefined {
  let file: string;
  try {
    file = createRequire(join(folder, 'package.json')).resolve(`${name}/package.json`);
  } catch {
    // Not installed, or a copy that does not show its package.json: nothing to compare with.
    return undefined;
  }
  return versionOf(file);
}

function versionOf(file: string | URL): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function minor(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
