import type { Diagnostic, Kind, Model, PolicyRule } from '../../model/index.ts';
import { nearest } from '../../markers/suggestion.ts';
import { type Catalogue, resourceCatalogue, unknownResource } from '../resource-catalogue.ts';
import { meantGroup } from './group-names.ts';
import { isSubresource } from './rules.ts';

/** Verbs on resources that Kubernetes asks for, the special ones of RBAC, impersonation and certificates included. */
const resourceVerbs = new Set(
  (
    'get list watch create update patch delete deletecollection * ' +
    'approve attest bind escalate impersonate proxy sign use request-serviceaccounts-token-audience'
  ).split(' '),
);

/** Verbs on urls: the methods of HTTP. */
const urlVerbs = new Set(['*', 'get', 'head', 'post', 'put', 'patch', 'delete', 'options']);

/** What is wrong with the `Rbac` markers of a model. */
export function checkRules(model: Model): Diagnostic[] {
  const catalogue = resourceCatalogue(model.kinds);
  return model.policyRules.flatMap((rule) => checkRule(rule, catalogue, model.kinds));
}

function checkRule(rule: PolicyRule, catalogue: Catalogue, kinds: readonly Kind[]): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const report = (code: string, message: string, remedy?: string, severity: 'error' | 'warning' = 'error'): void => {
    diagnostics.push({ code, severity, message, position: rule.position, ...(remedy === undefined ? {} : { remedy }) });
  };

  if (rule.verbs.length === 0)
    report('CO2100', 'Rbac has no verbs', "write verbs: ['get', 'list', 'watch'] or what else is needed");
  if (rule.role !== undefined && !isPathSegment(rule.role)) {
    report(
      'CO2108',
      `${JSON.stringify(rule.role)} is no name of a role`,
      'a name is not empty, not "." or "..", and has no "/" and no "%"',
    );
  }
  if (rule.namespace !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(rule.namespace)) {
    report(
      'CO2109',
      `${JSON.stringify(rule.namespace)} is no name of a namespace`,
      'write a DNS label: small letters, digits and "-"',
    );
  }
  if (rule.urls.length > 0) checkUrls(rule, report);
  else checkResources(rule, catalogue, kinds, report);
  return diagnostics;
}

type Report = (code: string, message: string, remedy?: string, severity?: 'error' | 'warning') => void;

function checkUrls(rule: PolicyRule, report: Report): void {
  if (rule.groups.length > 0 || rule.resources.length > 0 || rule.resourceNames.length > 0) {
    report('CO2101', 'Rbac names urls and resources; the API server refuses such a rule', 'write two Rbac markers');
  }
  if (rule.namespace !== undefined) {
    report('CO2102', 'Rbac grants urls in a namespace; only a ClusterRole can', 'leave out namespace');
  }
  for (const url of rule.urls) {
    const wildcard = url.indexOf('*');
    if (url !== '*' && !url.startsWith('/')) {
      report(
        'CO2103',
        `the url ${JSON.stringify(url)} never matches: a path begins with "/"`,
        `write ${JSON.stringify(`/${url}`)}`,
      );
    } else if (wildcard !== -1 && wildcard !== url.length - 1) {
      report('CO2103', `the url ${JSON.stringify(url)} never matches: "*" counts only at its end`);
    }
  }
  checkVerbs(rule.verbs, urlVerbs, report);
}

function checkResources(rule: PolicyRule, catalogue: Catalogue, kinds: readonly Kind[], report: Report): void {
  if (rule.resources.length === 0) {
    report('CO2104', 'Rbac has neither resources nor urls', 'write groups and resources, or urls');
  } else if (rule.groups.length === 0) {
    report('CO2104', 'Rbac has resources and no groups', "write groups: [''] for the core group");
  }
  for (const group of rule.groups) {
    if (group.includes('/')) {
      report(
        'CO2105',
        `${JSON.stringify(group)} is no group: a group has no version`,
        `write ${JSON.stringify(group.split('/')[0])}`,
      );
      continue;
    }
    if (group !== '*' && group.includes('*')) {
      report(
        'CO2112',
        `the group ${JSON.stringify(group)} never matches: "*" stands for all groups, and only by itself`,
        'name the groups',
      );
      continue;
    }
    const meant = meantGroup(named(group), catalogue.keys());
    if (meant === undefined) continue;
    report(
      'CO2111',
      `there is no group ${JSON.stringify(group)} in Kubernetes or in this project`,
      `did you mean ${JSON.stringify(meant.group)}?`,
      meant.certain ? 'error' : 'warning',
    );
  }
  for (const resource of rule.resources) {
    checkResource(resource, rule, catalogue, report);
    checkSubresource(resource, rule, kinds, report);
  }
  checkVerbs(rule.verbs, resourceVerbs, report);
  if (rule.resourceNames.length > 0) checkNames(rule, report);
}

