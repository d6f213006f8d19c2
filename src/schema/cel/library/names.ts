import { utf8Length } from '../source.ts';

/** The rules for names in Kubernetes; each gives what is wrong with a text, in the server's words. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelKeyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

const patterns = {
  label: whole(label),
  subdomain: whole(subdomain),
  label1035: whole(label1035),
  labelKey: whole(labelKey),
  labelValue: whole(`(${labelKey})?`),
};

function mismatch(message: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

function tooLong(text: string, limit: number, unit: 'characters' | 'bytes'): string[] {
  return utf8Length(text) > limit ? [`must be no more than ${limit} ${unit}`] : [];
}

export function dns1123Label(text: string): string[] {
  const problems = tooLong(text, 63, 'characters');
  if (patterns.label.test(text)) return problems;
  if (patterns.subdomain.test(text)) return [...problems, 'must not contain dots'];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, mismatch(message, label, 'my-name', '123-abc')];
}

export function dns1123Subdomain(text: string): string[] {
  const problems = tooLong(text, 253, 'characters');
  return patterns.subdomain.test(text) ? problems : [...problems, subdomainMismatch()];
}

function subdomainMismatch(): string {
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return mismatch(message, subdomain, 'example.com');
}

export function dns1035Label(text: string): string[] {
  const problems = tooLong(text, 63, 'characters');
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return patterns.label1035.test(text) ? problems : [...problems, mismatch(message, label1035, 'my-name', 'abc-123')];
}

export function qualifiedName(text: string): string[] {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  const keyMismatch = mismatch(labelKeyMessage, labelKey, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2) {
    return [
      `a valid label key ${keyMismatch} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const [prefix] = parts.length === 2 ? parts : [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) problems.push(...prefixProblems(prefix).map((problem) => `prefix part ${problem}`));
  if (name === '') problems.push('name part must be non-empty');
  else problems.push(...tooLong(name, 63, 'bytes').map((problem) => `name part ${problem}`));
  if (!patterns.labelKey.test(name)) problems.push(`name part ${keyMismatch}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  const problems = tooLong(prefix, 253, 'bytes');
  return patterns.subdomain.test(prefix) ? problems : [...problems, subdomainMismatch()];
}

export function labelValue(text: string): string[] {
  const problems = tooLong(text, 63, 'bytes');
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return patterns.labelValue.test(text)
    ? problems
    : [...problems, mismatch(message, `(${labelKey})?`, 'MyValue', 'my_value', '12345')];
}

/** A prefix of a name may end with a dash. */
export function maskTrailingDash(text: string): string {
  return text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text;
}
