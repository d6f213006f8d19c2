import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';
import { notSupported, printFieldError } from '../field-error.ts';
import { readDocument } from '../handlers/documents.ts';
import { sendObject, type Exchange } from '../http/exchange.ts';
import { writeOptions } from '../handlers/write-options.ts';
import { child, fromPlain, isObject, list, numeric, object, text, texts, type MutableObject } from '../json.ts';
import { admissionRequest, admit, validate } from '../objects/admission.ts';
import { copyOf, timestamp, type Operations } from '../objects/operations.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError, badRequest, conflict, plainError } from '../status.ts';

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };

/**
 * Puts a pod on a node, as schedulers do.
 *
 * @param endpoint what the request was sent to where that is `bindings` and not the pod's own endpoint
 */
export async function bindPod(
  operations: Operations,
  exchange: Exchange,
  pods: Resource,
  endpoint?: Resource,
): Promise<void> {
  const { document } = await readDocument(exchange, 'Binding', true);
  const name = endpoint === undefined ? exchange.info.name : text(document, 'metadata', 'name');
  const options = writeOptions(exchange, 'CreateOptions');
  const binding = copyOf(isObject(document) ? document : undefined);
  const given = text(binding, 'metadata', 'name');
  if (name === '') throw badRequest('Name parameter required.');
  if (given !== '' && given !== name) throw badRequest('name in URL does not match name in Binding object');
  child(binding, 'metadata')['name'] = name;
  const now = timestamp(operations.sources.now());
  const bind = (pod: MutableObject): void => {
    const node = text(binding, 'target', 'name');
    const kind = text(binding, 'target', 'kind');
    if (kind !== '' && kind !== 'Node')
      throw plainError(printFieldError(notSupported('target.kind', kind, ['Node', '<empty>'])));
    if (node === '') throw plainError('target.name: Required value');
    child(pod, 'spec')['nodeName'] = node;
    const annotations = object(binding, 'metadata', 'annotations');
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
  };
  await operations.update(
    pods,
    { namespace: exchange.info.namespace, name },
    // Only the server itself may set the node of a pod that is there.
    'binding',
    (old) => {
      const present = text(old, 'spec', 'nodeName');
      if (present !== '')
        throw conflict(
          { group: '', resource: 'pods/binding' },
          name,
          `pod ${name} is already assigned to node ${JSON.stringify(present)}`,
        );
      const pod = copyOf(old);
      bind(pod);
      return pod;
    },
    {
      ...options,
      retry: true,
      view: {
        of: () => ({
          operation: 'CREATE',
          object: binding,
          kind: bindingKind,
          ...(endpoint === undefined ? { subresource: 'binding' } : { subresource: '', resource: endpoint }),
        }),
        into: bind,
      },
    },
  );
  sendObject(
    exchange,
    201,
    fromPlain({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  );
}

const tokenRequestKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };

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
  const options = writeOptions(exchange, 'CreateOptions');
  const request = admissionRequest(
    {
      operation: 'CREATE',
      resource,
      subresource: 'token',
      kind: tokenRequestKind,
      namespace: info.namespace,
      name: info.name,
      object: copyOf(isObject(document) ? document : undefined),
    },
    options,
  );
  await admit(operations.plugins, request);
  await validate(operations.plugins, request);
  const wanted = object(request.object, 'spec');
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
