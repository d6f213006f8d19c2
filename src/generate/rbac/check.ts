import type { Diagnostic, Model, PolicyRule } from '../../model/index.ts';
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
  return model.policyRules.flatMap((rule) => checkRule(rule, catalogue));
}

function checkRule(rule: PolicyRule, catalogue: Catalogue): Diagnostic[] {
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
  else checkResources(rule, catalogue, report);
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

function checkResources(rule: PolicyRule, catalogue: Catalogue, report: Report): void {
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
    const meant = meantGroup(group === 'core' ? '' : group, catalogue.keys());
    if (meant === undefined) continue;
    report(
      'CO2111',
      `there is no group ${JSON.stringify(group)} in Kubernetes or in this project`,
      `did you mean ${JSON.stringify(meant.group)}?`,
      meant.certain ? 'error' : 'warning',
    );
  }
  for (const resource of rule.resources) checkResource(resource, rule, catalogue, report);
  checkVerbs(rule.verbs, resourceVerbs, report);
  if (rule.resourceNames.length > 0) checkNames(rule, report);
}

function checkResource(resource: string, rule: PolicyRule, catalogue: Catalogue, report: Report): void {
  const problem = unknownResource(resource, rule.groups, catalogue);
  if (problem === undefined) return;
  report('CO2106', problem.message, problem.remedy);
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
