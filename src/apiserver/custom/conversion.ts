import { callWebhook, WebhookError, type ServiceResolver } from '../admission/webhook-client.ts';
import {
  at,
  equal,
  fromPlain,
  isObject,
  jsonObject,
  list,
  object,
  shallow,
  text,
  type Json,
  type JsonObject,
} from '../json.ts';
import { plainError } from '../status.ts';

/** What conversions take from the server. */
export interface ConversionParts {
  readonly uuid: () => string;
  readonly resolveService: ServiceResolver;
}

/** Brings objects of a kind into another of its versions; those that are in it come back as they are. */
export type Convert = (objects: readonly JsonObject[], apiVersion: string) => Promise<readonly JsonObject[]>;

const timeoutSeconds = 30;

/** Conversions by the webhook of a definition. Each object is converted into each version once, as long as it does not change. */
export function webhookConversion(conversion: Json | undefined, kind: string, parts: ConversionParts): Convert {
  const known = new WeakMap<JsonObject, Map<string, JsonObject>>();
  return async (objects, apiVersion) => {
    const open = [
      ...new Set(
        objects.filter(
          (found) => text(found, 'apiVersion') !== apiVersion && known.get(found)?.has(apiVersion) !== true,
        ),
      ),
    ];
    if (open.length > 0) {
      const converted = await ask(conversion, kind, open, apiVersion, parts);
      open.forEach((found, index) => {
        const versions = known.get(found) ?? new Map<string, JsonObject>();
        known.set(found, versions);
        versions.set(apiVersion, converted[index] as JsonObject);
      });
    }
    return objects.map((found) =>
      text(found, 'apiVersion') === apiVersion ? found : (known.get(found)?.get(apiVersion) as JsonObject),
    );
  };
}

async function ask(
  conversion: Json | undefined,
  kind: string,
  objects: readonly JsonObject[],
  apiVersion: string,
  parts: ConversionParts,
): Promise<readonly JsonObject[]> {
  const from = text(objects[0], 'apiVersion');
  const failed = (problem: string): Error =>
    plainError(`conversion webhook for ${from}, Kind=${kind} failed: ${problem}`);
  const invalid = (problem: string): Error =>
    plainError(`conversion webhook for ${from}, Kind=${kind} returned invalid ${problem}`);
  const uid = parts.uuid();
  const review = fromPlain({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { uid, desiredAPIVersion: apiVersion, objects },
  }) as JsonObject;
  let answer: Json;
  try {
    answer = await callWebhook(at(conversion, 'webhook', 'clientConfig'), review, timeoutSeconds, parts.resolveService);
  } catch (error) {
    if (error instanceof WebhookError) throw failed(error.message.replace(/^failed to call webhook: /, ''));
    throw error;
  }
  const response = at(answer, 'response');
  if (text(response, 'uid') !== uid)
    throw failed(`response.uid=${JSON.stringify(text(response, 'uid'))}, expected ${JSON.stringify(uid)}`);
  if (text(response, 'result', 'status') !== 'Success') {
    throw failed(
      text(response, 'result', 'message') ||
        `unexpected result status ${JSON.stringify(text(response, 'result', 'status'))}`,
    );
  }
  const converted = list(response, 'convertedObjects');
  if (converted.length !== objects.length)
    throw failed(`webhook returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((original, index) => {
    const found = converted[index];
    if (!isObject(found)) throw invalid(`converted object at index ${index}: it is no object`);
    if (text(found, 'apiVersion') !== apiVersion)
      throw invalid(
        `converted object at index ${index}: invalid apiVersion, expected ${apiVersion}, got ${text(found, 'apiVersion')}`,
      );
    if (text(found, 'kind') !== text(original, 'kind'))
      throw invalid(
        `converted object at index ${index}: invalid kind, expected ${text(original, 'kind')}, got ${text(found, 'kind')}`,
      );
    for (const name of ['name', 'namespace', 'uid']) {
      if (!equal(at(found, 'metadata', name), at(original, 'metadata', name)))
        throw invalid(`metadata of object ${index}: metadata.${name} must not change`);
    }
    // Nothing but labels and annotations of the metadata may change; other changes are passed over.
    const metadata = shallow(original['metadata']);
    for (const name of ['labels', 'annotations']) {
      const value = object(found, 'metadata')[name];
      if (value === undefined) delete metadata[name];
      else metadata[name] = value;
    }
    return jsonObject([...Object.entries(found), ['metadata', metadata]]);
  });
}
