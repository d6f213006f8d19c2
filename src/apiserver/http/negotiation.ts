import { ApiError, notAcceptable } from '../status.ts';

export interface MediaType {
  /** `application/json`, in lower case. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The clauses of an `Accept` header, the most wanted first. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  if (header === undefined || header.trim() === '') return [];
  const clauses = header.split(',').map((clause, index) => {
    const media = parseMediaType(clause);
    const quality = Number(media.parameters['q'] ?? '1');
    return { media, quality: Number.isNaN(quality) ? 0 : quality, index };
  });
  return clauses
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality || left.index - right.index)
    .map(({ media }) => media);
}

export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';');
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const parameter of rest) {
    const at = parameter.indexOf('=');
    if (at > 0)
      parameters[parameter.slice(0, at).trim().toLowerCase()] = parameter
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return { type: type.trim().toLowerCase(), parameters };
}

/** The form in which an answer is wanted. */
export interface ResponseForm {
  readonly media: 'json' | 'yaml';
  /** The form that a list or an object is to be turned into. */
  readonly as: '' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
}

export const objectMediaTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
] as const;

/**
 * Chooses the form of an answer. Answers are never protobuf: every client that asks for it lists JSON as well.
 *
 * @throws ApiError 406 when no clause can be served; `builtin` chooses the words of the router that serves built-in kinds
 */
export function negotiate(header: string | undefined, builtin = false): ResponseForm {
  const clauses = parseAccept(header);
  if (clauses.length === 0) return { media: 'json', as: '' };
  for (const { type, parameters } of clauses) {
    const media =
      type === 'application/json' || type === '*/*' || type === 'application/*'
        ? 'json'
        : type === 'application/yaml'
          ? 'yaml'
          : undefined;
    if (media === undefined) continue;
    const as = parameters['as'] ?? '';
    if (as === '') return { media, as: '' };
    if (parameters['g'] !== 'meta.k8s.io') continue;
    if (as === 'Table' && parameters['v'] === 'v1') return { media, as };
    if ((as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') && parameters['v'] === 'v1')
      return { media, as };
  }
  if (builtin) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${objectMediaTypes.join(', ')}`;
    throw new ApiError(406, 'NotAcceptable', message, {});
  }
  throw notAcceptable(objectMediaTypes);
}

/** The type and parameters of a request's body; JSON when there is no header. */
export function contentType(header: string | undefined): MediaType {
  return header === undefined || header.trim() === ''
    ? { type: 'application/json', parameters: {} }
    : parseMediaType(header);
}
