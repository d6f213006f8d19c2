import type { PolicyCompiler, PolicyExpression } from '../../schema/cel/index.ts';
import { engine } from '../engine.ts';
import {
  equal,
  fromPlain,
  isArray,
  isObject,
  list,
  member,
  numeric,
  object,
  plain,
  text,
  texts,
  type Json,
  type JsonObject,
} from '../json.ts';
import { JsonSyntaxError, parseJsonText } from '../json-text.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../objects/admission.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, badRequest, forbidden, internalError } from '../status.ts';
import { applyJsonPatch, parseJsonPatch, PatchError, PatchSyntaxError } from '../patch/json-patch.ts';
import { DecodeError } from '../typed/decode.ts';
import type { Store } from '../storage/store.ts';
import { callWebhook, WebhookError, type ServiceResolver } from './webhook-client.ts';
import {
  type Authorize,
  compileConditions,
  conditionsHold,
  describeRequest,
  expressionInput,
  objectsSeen,
} from './expressions.ts';
import { isAdmissionConfiguration, matchRules, matchSelectors } from './matching.ts';
import { convert, replace } from './objects.ts';

const mutatingConfigurations = 'mutatingwebhookconfigurations.admissionregistration.k8s.io';
const validatingConfigurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

export interface WebhookParts {
  readonly store: Store;
  readonly uuid: () => string;
  /** All served versions of a resource. */
  readonly versionsOf: (resource: Resource) => readonly Resource[];
  readonly resolveService: ServiceResolver;
  /** What `authorizer` in match conditions asks. */
  readonly authorize: Authorize;
}

interface CompiledConditions {
  readonly compiler: PolicyCompiler;
  readonly conditions: readonly PolicyExpression[];
}

interface Call {
  readonly webhook: Json;
  readonly name: string;
  /** Tells webhooks apart, even those of one name. */
  readonly key: string;
  /** The resource in the version in which the webhook sees it. */
  readonly seenAs: Resource;
}

/** Asks the webhooks that are configured: mutating ones in turn, validating ones all at once. */
export class WebhookAdmission implements AdmissionPlugin {
  readonly name = 'Webhooks';
  readonly #parts: WebhookParts;
  readonly #compiled = new WeakMap<object, CompiledConditions>();

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  async admit(request: AdmissionRequest): Promise<void> {
    const { reinvocation } = request;
    const invocations = reinvocation.of(this.name);
    if (reinvocation.isSecond && invocations.differs(request.object)) invocations.changed();
    for (const [key, webhook] of this.#webhooks(mutatingConfigurations, request)) {
      const call = await this.#call(key, webhook, request);
      if (call === undefined || (reinvocation.isSecond && !invocations.isWanted(key))) continue;
      const before = request.object === undefined ? undefined : fromPlain(request.object);
      await this.#guard(call, async () => this.#mutate(call, request, await this.#ask(call, request)));
      if (request.object !== undefined && !equal(before, request.object)) {
        invocations.changed();
        reinvocation.isNeeded = true;
      }
      if (text(webhook, 'reinvocationPolicy') === 'IfNeeded') invocations.called(key);
    }
    invocations.finish(request.object);
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const calls: Call[] = [];
    for (const [key, webhook] of this.#webhooks(validatingConfigurations, request)) {
      const call = await this.#call(key, webhook, request);
      if (call !== undefined) calls.push(call);
    }
    const outcomes = await Promise.allSettled(calls.map((call) => this.#guard(call, () => this.#ask(call, request))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** All webhooks with their keys, in the order of their configurations' names. */
  #webhooks(storage: string, request: AdmissionRequest): readonly (readonly [string, Json])[] {
    if (isAdmissionConfiguration(request)) return [];
    const configurations = this.#parts.store.collection(storage).list();
    return configurations.flatMap((configuration) =>
      list(configuration, 'webhooks').map(
        (webhook, index) => [`${text(configuration, 'metadata', 'name')}/${index}`, webhook] as const,
      ),
    );
  }

  /** How a webhook is to be called, if the request is one for it. */
  async #call(key: string, webhook: Json, request: AdmissionRequest): Promise<Call | undefined> {
    const { store, versionsOf, authorize } = this.#parts;
    if (!matchSelectors(webhook, request, store)) return undefined;
    const versions = versionsOf(request.resource);
    const seenAs = matchRules(list(webhook, 'rules'), text(webhook, 'matchPolicy'), request, versions);
    if (seenAs === undefined) return undefined;
    if (list(webhook, 'matchConditions').length > 0) {
      const input = await expressionInput(request, seenAs, authorize);
      const { compiler, conditions } = this.#conditions(webhook);
      const holds = conditionsHold(conditions, compiler.variables, input, text(webhook, 'failurePolicy') === 'Ignore');
      if (typeof holds === 'object') throw forbidden(request.resource, request.name, holds.problem);
      if (!holds) return undefined;
    }
    return { webhook, name: text(webhook, 'name'), key, seenAs };
  }

  #conditions(webhook: Json): CompiledConditions {
    const owner = webhook as object;
    let compiled = this.#compiled.get(owner);
    if (compiled === undefined) {
      const compiler = new (engine().cel.PolicyCompiler)({ composed: false });
      compiled = { compiler, conditions: compileConditions(compiler, webhook, false) };
      this.#compiled.set(owner, compiled);
    }
    return compiled;
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
    const version =
      texts(webhook, 'admissionReviewVersions').find((found) => found === 'v1' || found === 'v1beta1') ?? 'v1';
    const uid = this.#parts.uuid();
    const review = fromPlain({
      kind: 'AdmissionReview',
      apiVersion: `admission.k8s.io/${version}`,
      request: await this.#review(call, request, uid),
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
    for (const [key, value] of Object.entries(object(response, 'auditAnnotations')))
      request.annotate(`${name}/${key}`, plain(value));
    if (member(response, 'allowed') === true) return response;
    throw denied(name, object(response, 'status'));
  }

  async #review({ seenAs }: Call, request: AdmissionRequest, uid: string): Promise<Record<string, unknown>> {
    const { object: now, oldObject } = await objectsSeen(request, seenAs);
    return { uid, ...describeRequest(request, seenAs), object: now ?? null, oldObject: oldObject ?? null };
  }

  /** Applies the patch of a response to the request's object. */
  async #mutate({ name, seenAs }: Call, request: AdmissionRequest, response: JsonObject): Promise<void> {
    const patch = text(response, 'patch');
    const { resource, object: target } = request;
    if (patch === '') return;
    if (text(response, 'patchType') !== 'JSONPatch')
      throw new WebhookError(`unsupported patch type ${JSON.stringify(text(response, 'patchType'))}`);
    try {
      const operations = parseJsonPatch(parseJsonText(Buffer.from(patch, 'base64').toString('utf8')));
      if (operations.length === 0) return;
      if (target === undefined)
        throw internalError(
          `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
        );
      const asItIs = request.kind !== undefined;
      const seen = asItIs ? target : await convert(target, resource, seenAs);
      const patched = applyJsonPatch(seen, operations);
      if (!isObject(patched)) throw new PatchError('the patched document is no object');
      replace(target, asItIs ? patched : await convert(seenAs.strategy.decode(patched).object, seenAs, resource));
    } catch (error) {
      if (error instanceof PatchSyntaxError || error instanceof JsonSyntaxError)
        throw new WebhookError(`received undecodable patch in webhook response: ${error.message}`);
      if (error instanceof PatchError || error instanceof DecodeError) {
        throw internalError(error.message);
      }
      throw error;
    }
  }
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
