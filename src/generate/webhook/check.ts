import type { Diagnostic, LabelSelector, MatchCondition, Model, Webhook } from '../../model/index.ts';
import { checkDns1035Label, checkDns1123Subdomain, checkLabelValue, checkQualifiedName } from '../../schema/names.ts';
import { hasRecognizedVersion } from '../../schema/webhook-validation.ts';
import type { KubernetesVersion } from '../checks/index.ts';
import { type Report, reporter } from './report.ts';
import { resourceCatalogue, unknownResource } from '../resource-catalogue.ts';
import { conditionProblem } from './condition.ts';
import { checkEndpoint } from './endpoint.ts';

/** What is wrong with the webhook markers of a model: all that the API server would refuse, and what would not mean anything. */
export function checkWebhooks(
  model: Pick<Model, 'kinds' | 'webhooks' | 'webhookConfigurations'>,
  { minor }: KubernetesVersion,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const catalogue = resourceCatalogue(model.kinds);
  for (const webhook of model.webhooks) {
    const report = reporter(diagnostics, webhook.position, `${webhook.type}Webhook`);
    checkName(webhook, report);
    checkEndpoint(webhook, report);
    checkRules(webhook, report);
    // Such a webhook is never asked; but the group may have resources that others define.
    for (const resource of webhook.resources) {
      const unknown = unknownResource(resource, webhook.groups, catalogue);
      if (unknown !== undefined) report('CO2516', unknown.message, unknown.remedy, 'warning');
    }
    checkReviews(webhook, report);
    for (const member of ['objectSelector', 'namespaceSelector'] as const) {
      const selector = webhook[member];
      if (selector !== undefined) checkSelector(selector, member, report);
    }
    checkConditions(webhook.matchConditions, minor, report);
  }
  checkNamesAreUnique(model.webhooks, diagnostics);
  checkConfigurations(model, diagnostics);
  return diagnostics;
}

function checkName({ name, type }: Webhook, report: Report): void {
  const [problem] = checkDns1123Subdomain(name);
  const label = type === 'Mutating' ? 'm' : 'v';
  const remedy = `write a domain name of at least three labels, such as '${label}widget-v1.kb.io'`;
  if (problem !== undefined) report('CO2501', `the name '${name}' is no domain name`, remedy);
  else if (name.split('.').length < 3) report('CO2501', `the name '${name}' has fewer than three labels`, remedy);
}

function checkRules({ groups, versions, resources, verbs }: Webhook, report: Report): void {
  for (const [member, list] of Object.entries({ groups, versions, resources, verbs })) {
    if (list.length === 0) report('CO2505', `${member} is empty, so that nothing is asked about`);
    const twice = list.find((value, index) => list.indexOf(value) !== index);
    if (twice !== undefined) report('CO2505', `'${twice}' stands twice in ${member}`);
    if (member !== 'resources' && list.length > 1 && list.includes('*')) {
      report('CO2505', `${member} has '*' and others beside it`, `leave out the others: '*' stands for all`);
    }
  }
  if (versions.includes('')) report('CO2505', 'a version is empty');
  for (const group of groups) {
    if (group === '' || group === '*' || checkDns1123Subdomain(group).length === 0) continue;
    report('CO2505', `'${group}' is no API group`, group.includes('/') ? 'a group has no version' : undefined);
  }
  checkResources(resources, report);
}

/** A resource, a subresource (`widgets/scale`), or `*` in place of either: what covers another may not stand beside it. */
function checkResources(resources: readonly string[], report: Report): void {
  for (const resource of resources) {
    if (!/^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)(\/.+)?$/.test(resource)) {
      report('CO2506', `'${resource}' is no resource`, "write the plural in small letters: 'widgets', 'widgets/scale'");
      continue;
    }
    const covering = resources.find((other) => other !== resource && covers(other, resource));
    if (covering === undefined) continue;
    report('CO2506', `'${resource}' is covered by '${covering}' beside it`, `leave out '${resource}'`);
  }
}

function covers(other: string, resource: string): boolean {
  if (other === '*/*') return true;
  const [main = '', subresource] = resource.split('/');
  if (subresource === undefined) return other === '*';
  return other === `${main}/*` || other === `*/${subresource}`;
}

