import type { Json, JsonObject, Webhook, WebhookConfiguration } from '../model/index.ts';
import type { MarkerUse } from '../markers/index.ts';

/** The webhooks that markers on one class ask for, their defaults filled in, and the names of their objects. */
export function webhooksOf(uses: readonly MarkerUse[]): {
  readonly webhooks: readonly Webhook[];
  readonly configurations: readonly WebhookConfiguration[];
} {
  const webhooks: Webhook[] = [];
  const configurations: WebhookConfiguration[] = [];
  for (const { marker, values, position } of uses) {
    if (marker.effect.kind !== 'webhook') continue;
    // What the registry has checked against its parameters.
    const options = values[0] as JsonObject;
    if (marker.effect.of === 'configuration') configurations.push({ ...options, position });
    else webhooks.push(webhookOf(marker.effect.of, options, position));
  }
  return { webhooks, configurations };
}

function webhookOf(type: Webhook['type'], options: JsonObject, position: Webhook['position']): Webhook {
  const { groups, admissionReviewVersions, matchConditions, ...rest } = options;
  return {
    ...(rest as unknown as Webhook),
    type,
    groups: list(groups).map((group) => (group === 'core' ? '' : group)),
    failurePolicy: options['failurePolicy'] === 'Ignore' ? 'Ignore' : 'Fail',
    sideEffects: options['sideEffects'] === 'NoneOnDryRun' ? 'NoneOnDryRun' : 'None',
    admissionReviewVersions: admissionReviewVersions === undefined ? ['v1'] : list(admissionReviewVersions),
    matchConditions: Array.isArray(matchConditions) ? matchConditions : [],
    position,
  };
}

function list(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
