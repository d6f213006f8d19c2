import { invalidValue, required, tooLong, type FieldError } from '../../field-error.ts';
import { object, plain, text, type JsonObject } from '../../json.ts';
import { keyProblems } from './fields.ts';

/** How much ConfigMaps and Secrets may hold, in bytes. */
const mostBytes = 1024 * 1024;

function keyErrors(value: JsonObject, name: string): FieldError[] {
  return Object.keys(object(value, name)).flatMap((key) =>
    keyProblems(key).map((problem) => invalidValue(`${name}[${key}]`, key, problem)),
  );
}

const decodedLength = (encoded: string): number => Buffer.from(encoded, 'base64').length;

export function configMapErrors(value: JsonObject): FieldError[] {
  const errors = [...keyErrors(value, 'data'), ...keyErrors(value, 'binaryData')];
  const binary = object(value, 'binaryData');
  let size = 0;
  for (const [key, content] of Object.entries(object(value, 'data'))) {
    if (Object.hasOwn(binary, key))
      errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    size += Buffer.byteLength(plain(content));
  }
  for (const content of Object.values(binary)) size += decodedLength(plain(content));
  // The real server names no field here.
  if (size > mostBytes) errors.push(tooLong('[]', mostBytes));
  return errors;
}

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

export function secretErrors(value: JsonObject): FieldError[] {
  const errors = keyErrors(value, 'data');
  const data = object(value, 'data');
  const type = text(value, 'type');
  const size = Object.values(data).reduce((sum: number, content) => sum + decodedLength(plain(content)), 0);
  if (size > mostBytes) errors.push(tooLong('data', mostBytes));
  for (const key of requiredKeys[type] ?? []) {
    if (!Object.hasOwn(data, key)) {
      errors.push(required(`data[${key}]`));
      continue;
    }
    const problem = type.startsWith('kubernetes.io/docker') ? jsonProblem(plain(data[key])) : undefined;
    if (problem !== undefined) errors.push(invalidValue(`data[${key}]`, '<secret contents redacted>', problem));
  }
  if (type === 'kubernetes.io/basic-auth' && !Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password'))
    errors.push(required('data[username]'), required('data[password]'));
  const account = 'kubernetes.io/service-account.name';
  if (type === 'kubernetes.io/service-account-token' && text(value, 'metadata', 'annotations', account) === '')
    errors.push(required(`metadata.annotations[${account}]`));
  return errors;
}

/** Why a credential is no JSON, for the mistakes at its two ends. */
function jsonProblem(encoded: string): string | undefined {
  const content = Buffer.from(encoded, 'base64').toString();
  try {
    JSON.parse(content);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const first = content.trimStart().slice(0, 1);
    if (
      first === '' ||
      /end of JSON input|Unterminated|Expected .* at position \d+ \(line 1 column \d+\)$/.test(error.message)
    ) {
      const position = /position (\d+)/.exec(error.message)?.[1];
      if (position === undefined || Number(position) >= content.length) return 'unexpected end of JSON input';
    }
    return `invalid character '${first}' looking for beginning of value`;
  }
}

export function secretWarnings(value: JsonObject): string[] {
  if (text(value, 'type') !== 'kubernetes.io/tls') return [];
  const certificate = Buffer.from(text(value, 'data', 'tls.crt'), 'base64').toString();
  return certificate.includes('-----BEGIN ') ? [] : ['tls: failed to find any PEM data in certificate input'];
}
