import { isObject, list, member, numeric, object, plain, text, texts, type Json, type JsonObject } from '../json.ts';
import { age } from './age.ts';

type Printer = (value: JsonObject, now: number) => readonly Json[];

const created = (value: JsonObject, now: number): string => age(text(value, 'metadata', 'creationTimestamp'), now);

/** The first three of a list, and how many more there are. */
function firstThree(values: readonly string[]): string {
  if (values.length === 0) return '<unset>';
  const more = values.length > 3 ? ` + ${values.length - 3} more...` : '';
  return `${values.slice(0, 3).join(',')}${more}`;
}

function ports(value: JsonObject): string {
  return firstThree(
    list(value, 'ports').map((port) => {
      const number = numeric(member(port, 'port'));
      return number === undefined ? text(port, 'name') || '*' : String(number);
    }),
  );
}

function policy(rules: string): Printer {
  return (value, now) => {
    const kind = member(value['spec'], 'paramKind');
    return [
      list(value, 'spec', rules).length,
      isObject(kind) ? `${text(kind, 'apiVersion')}/${text(kind, 'kind')}` : '<unset>',
      created(value, now),
    ];
  };
}

const policyBinding: Printer = (value, now) => [
  text(value, 'spec', 'policyName'),
  paramName(member(value['spec'], 'paramRef')),
  created(value, now),
];

function paramName(reference: Json | undefined): string {
  const name = text(reference, 'name');
  if (name !== '') return `${text(reference, 'namespace') || '*'}/${name}`;
  const selector = member(reference, 'selector');
  return isObject(selector) ? goText(selector) : '<unset>';
}

/** A selector as the text of its Go type. */
function goText(selector: JsonObject): string {
  const labels = object(selector, 'matchLabels');
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}: ${plain(labels[name])},`);
  const expressions = list(selector, 'matchExpressions').map(
    (found) =>
      `LabelSelectorRequirement{Key:${text(found, 'key')},Operator:${text(found, 'operator')},Values:[${texts(found, 'values').join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${pairs.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

/** `statefulset.apps/db`. */
function controllerName(value: JsonObject): string {
  const owner = list(value, 'metadata', 'ownerReferences').find((found) => object(found)['controller'] === true);
  if (owner === undefined) return '<none>';
  const [, group = ''] = text(owner, 'apiVersion').split('/').reverse();
  return `${text(owner, 'kind').toLowerCase()}${group === '' ? '' : `.${group}`}/${text(owner, 'name')}`;
}

/** The cells, after the name, of kinds that configure admission or that workloads leave behind. */
export const furtherPrinters: Readonly<Record<string, Printer>> = {
  'endpointslices.discovery.k8s.io': (value, now) => [
    text(value, 'addressType'),
    ports(value),
    firstThree(list(value, 'endpoints').flatMap((endpoint) => texts(endpoint, 'addresses'))),
    created(value, now),
  ],
  'validatingadmissionpolicies.admissionregistration.k8s.io': policy('validations'),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': policy('mutations'),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBinding,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policyBinding,
  'controllerrevisions.apps': (value, now) => [controllerName(value), value['revision'] ?? 0, created(value, now)],
};
