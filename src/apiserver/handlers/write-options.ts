import { forbiddenField, invalidValue, notSupported, required, tooLong, type FieldError } from '../field-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { WriteOptions } from '../objects/write-options.ts';
import { invalid } from '../status.ts';

/**
 * Checks the query of a write.
 *
 * @throws ApiError 422 on CreateOptions, UpdateOptions or PatchOptions
 */
export function writeOptions(
  exchange: Exchange,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  const { query } = exchange;
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  const force = query.get('force');
  if (kind === 'PatchOptions') {
    if (apply) {
      if (manager === '') errors.push(required('fieldManager', 'is required for apply patch'));
    } else if (force !== null) errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong('fieldManager', 128));
  // oxlint-disable-next-line no-control-regex -- these are what must not stand in a name
  if (/[\u0000-\u001f\u007f]/.test(manager))
    errors.push(invalidValue('fieldManager', manager, 'should only contain printable characters'));
  const runs = query.getAll('dryRun').filter((run) => run !== '');
  if (runs.some((run) => run !== 'All')) errors.push(notSupported('dryRun', runs, ['All']));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid('meta.k8s.io', kind, '', errors);
  return {
    user: exchange.user,
    dryRun: runs.length > 0,
    warn: (text) => void exchange.warnings.push(text),
    annotate: (name, value) => void exchange.annotations.set(name, value),
    given: {
      ...(manager !== '' && { fieldManager: manager }),
      ...(validation !== '' && { fieldValidation: validation }),
    },
  };
}

/** The name under which a request's changes are recorded. */
export function fieldManager(exchange: Exchange): string {
  const given = exchange.query.get('fieldManager') ?? '';
  if (given !== '') return given;
  const agent = exchange.request.headers['user-agent'] ?? '';
  const name = Buffer.from((agent.split('/')[0] ?? '').replaceAll(/[^\u0020-\u007e]/g, ''))
    .subarray(0, 128)
    .toString('utf8');
  return name === '' ? 'unknown' : name;
}