function checkResource(resource: string, rule: PolicyRule, catalogue: Catalogue, report: Report): void {
  if (!isMatchable(resource)) {
    const [main = '', ...rest] = resource.split('/');
    const subresources = rule.groups.flatMap((group) => [...(catalogue.get(named(group))?.get(main) ?? [])]);
    const remedy =
      rest.join('/') !== '*'
        ? `name the resources`
        : main === '*'
          ? `write "*" for all resources and their subresources`
          : subresources.length === 0
            ? 'name the subresources'
            : `name the subresources: ${[...new Set(subresources)].map((each) => JSON.stringify(`${main}/${each}`)).join(', ')}`;
    report(
      'CO2112',
      `the resource ${JSON.stringify(resource)} never matches: RBAC knows "*" for all, and "*/status" for one subresource of all`,
      remedy,
      // controller-gen passes it, so that roles made for it have it: there it does no harm, and no good.
      main !== '*' && rest.join('/') === '*' ? 'warning' : 'error',
    );
    return;
  }
  const problem = unknownResource(resource, rule.groups, catalogue);
  if (problem === undefined) return;
  report('CO2106', problem.message, problem.remedy);
}

/** As Kubernetes' authorizer compares: `*`, a name, or `*` before the name of a subresource. */
function isMatchable(resource: string): boolean {
  return resource === '*' || !resource.replace(/^\*\/(?=.)/, '').includes('*');
}

/** A subresource that a kind of the project could have and has not: nobody can ask for it. */
function checkSubresource(resource: string, rule: PolicyRule, kinds: readonly Kind[], report: Report): void {
  const [main = '', subresource] = resource.split('/');
  if (subresource !== 'status' && subresource !== 'scale') return;
  const own = kinds.filter(({ group, plural }) => plural === main && rule.groups.map(named).includes(group));
  const has = (kind: Kind): boolean =>
    kind.versions.some((version) =>
      subresource === 'status' ? version.statusSubresource : version.scaleSubresource !== undefined,
    );
  // A group that is not the project's may have a resource of that name, with the subresource.
  if (own.length < new Set(rule.groups).size || own.some(has)) return;
  report(
    'CO2114',
    `${own.map(({ kind }) => kind).join(' and ')} has no subresource ${subresource}: ${JSON.stringify(resource)} grants nothing`,
    `add the marker ${subresource === 'status' ? 'StatusSubresource' : 'ScaleSubresource'} to the kind, or leave this out`,
    'warning',
  );
}

function named(group: string): string {
  return group === 'core' ? '' : group;
}

function checkVerbs(verbs: readonly string[], known: ReadonlySet<string>, report: Report): void {
  for (const verb of verbs) {
    // Constrained impersonation has verbs with a mode: `impersonate:user-info`, `impersonate-on:user-info:list`.
    if (known.has(verb) || /^impersonate(-on)?:/.test(verb)) continue;
    const wanted = nearest(verb, known);
    report(
      'CO2107',
      `Kubernetes does not know the verb ${JSON.stringify(verb)}`,
      wanted === undefined ? undefined : `did you mean ${JSON.stringify(wanted)}?`,
      'warning',
    );
  }
}

function checkNames(rule: PolicyRule, report: Report): void {
  if (rule.resourceNames.includes('*')) {
    report(
      'CO2113',
      'resourceNames has no wildcard: "*" is the name of one object',
      'leave out resourceNames to grant all objects',
      'warning',
    );
  }
  const main = rule.resources.some((resource) => !isSubresource(resource));
  const withoutName = rule.verbs.filter((verb) => verb === 'create' || verb === 'deletecollection');
  if (main && withoutName.length > 0) {
    report(
      'CO2110',
      `${withoutName.join(' and ')} cannot be granted by resourceNames: the API server does not know the name when it decides`,
      'grant it by a marker without resourceNames',
      'warning',
    );
  }
}

export function isPathSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}
