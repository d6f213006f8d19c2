export { BaseError, basePath } from './base.ts';
export type { ChangePlan, FileChange, FileNote } from './change-plan.ts';
export { checkGroup, checkKind, checkPlural, checkProjectName, checkVersion, type NameProblem } from './names.ts';
export { planNewProject, planProjectChange, planUpgrade, type ProjectInput } from './project-plan.ts';
export { isOwn, isScaffolded, kindRoleFiles, resourcePaths } from './resource-paths.ts';
export {
  isLastVersion,
  ResourceError,
  type WantedResource,
  withChoices,
  withoutResource,
  withResource,
} from './resources.ts';
export type { PackageVersions } from './scaffold.ts';
