import type { Diagnostic, Kind, Model, PolicyRule } from '../../model/index.ts';
import { nearest } from '../../markers/suggestion.ts';
import { builtInResources, otherResources } from './built-in-resources.ts';
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

/** A resource that none of the rule's groups has. Groups that we do not know may have any; `*` stands for all. */
function checkResource(resource: string, rule: PolicyRule, catalogue: Catalogue, report: Report): void {
  const groups = rule.groups.map((group) => (group === 'core' ? '' : group));
  if (groups.length === 0) return;
  const known = groups.map((group) => catalogue.get(group));
  if (known.some((resources) => resources === undefined || hasResource(resources, resource))) return;
  const [main = '', ...rest] = resource.split('/');
  const candidates = known.flatMap((resources) => [...(resources?.keys() ?? [])]);
  const subresource = rest.join('/');
  const owners = known.filter((resources) => resources?.has(main) === true);
  const where = groups.map((group) => (group === '' ? 'core' : group)).join(', ');
  const wanted =
    owners.length > 0
      ? prefixed(
          main,
          nearest(subresource, [...implied, ...owners.flatMap((resources) => [...(resources?.get(main) ?? [])])]),
        )
      : withSubresource(nearest(main, candidates), subresource);
  report(
    'CO2106',
    `there is no resource ${JSON.stringify(resource)} in the group${groups.length > 1 ? 's' : ''} ${where}`,
    wanted === undefined ? undefined : `did you mean ${JSON.stringify(wanted)}?`,
  );
}

function prefixed(main: string, subresource: string | undefined): string | undefined {
  return subresource === undefined ? undefined : `${main}/${subresource}`;
}

function withSubresource(main: string | undefined, subresource: string): string | undefined {
  return main === undefined || subresource === '' ? main : `${main}/${subresource}`;
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

/** The resources of each group that is known, with their subresources. */
type Catalogue = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** What each resource has without being told. */
const implied = ['status', 'scale', 'finalizers'];

function hasResource(resources: ReadonlyMap<string, ReadonlySet<string>>, resource: string): boolean {
  const [main = '', ...rest] = resource.split('/');
  if (main === '*') return true;
  const subresources = resources.get(main);
  if (subresources === undefined) return false;
  if (rest.length === 0) return true;
  const subresource = rest.join('/');
  return subresource === '*' || subresources.has('*') || implied.includes(subresource) || subresources.has(subresource);
}

function resourceCatalogue(kinds: readonly Kind[]): Catalogue {
  const catalogue = new Map<string, Map<string, Set<string>>>();
  const add = (group: string, resource: string, subresources: readonly string[]): void => {
    const resources = catalogue.get(group) ?? new Map<string, Set<string>>();
    resources.set(resource, new Set([...(resources.get(resource) ?? []), ...subresources]));
    catalogue.set(group, resources);
  };
  for (const source of [builtInResources, otherResources]) {
    for (const [group, resources] of Object.entries(source)) {
      for (const [resource, subresources] of Object.entries(resources)) add(group, resource, subresources);
    }
  }
  for (const kind of kinds) add(kind.group, kind.plural, []);
  return catalogue;
}

export function isPathSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}
