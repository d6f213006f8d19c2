import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';
import { readDocument } from '../handlers/documents.ts';
import { sendObject, type Exchange } from '../http/exchange.ts';
import { child, fromPlain, list, numeric, object, text, texts } from '../json.ts';
import { copyOf, timestamp, type Operations } from '../objects/operations.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, badRequest, conflict } from '../status.ts';

/** Puts a pod on a node, as schedulers do. */
export async function bindPod(operations: Operations, exchange: Exchange, pods: Resource): Promise<void> {
  const { name } = exchange.info;
  const { document } = await readDocument(exchange, 'Binding', true);
  const node = text(document, 'target', 'name');
  if (node === '') throw badRequest('Binding is invalid: target.name: Required value');
  const now = timestamp(operations.sources.now());
  await operations.update(
    pods,
    { namespace: exchange.info.namespace, name },
    // Only the server itself may set the node of a pod that is there.
    'binding',
    (old) => {
      const present = text(old, 'spec', 'nodeName');
      if (present !== '')
        throw conflict(pods, name, `pod ${name} is already assigned to node ${JSON.stringify(present)}`);
      const pod = copyOf(old);
      child(pod, 'spec')['nodeName'] = node;
      const annotations = object(document, 'metadata', 'annotations');
      if (Object.keys(annotations).length > 0) Object.assign(child(child(pod, 'metadata'), 'annotations'), annotations);
      const condition = fromPlain({
        type: 'PodScheduled',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: now,
      });
      child(pod, 'status')['conditions'] = [
        ...list(pod, 'status', 'conditions').filter((found) => text(found, 'type') !== 'PodScheduled'),
        condition,
      ];
      return pod;
    },
    { user: exchange.user, dryRun: false, warn: (warning) => exchange.warnings.push(warning), retry: true },
  );
  sendObject(
    exchange,
    201,
    fromPlain({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  );
}

/** Issues a token of a service account (TokenRequest). */
export async function issueToken(
  operations: Operations,
  tokens: ServiceAccountTokens,
  exchange: Exchange,
  resource: Resource,
): Promise<void> {
  const { info } = exchange;
  const account = await operations.get(resource, { namespace: info.namespace, name: info.name });
  const { document } = await readDocument(exchange, 'TokenRequest', true);
  const wanted = object(document, 'spec');
  const seconds = numeric(wanted['expirationSeconds']) ?? 3600;
  if (seconds < 600) {
    throw new ApiError(
      422,
      'Invalid',
      `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${seconds}: may not specify a duration less than 10 minutes`,
      {
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: `Invalid value: ${seconds}: may not specify a duration less than 10 minutes`,
            field: 'spec.expirationSeconds',
          },
        ],
      },
    );
  }
  const audiences = texts(wanted, 'audiences');
  const uid = text(account, 'metadata', 'uid');
  const issued = tokens.issue(
    { namespace: info.namespace, name: info.name, uid },
    seconds,
    audiences,
    operations.sources.uuid(),
  );
  sendObject(
    exchange,
    201,
    fromPlain({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {
        name: info.name,
        namespace: info.namespace,
        creationTimestamp: timestamp(operations.sources.now()),
      },
      spec: {
        audiences: audiences.length === 0 ? [tokens.audience] : audiences,
        expirationSeconds: seconds,
        boundObjectRef: null,
      },
      status: { token: issued.token, expirationTimestamp: timestamp(issued.expires) },
    }),
  );
}
