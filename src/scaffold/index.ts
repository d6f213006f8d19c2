export { ApiConflictError, planApi, type ReadProjectFile } from './api.ts';
export { checkGroup, checkKind, checkProjectName, checkVersion, type NameProblem } from './names.ts';
export { type OperatorFile, parseOperatorFile, type ProjectResource } from '../project/operator-file.ts';
export { planProject, type ProjectOptions } from './project.ts';
export type { PlannedFile } from './templates.ts';
