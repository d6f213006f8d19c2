import {
  equal,
  fromPlain,
  isArray,
  isObject,
  list,
  member,
  numeric,
  object,
  text,
  texts,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { JsonSyntaxError, parseJsonText } from '../json-text.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../objects/admission.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, badRequest, internalError } from '../status.ts';
import { applyJsonPatch, parseJsonPatch, PatchError, PatchSyntaxError } from '../patch/json-patch.ts';
import { DecodeError } from '../typed/decode.ts';
import type { Store } from '../storage/store.ts';
import { callWebhook, WebhookError, type ServiceResolver } from './webhook-client.ts';
import { isExempt, matchRules, matchSelectors } from './webhook-rules.ts';

const mutatingConfigurations = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
const validatingConfigurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

export interface WebhookParts {
  readonly store: Store;
  readonly uuid: () => string;
  /** All served versions of a resource. */
  readonly versionsOf: (resource: Resource) => readonly Resource[];
  readonly resolveService: ServiceResolver;
}

interface Call {
  readonly webhook: Json;
  readonly name: string;
  /** The resource in the version in which the webhook sees it. */
  readonly seenAs: Resource;
}

/** Asks the webhooks that are configured: mutating ones in turn, validating ones all at once. */
export class WebhookAdmission implements AdmissionPlugin {
  readonly name = 'Webhooks';
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  async admit(request: AdmissionRequest): Promise<void> {
    const calls = this.#calls(mutatingConfigurations, request);
    const called = new Set<Call>();
    let changed = false;
    for (const call of calls) {
      const before = request.object === undefined ? undefined : fromPlain(request.object);
      await this.#guard(call, async () => this.#mutate(call, request, await this.#ask(call, request)));
      called.add(call);
      if (request.object !== undefined && !equal(before, request.object)) changed = true;
    }
    if (!changed) return;
    // Once more for those that want to see what others made of the object.
    for (const call of calls) {
      if (text(call.webhook, 'reinvocationPolicy') !== 'IfNeeded') continue;
      await this.#guard(call, async () => this.#mutate(call, request, await this.#ask(call, request)));
    }
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const calls = this.#calls(validatingConfigurations, request);
    const outcomes = await Promise.allSettled(calls.map((call) => this.#guard(call, () => this.#ask(call, request))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** The webhooks that a request concerns, in the order of their configurations' names. */
  #calls(storage: string, request: AdmissionRequest): readonly Call[] {
    const configurations = this.#parts.store.collection(storage).list();
    if (configurations.length === 0 || isExempt(request) || request.subresource === 'scale') return [];
    const versions = this.#parts.versionsOf(request.resource);
    return configurations.flatMap((configuration) =>
      list(configuration, 'webhooks').flatMap((webhook) => {
        const matched = matchRules(
          webhook,
          request,
          versions.map(({ version }) => version),
        );
        if (matched === undefined || !matchSelectors(webhook, request, this.#parts.store)) return [];
        const seenAs = versions.find(({ version }) => version === matched.version) ?? request.resource;
        return [{ webhook, name: text(webhook, 'name'), seenAs }];
      }),
    );
  }

  /** What becomes of a webhook that cannot be asked is up to its failure policy. */
  async #guard(call: Call, ask: () => Promise<unknown>): Promise<void> {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      if (text(call.webhook, 'failurePolicy') === 'Ignore') return;
      throw internalError(`failed calling webhook ${JSON.stringify(call.name)}: ${error.message}`);
    }
  }

  /** Sends the review and gives the response when the webhook allows the request. */
  async #ask(call: Call, request: AdmissionRequest): Promise<JsonObject> {
    const { webhook, name } = call;
    if (request.dryRun && !['None', 'NoneOnDryRun'].includes(text(webhook, 'sideEffects'))) {
      throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
    }
    if (list(webhook, 'matchConditions').length > 0)
      throw new WebhookError('the embedded API server does not evaluate matchConditions');
    const version =
      texts(webhook, 'admissionReviewVersions').find((found) => found === 'v1' || found === 'v1beta1') ?? 'v1';
    const uid = this.#parts.uuid();
    const review = fromPlain({
      kind: 'AdmissionReview',
      apiVersion: `admission.k8s.io/${version}`,
      request: this.#review(call, request, uid),
    }) as JsonObject;
    const seconds = numeric(member(webhook, 'timeoutSeconds')) ?? 10;
    const answer = await callWebhook(member(webhook, 'clientConfig'), review, seconds, this.#parts.resolveService);
    const response = member(answer, 'response');
    if (!isObject(response)) throw new WebhookError('received invalid webhook response: webhook response was absent');
    if (text(response, 'uid') !== uid) {
      throw new WebhookError(
        `received invalid webhook response: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response, 'uid'))}`,
      );
    }
    for (const warning of texts(response, 'warnings')) request.warn(warning);
    if (member(response, 'allowed') === true) return response;
    throw denied(name, object(response, 'status'));
  }

  #review({ seenAs }: Call, request: AdmissionRequest, uid: string): Record<string, unknown> {
    const { resource, subresource, user, operation, dryRun } = request;
    const convert = (value: JsonObject | undefined): JsonObject | null => {
      if (value === undefined) return null;
      return seenAs === resource ? value : seenAs.strategy.fromStorage(resource.strategy.toStorage(value));
    };
    const kind = (of: Resource): Record<string, string> => ({ group: of.group, version: of.version, kind: of.kind });
    const name = (of: Resource): Record<string, string> => ({
      group: of.group,
      version: of.version,
      resource: of.resource,
    });
    const options =
      operation === 'CREATE' ? 'CreateOptions' : operation === 'UPDATE' ? 'UpdateOptions' : 'DeleteOptions';
    return {
      uid,
      kind: kind(seenAs),
      resource: name(seenAs),
      subResource: subresource === '' ? undefined : subresource,
      requestKind: kind(resource),
      requestResource: name(resource),
      requestSubResource: subresource === '' ? undefined : subresource,
      name: request.name === '' ? undefined : request.name,
      namespace: request.namespace === '' ? undefined : request.namespace,
      operation,
      userInfo: {
        username: user.name,
        uid: user.uid === '' ? undefined : user.uid,
        groups: user.groups,
        extra: Object.keys(user.extra).length === 0 ? undefined : user.extra,
      },
      object: convert(request.object),
      oldObject: convert(request.oldObject),
      dryRun,
      options: { kind: options, apiVersion: 'meta.k8s.io/v1', ...(dryRun && { dryRun: ['All'] }) },
    };
  }

  /** Applies the patch of a response to the request's object. */
  #mutate({ name, seenAs }: Call, request: AdmissionRequest, response: JsonObject): void {
    const patch = text(response, 'patch');
    const { resource, object: target } = request;
    if (patch === '' || target === undefined) return;
    if (text(response, 'patchType') !== 'JSONPatch')
      throw new WebhookError(`unsupported patch type ${JSON.stringify(text(response, 'patchType'))}`);
    try {
      const operations = parseJsonPatch(parseJsonText(Buffer.from(patch, 'base64').toString('utf8')));
      const seen = seenAs === resource ? target : seenAs.strategy.fromStorage(resource.strategy.toStorage(target));
      const patched = applyJsonPatch(seen, operations);
      if (!isObject(patched)) throw new PatchError('the patched document is no object');
      const { object: decoded } = seenAs.strategy.decode(patched);
      const result = seenAs === resource ? decoded : resource.strategy.fromStorage(seenAs.strategy.toStorage(decoded));
      replace(target, result);
    } catch (error) {
      if (
        error instanceof PatchError ||
        error instanceof PatchSyntaxError ||
        error instanceof JsonSyntaxError ||
        error instanceof DecodeError
      ) {
        throw internalError(`failed to apply the patch of webhook ${JSON.stringify(name)}: ${error.message}`);
      }
      throw error;
    }
  }
}

/** Gives an object the members of another one; its metadata stays the same object, which others hold. */
function replace(target: MutableObject, source: JsonObject): void {
  const metadata = target['metadata'];
  for (const name of Object.keys(target)) delete target[name];
  for (const [name, value] of Object.entries(source)) target[name] = value;
  if (!isObject(metadata)) return;
  const kept: MutableObject = metadata;
  const given = object(source, 'metadata');
  for (const name of Object.keys(kept)) delete kept[name];
  for (const [name, value] of Object.entries(given)) kept[name] = value;
  target['metadata'] = kept;
}

function denied(webhook: string, status: JsonObject): ApiError {
  const code = numeric(status['code']) ?? 0;
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const message = text(status, 'message');
  const reason = text(status, 'reason');
  const explained = message === '' ? reason : message;
  const details = status['details'];
  const causes = isObject(details) && isArray(details['causes']) ? details['causes'] : undefined;
  return new ApiError(
    code < 400 ? 400 : code,
    reason,
    explained === '' ? `${by} without explanation` : `${by}: ${explained}`,
    isObject(details)
      ? {
          name: text(details, 'name'),
          group: text(details, 'group'),
          kind: text(details, 'kind'),
          ...(causes !== undefined && {
            causes: causes.map((cause) => ({
              reason: text(cause, 'reason'),
              message: text(cause, 'message'),
              field: text(cause, 'field'),
            })),
          }),
        }
      : undefined,
  );
}
