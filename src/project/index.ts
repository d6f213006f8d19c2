export { projectLayout } from './layout.ts';
export {
  formatOperatorFile,
  isSameVersion,
  type OperatorFile,
  type OperatorMembers,
  parseOperatorFile,
  type ProjectResource,
  readOperatorMembers,
} from './operator-file.ts';
export { operatorSchema, operatorSchemaReference } from './operator-schema.ts';
export {
  type PackageManager,
  type PackageManagerCommands,
  packageManagerCommands,
  packageManagers,
} from './package-manager.ts';
export { checkNotPlugAndPlay, findPackageManager, type FoundPackageManager } from './find-package-manager.ts';
export { isGlob, toPattern, toProjectPath } from './paths.ts';
export {
  defaultKubernetesVersion,
  kindRolesOf,
  nearest,
  type KubernetesVersion,
  parseKubernetesVersion,
  ProjectError,
  readSettings,
  type Settings,
} from './settings.ts';
export { findSources, folderOfPattern, type Sources } from './sources.ts';
export { findTsconfig } from './tsconfig.ts';
export { checkOwnVersion, checkRuntimeVersion, ownVersion } from './version.ts';
