export { projectLayout } from './layout.ts';
export { isGlob, toPattern, toProjectPath } from './paths.ts';
export {
  defaultKubernetesVersion,
  type KubernetesVersion,
  parseKubernetesVersion,
  ProjectError,
  readSettings,
  type Settings,
} from './settings.ts';
export { findSources, type Sources } from './sources.ts';
export { findTsconfig } from './tsconfig.ts';
export { checkOwnVersion, checkRuntimeVersion, ownVersion } from './version.ts';
