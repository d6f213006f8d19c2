import { sendObject, type Exchange } from '../http/exchange.ts';
import { negotiate } from '../http/negotiation.ts';
import type { JsonObject } from '../json.ts';
import type { Operations } from '../objects/operations.ts';
import type { Resource } from '../resources/resource.ts';
import { ApiError } from '../status.ts';
import { includeObject, partialMetadata, singleMetadata, table } from './forms.ts';

/** Sends one object in the form that the client wants. */
export function sendResource(
  operations: Operations,
  exchange: Exchange,
  resource: Resource,
  code: number,
  value: JsonObject,
): void {
  const form = negotiate(exchange.request.headers.accept, !resource.custom);
  switch (form.as) {
    case 'Table':
      sendObject(
        exchange,
        code,
        table(resource, singleMetadata(value), [value], includeObject(exchange.query), operations.sources.now()),
      );
      return;
    case 'PartialObjectMetadata':
      sendObject(exchange, code, partialMetadata(value));
      return;
    case 'PartialObjectMetadataList':
      throw new ApiError(
        406,
        'NotAcceptable',
        `you requested PartialObjectMetadataList, but the requested object is not a list (*${resource.custom ? 'unstructured.Unstructured' : `${resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '')}.${resource.kind}`})`,
      );
    default:
      sendObject(exchange, code, value);
  }
}
