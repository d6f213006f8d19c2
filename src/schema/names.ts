/** The rules of names and label keys (`apimachinery/pkg/util/validation`). Each gives what is wrong, in the server's words. */

const dns1123Label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123Subdomain = `${dns1123Label}(\\.${dns1123Label})*`;
const dns1035Label = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedName})?`;

const patterns = {
  dns1123Label: new RegExp(`^${dns1123Label}$`),
  dns1123Subdomain: new RegExp(`^${dns1123Subdomain}$`),
  dns1035Label: new RegExp(`^${dns1035Label}$`),
  qualifiedName: new RegExp(`^${qualifiedName}$`),
  labelValue: new RegExp(`^${labelValue}$`),
};

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function describe(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

export function checkDns1123Label(text: string): string[] {
  const found = byteLength(text) > 63 ? ['must be no more than 63 characters'] : [];
  if (patterns.dns1123Label.test(text)) return found;
  if (patterns.dns1123Subdomain.test(text)) return [...found, 'must not contain dots'];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...found, describe(rule, dns1123Label, 'my-name', '123-abc')];
}

export function checkDns1123Subdomain(text: string): string[] {
  const found = byteLength(text) > 253 ? ['must be no more than 253 characters'] : [];
  if (patterns.dns1123Subdomain.test(text)) return found;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...found, describe(rule, dns1123Subdomain, 'example.com')];
}

export function checkDns1035Label(text: string): string[] {
  const found = byteLength(text) > 63 ? ['must be no more than 63 characters'] : [];
  if (patterns.dns1035Label.test(text)) return found;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...found, describe(rule, dns1035Label, 'my-name', 'abc-123')];
}

const qualifiedNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Keys of labels and annotations, and finalizers: an optional DNS subdomain, a slash, and a name of at most 63 bytes. */
export function checkQualifiedName(text: string): string[] {
  const parts = text.split('/');
  const examples = ['MyName', 'my.name', '123-abc'] as const;
  if (parts.length > 2) {
    const rule = `a valid label key ${qualifiedNameRule}`;
    return [
      `${describe(rule, qualifiedName, ...examples)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const found: string[] = [];
  const [prefix = ''] = parts;
  if (parts.length === 2) {
    if (prefix === '') found.push('prefix part must be non-empty');
    else
      found.push(
        ...checkDns1123Subdomain(prefix).map(
          (problem) => `prefix part ${problem.replace(/253 characters$/, '253 bytes')}`,
        ),
      );
  }
  const name = parts.at(-1) ?? '';
  if (name === '') found.push('name part must be non-empty');
  else if (byteLength(name) > 63) found.push('name part must be no more than 63 bytes');
  if (!patterns.qualifiedName.test(name)) {
    found.push(`name part ${describe(qualifiedNameRule, qualifiedName, ...examples)}`);
  }
  return found;
}

export function checkLabelValue(text: string): string[] {
  const found = byteLength(text) > 63 ? ['must be no more than 63 bytes'] : [];
  if (patterns.labelValue.test(text)) return found;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...found, describe(rule, labelValue, 'MyValue', 'my_value', '12345')];
}

/** A name that becomes a segment of a URL; with `isPrefix` one that gets a suffix. */
export function checkPathSegment(text: string, isPrefix: boolean): string[] {
  if (!isPrefix && (text === '.' || text === '..')) return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
}
