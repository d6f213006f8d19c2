import { forbiddenField, invalidValue, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, text, type Json } from '../../json.ts';
import { exactlyOne, nonNegative, oneOf, portErrors } from './fields.ts';

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];
const tooMany = 'may not specify more than 1 handler type';

/** What probes and hooks do: one handler of their kind. */
function handlerErrors(owner: Json, path: string, gracePeriod: number): FieldError[] {
  const errors = exactlyOne(owner, path, handlers, 'must specify a handler type', tooMany);
  const [first] = handlers.filter((name) => isObject(at(owner, name)));
  errors.push(...(first === undefined ? [] : actionErrors(owner, first, path, gracePeriod)));
  return errors;
}

/** Only the first of several handlers is looked at. */
function actionErrors(owner: Json, first: string, path: string, gracePeriod: number): FieldError[] {
  const errors: FieldError[] = [];
  const exec = at(owner, 'exec');
  if (first === 'exec' && isObject(exec) && list(exec, 'command').length === 0)
    errors.push(required(`${path}.exec.command`));
  const request = at(owner, 'httpGet');
  if (first === 'httpGet' && isObject(request)) {
    if (text(request, 'path') === '') errors.push(required(`${path}.httpGet.path`));
    errors.push(...portErrors(at(request, 'port'), `${path}.httpGet.port`));
    errors.push(...oneOf(request, `${path}.httpGet`, 'scheme', ['HTTP', 'HTTPS']));
    for (const header of list(request, 'httpHeaders')) {
      const name = text(header, 'name');
      if (!/^[-A-Za-z0-9]+$/.test(name)) {
        errors.push(
          invalidValue(
            `${path}.httpGet.httpHeaders`,
            name,
            "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
          ),
        );
      }
    }
  }
  for (const name of ['tcpSocket', 'grpc']) {
    const action = at(owner, name);
    if (first === name && isObject(action)) errors.push(...portErrors(at(action, 'port'), `${path}.${name}.port`));
  }
  const seconds = first === 'sleep' ? numeric(at(owner, 'sleep', 'seconds')) : undefined;
  if (seconds !== undefined && (seconds < 0 || seconds > gracePeriod)) {
    errors.push(
      invalidValue(
        `${path}.sleep`,
        seconds,
        `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
      ),
    );
  }
  return errors;
}

/** The probes and hooks of a container that runs until its pod ends. */
export function lifecycleErrors(container: Json, path: string, gracePeriod: number): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['postStart', 'preStop']) {
    const hook = at(container, 'lifecycle', name);
    if (isObject(hook)) errors.push(...handlerErrors(hook, `${path}.lifecycle.${name}`, gracePeriod));
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    errors.push(...probeErrors(at(container, name), `${path}.${name}`, name));
  return errors;
}

function probeErrors(probe: Json | undefined, path: string, kind: string): FieldError[] {
  if (!isObject(probe)) return [];
  const errors = handlerErrors(probe, path, 0);
  errors.push(
    ...nonNegative(
      probe,
      path,
      'initialDelaySeconds',
      'timeoutSeconds',
      'periodSeconds',
      'successThreshold',
      'failureThreshold',
    ),
  );
  const grace = numeric(at(probe, 'terminationGracePeriodSeconds'));
  const place = `${path}.terminationGracePeriodSeconds`;
  if (kind === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidValue(place, grace, 'must not be set for readinessProbes'));
    if (grace !== undefined && grace <= 0) errors.push(invalidValue(place, grace, 'must be greater than 0'));
    return errors;
  }
  if (grace !== undefined && grace <= 0) errors.push(invalidValue(place, grace, 'must be greater than 0'));
  const successes = numeric(at(probe, 'successThreshold')) ?? 1;
  if (successes !== 1) errors.push(invalidValue(`${path}.successThreshold`, successes, 'must be 1'));
  return errors;
}

/** Init containers end before others start, so nothing watches over them. */
export function initLifecycleErrors(container: Json, path: string): FieldError[] {
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => isObject(at(container, name)))
    .map((name) =>
      forbiddenField(`${path}.${name}`, 'may not be set for init containers without restartPolicy=Always'),
    );
}
