/** What names must look like. Each function gives the problems of a name, with the messages of apimachinery. */

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** Names that are only prefixes of generated ones may end in a dash. */
function masked(name: string, prefix: boolean): string {
  return prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name;
}

export const dns1123Subdomain: NameRule = (name, prefix) => {
  const problems: string[] = [];
  const checked = masked(name, prefix);
  if (checked.length > 253) problems.push('must be no more than 253 characters');
  if (!subdomain.test(checked)) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return problems;
};

export const dns1123Label: NameRule = (name, prefix) => {
  const problems: string[] = [];
  const checked = masked(name, prefix);
  if (checked.length > 63) problems.push('must be no more than 63 characters');
  if (!label.test(checked)) {
    problems.push(
      subdomain.test(checked)
        ? 'must not contain dots'
        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems;
};

export const dns1035Label: NameRule = (name, prefix) => {
  const problems: string[] = [];
  const checked = masked(name, prefix);
  if (checked.length > 63) problems.push('must be no more than 63 characters');
  if (!label1035.test(checked)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems;
};

/** What any name must be, to stand in an URL: the only rule for RBAC objects. */
export const pathSegment: NameRule = (name, prefix) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
};

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A name made of a prefix and five random characters. `random` gives numbers in [0, 1). */
export function generateName(base: string, random: () => number): string {
  let suffix = '';
  for (let index = 0; index < 5; index++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return base.slice(0, 58) + suffix;
}
