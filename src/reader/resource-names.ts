export interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What the API server would refuse in the names of a kind (the rules of CustomResourceDefinition names). */
export function resourceProblems(facts: ResourceFacts): string[] {
  const problems: string[] = [];
  const { group, version, kind, plural, singular } = facts;
  if (!subdomain.test(group) || !group.includes('.') || group.length > 253) {
    problems.push(`'${group}' is no API group: write a domain name of small letters, such as compute.example.com`);
  }
  if (!label.test(version)) problems.push(`'${version}' is no version: write v1, v1beta1 or the like`);
  if (!/^[A-Za-z][A-Za-z0-9]{0,62}$/.test(kind)) problems.push(`'${kind}' is no name of a kind: write it in CamelCase`);
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['plural', [plural]],
    ['singular', [singular]],
    ['short name', facts.shortNames],
    ['category', facts.categories],
  ];
  for (const [what, names] of lists) {
    for (const name of names) {
      if (!label.test(name)) problems.push(`'${name}' is no ${what}: write small letters, digits and '-'`);
    }
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) problems.push(`the ${what} '${twice}' stands twice`);
  }
  return problems;
}
