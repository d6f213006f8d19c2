import { kindIdentifier } from '../generate/client/identifiers.ts';
import { pluralOfKind } from '../markers/plural.ts';
import type { ProjectResource } from '../project/operator-file.ts';
import { isReservedWord } from './names.ts';
import { className, isOwn, isScaffolded, resourcePaths } from './resource-paths.ts';
import { specifier } from './specifier.ts';
import type { ProjectChoices } from './template-data.ts';
import { namesInTemplates, type PlannedFile, renderFile } from './templates.ts';

/** The files of one version of a kind that are the user's from then on. */
export function resourceFiles(resource: ProjectResource, choices: ProjectChoices): PlannedFile[] {
  const paths = resourcePaths(resource, choices.multigroup);
  const data = resourceData(resource, choices);
  const from = (template: string, path: string): PlannedFile => ({
    path,
    content: renderFile(`api/${template}`, data, data.identifier),
  });
  // Nothing is known of their members.
  if (!isScaffolded(resource)) {
    return resource.controller
      ? [
          from('foreign-controller.ts.hbs', paths.controller),
          from('foreign-controller.test.ts.hbs', paths.controllerTest),
        ]
      : [];
  }
  return [
    from('types.ts.hbs', paths.types),
    from('sample.yaml.hbs', `config/samples/${paths.sample}`),
    ...(resource.controller
      ? [
          from('controller.ts.hbs', paths.controller),
          from('controller.test.ts.hbs', paths.controllerTest),
          from('external.ts.hbs', paths.external),
          from('environment.test.ts.hbs', paths.environmentTest),
        ]
      : []),
  ];
}

function resourceData(resource: ProjectResource, choices: ProjectChoices) {
  const { projectName, namespaced, multigroup } = choices;
  const { group, version, kind, plural } = resource;
  const paths = resourcePaths(resource, multigroup);
  const file = kind.toLowerCase();
  const isCluster = resource.scope === 'Cluster';
  const namespace = namespaced ? `${projectName}-system` : 'default';
  const isFirst = resource.storage !== false;
  return {
    projectName,
    group,
    definedByOthers: !isOwn(resource),
    apiVersion: group === '' ? version : `${group}/${version}`,
    version,
    kind,
    identifier: kindIdentifier(kind),
    className: className(kind),
    plural,
    kindLower: file,
    variable: variableName(kind),
    controllerName: multigroup && group !== '' ? `${file}.${group}` : file,
    storeVariable: `EXTERNAL_${kind.toUpperCase()}_DIR`,
    resourceOptions: `${plural === pluralOfKind(kind) ? '' : `, plural: '${plural}'`}${isFirst ? ', storage: true' : ''}${isCluster ? ", scope: 'Cluster'" : ''}`,
    rbacNamespace: namespaced && !isCluster ? `, namespace: '${namespace}'` : '',
    namespaced,
    namespace,
    namespaceMember: isCluster ? '' : ` namespace: '${namespace}',`,
    requestNamespace: isCluster ? '' : namespace,
    keyMembers: isCluster ? '' : `namespace: '${namespace}', `,
    sampleName: isFirst ? `${file}-sample` : `${file}-${version}-sample`,
    sampleNamespace: namespaced && !isCluster ? `  namespace: ${namespace}\n` : '',
    clientFromController:
      resource.types === 'core' ? coreModule(group, version) : specifier(paths.controller, paths.client),
    clientFromTest: specifier(paths.environmentTest, paths.client),
    controllerFromTest: specifier(paths.environmentTest, paths.controller),
    externalFromTest: specifier(paths.environmentTest, paths.external),
  };
}

/** The module of a group of Kubernetes: it stands under the first label of the group. */
function coreModule(group: string, version: string): string {
  return `operator-runtime/apis/${group === '' ? 'core' : group.replace(/\..*/, '')}/${version}`;
}

/** `DbUser` -> `dbUser`: what one object is called in the reconciler; with `Object` behind it where that is taken there. */
function variableName(kind: string): string {
  const name = kind.charAt(0).toLowerCase() + kind.slice(1);
  return isReservedWord(name) || namesInTemplates('api').has(name) ? `${name}Object` : name;
}
