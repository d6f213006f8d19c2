import {
  compareText,
  type JsonObject,
  jsonObject,
  type Model,
  type Webhook,
  type WebhookType,
} from '../../model/index.ts';
import { membersToJson } from '../crd/schema-json.ts';
import { emitFile } from '../yaml/emit.ts';
import { webhookService } from './service.ts';

/** The file of all webhook configurations. */
export const webhookFile = 'manifests.yaml';

/** The kinds of the objects in it. */
export const webhookKinds: readonly string[] = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const types: readonly WebhookType[] = ['Mutating', 'Validating'];

/** The text of `manifests.yaml`: the mutating configuration, then the validating one; `undefined` without webhooks. */
export function emitWebhooks(model: Pick<Model, 'webhooks' | 'webhookConfigurations'>): string | undefined {
  const objects = types.flatMap((type) => {
    const webhooks = model.webhooks.filter((webhook) => webhook.type === type);
    return webhooks.length === 0 ? [] : [configurationToJson(type, configurationName(model, type), webhooks)];
  });
  return objects.length === 0 ? undefined : emitFile(objects);
}

/** The name of the object that holds the webhooks of a type: as a `WebhookConfiguration` marker says, or controller-gen's. */
function configurationName({ webhookConfigurations }: Pick<Model, 'webhookConfigurations'>, type: WebhookType): string {
  const member = type === 'Mutating' ? 'mutating' : 'validating';
  const named = webhookConfigurations.flatMap((configuration) => configuration[member] ?? []);
  return named[0] ?? `${member}-webhook-configuration`;
}

function configurationToJson(type: WebhookType, name: string, webhooks: readonly Webhook[]): JsonObject {
  return jsonObject([
    ['apiVersion', 'admissionregistration.k8s.io/v1'],
    ['kind', `${type}WebhookConfiguration`],
    ['metadata', jsonObject([['name', name]])],
    ['webhooks', webhooks.toSorted((a, b) => compareText(a.name, b.name)).map(webhookToJson)],
  ]);
}

/** What is not said is not written; a CA bundle is what cert-manager or the operator itself fills in. */
function webhookToJson(webhook: Webhook): JsonObject {
  const { matchConditions, objectSelector, namespaceSelector } = webhook;
  return membersToJson({
    name: webhook.name,
    clientConfig: clientConfig(webhook),
    rules: [rule(webhook)],
    failurePolicy: webhook.failurePolicy,
    sideEffects: webhook.sideEffects,
    admissionReviewVersions: webhook.admissionReviewVersions,
    matchPolicy: webhook.matchPolicy,
    timeoutSeconds: webhook.timeoutSeconds,
    reinvocationPolicy: webhook.reinvocationPolicy,
    objectSelector,
    namespaceSelector,
    matchConditions: matchConditions.length === 0 ? undefined : matchConditions,
  });
}

function clientConfig({ url, path, serviceName, serviceNamespace, servicePort }: Webhook): JsonObject {
  if (url !== undefined) return jsonObject([['url', url]]);
  const service = membersToJson({
    name: serviceName ?? webhookService.name,
    namespace: serviceNamespace ?? webhookService.namespace,
    path,
    port: servicePort,
  });
  return jsonObject([['service', service]]);
}

function rule({ groups, versions, resources, verbs, scope }: Webhook): JsonObject {
  return membersToJson({
    apiGroups: groups,
    apiVersions: versions,
    resources,
    operations: verbs.map((verb) => verb.toUpperCase()),
    scope,
  });
}