function checkReviews({ admissionReviewVersions: versions, timeoutSeconds }: Webhook, report: Report): void {
  const remedy = "write admissionReviewVersions: ['v1'], or leave it out";
  const twice = versions.find((version, index) => versions.indexOf(version) !== index);
  if (!hasRecognizedVersion(versions)) {
    report('CO2507', 'admissionReviewVersions has neither v1 nor v1beta1, and Kubernetes knows no other', remedy);
  } else if (twice !== undefined) report('CO2507', `'${twice}' stands twice in admissionReviewVersions`, remedy);
  for (const version of versions) {
    if (checkDns1035Label(version).length > 0) report('CO2507', `'${version}' is no version`, remedy);
  }
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)) {
    report('CO2508', `timeoutSeconds is ${timeoutSeconds}, and must be from 1 to 30`);
  }
}

function checkSelector(selector: LabelSelector, member: string, report: Report): void {
  const check = (key: string, values: readonly string[]): void => {
    const [problem] = checkQualifiedName(key);
    if (problem !== undefined) report('CO2509', `${member}: '${key}' is no key of a label`);
    for (const value of values) {
      if (checkLabelValue(value).length > 0) report('CO2509', `${member}: '${value}' is no value of a label`);
    }
  };
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) check(key, [value]);
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    check(key, values);
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues === values.length > 0) continue;
    const problem = takesValues ? `the operator ${operator} needs values` : `the operator ${operator} takes no values`;
    report('CO2509', `${member}: ${problem}`);
  }
}

/** What the server takes at most. */
const mostConditions = 64;

function checkConditions(conditions: readonly MatchCondition[], minor: number, report: Report): void {
  if (conditions.length > mostConditions) {
    report('CO2510', `there are ${conditions.length} matchConditions, and at most ${mostConditions} are allowed`);
  }
  const names = new Set<string>();
  for (const { name, expression } of conditions) {
    if (checkQualifiedName(name).length > 0) report('CO2510', `matchConditions: '${name}' is no qualified name`);
    if (names.has(name)) report('CO2510', `matchConditions: '${name}' stands twice`);
    names.add(name);
    const problem = conditionProblem(expression, minor);
    if (problem !== undefined)
      report('CO2510', `matchConditions: the expression of '${name}' is no condition: ${problem}`);
  }
}

/** The server refuses two webhooks of one name in one object. */
function checkNamesAreUnique(webhooks: readonly Webhook[], diagnostics: Diagnostic[]): void {
  const seen = new Map<string, Webhook>();
  for (const webhook of webhooks) {
    const key = `${webhook.type} ${webhook.name}`;
    const other = seen.get(key);
    if (other !== undefined) {
      const { file, line } = other.position;
      const report = reporter(diagnostics, webhook.position, `${webhook.type}Webhook`);
      report('CO2511', `the name '${webhook.name}' is taken by the webhook at ${file}:${line}`);
    }
    seen.set(key, webhook);
  }
}

function checkConfigurations(
  { webhooks, webhookConfigurations }: Pick<Model, 'webhooks' | 'webhookConfigurations'>,
  diagnostics: Diagnostic[],
): void {
  const types = [
    ['mutating', 'Mutating'],
    ['validating', 'Validating'],
  ] as const;
  for (const [member, type] of types) {
    const naming = webhookConfigurations.filter((configuration) => configuration[member] !== undefined);
    for (const [index, configuration] of naming.entries()) {
      const name = configuration[member] ?? '';
      const report = reporter(diagnostics, configuration.position, 'WebhookConfiguration');
      if (checkDns1123Subdomain(name).length > 0) report('CO2512', `'${name}' is no name of an object`);
      const first = naming[0]?.position;
      if (index > 0 && first !== undefined) {
        report('CO2513', `the ${member} configuration has its name from ${first.file}:${first.line}`);
      } else if (!webhooks.some((webhook) => webhook.type === type)) {
        report('CO2514', `there is no ${member} webhook, so that '${name}' is not written`, undefined, 'warning');
      }
    }
  }
  for (const configuration of webhookConfigurations) {
    if (configuration.mutating !== undefined || configuration.validating !== undefined) continue;
    const report = reporter(diagnostics, configuration.position, 'WebhookConfiguration');
    report('CO2512', 'it names neither the mutating nor the validating configuration');
  }
}
