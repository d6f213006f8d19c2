import { forbiddenField, notSupported, type FieldError } from '../field-error.ts';
import { booleanParameter, integerParameter } from '../http/exchange.ts';
import { text, type JsonObject } from '../json.ts';
import type { Resource } from '../resources/resource.ts';
import { parseFieldSelector, type FieldSelector } from '../selectors/field-selector.ts';
import { labelsOf, parseLabelSelector, SelectorError, type LabelSelector } from '../selectors/label-selector.ts';
import { badRequest, invalid } from '../status.ts';

/** The query of a list, a watch or a deletion of a collection. */
export interface ListOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly matches: (object: JsonObject) => boolean;
  /** A selector is given: the number of remaining items is not told then. */
  readonly selective: boolean;
}

/**
 * Reads a query.
 *
 * @throws ApiError 400 for what cannot be read, 422 for what contradicts itself
 */
export function listOptions(resource: Resource, query: URLSearchParams, watch: boolean): ListOptions {
  const limit = integerParameter(query, 'limit') ?? 0;
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds');
  const labels = selector(() => parseLabelSelector(query.get('labelSelector') ?? ''));
  const fields = selector(() => parseFieldSelector(query.get('fieldSelector') ?? ''));
  for (const { field } of fields.requirements) {
    if (resource.strategy.fields.has(field)) continue;
    const known = resource.custom || resource.strategy.fields.size > 2;
    throw badRequest(
      known
        ? `field label not supported: ${field}`
        : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  const options = {
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit,
    continue: query.get('continue') ?? '',
    timeoutSeconds,
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: booleanParameter(query, 'sendInitialEvents'),
    matches: matcher(resource, labels, fields),
    selective: !labels.empty || !fields.empty,
  };
  const errors = watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', errors);
  return options;
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function matcher(resource: Resource, labels: LabelSelector, fields: FieldSelector): (object: JsonObject) => boolean {
  if (labels.empty && fields.empty) return () => true;
  return (object) => {
    if (!labels.matches(labelsOf(object))) return false;
    return fields.matches((field) => {
      if (field === 'metadata.name') return text(object, 'metadata', 'name');
      if (field === 'metadata.namespace') return text(object, 'metadata', 'namespace');
      return resource.strategy.field(object, field) ?? '';
    });
  };
}

type Checked = Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch' | 'continue' | 'sendInitialEvents'>;

function listErrors(options: Checked): FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, resourceVersion } = options;
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    }
    if (options.continue !== '')
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors(options: Checked): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match === '') {
    errors.push(
      forbiddenField('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      errors.push(
        forbiddenField(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    }
    if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
    if (options.continue !== '')
      errors.push(
        forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
  }
  return errors;
}
