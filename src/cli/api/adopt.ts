import type { ProjectResource } from '../../project/operator-file.ts';
import { type ChangePlan, isOwn, resourcePaths } from '../../scaffold/index.ts';
import type { ProjectFolder } from '../project-folder.ts';

/**
 * The plan for a new kind of which the types are there already, as `import --types` writes them: they are kept. Only without a reconciler,
 * since that of the scaffold works with members of the scaffold's types.
 */
export function keepTypes(plan: ChangePlan, resource: ProjectResource, { file, read }: ProjectFolder): ChangePlan {
  if (resource.controller || !isOwn(resource)) return plan;
  const { types } = resourcePaths(resource, file.multigroup === true);
  const declared = new RegExp(`^export (?:class|interface|type) ${resource.kind}\\b`, 'm');
  if (!plan.conflicts.some(({ path }) => path === types) || !declared.test(read(types) ?? '')) return plan;
  return {
    ...plan,
    conflicts: plan.conflicts.filter(({ path }) => path !== types),
    kept: [...plan.kept, { path: types, reason: `it defines ${resource.kind} already` }],
  };
}
