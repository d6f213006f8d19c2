/** A name that cannot be used, in the user's terms, and what to write instead. */
export interface NameProblem {
  readonly message: string;
  readonly remedy: string;
}

/** Words of the language: no class, constant or file's export can be called so. */
const reservedWords = new Set(
  (
    'abstract any as asserts async await bigint boolean break case catch class const continue debugger declare default delete do else ' +
    'enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let module ' +
    'namespace never new null number object of package private protected public readonly return set static string super switch ' +
    'symbol this throw true try type typeof undefined unique unknown var void while with yield'
  ).split(' '),
);

/** Whether a name is a word of the language, or one that strict code may not use. */
export function isReservedWord(name: string): boolean {
  return reservedWords.has(name) || name === 'arguments' || name === 'eval';
}

/** Names that the generated files, or every TypeScript program, already give another meaning. */
const takenTypeNames = new Set(
  (
    'Array Boolean BigInt Date Error Function Infinity JSON Map Math NaN Number Object Promise Proxy Record Reflect RegExp Set String ' +
    'Symbol Kind KubernetesObject ObjectMeta Declaration'
  ).split(' '),
);

/** What `package.json` asks for: package managers may take a project of such a name for the package. */
const dependencies: ReadonlySet<string> = new Set(
  'create-operator operator-runtime esbuild oxlint typescript vite vitest'.split(' '),
);

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const longestProjectName = 63 - '-controller-manager-metrics-service'.length;

/**
 * A project's name is an npm package's name, the prefix of every object's name, and `<name>-system` its namespace: so it is a DNS
 * label (RFC 1123) that leaves room for `-controller-manager-metrics-service`, the longest ending of a name that has to be a label, too.
 */
export function checkProjectName(name: string): NameProblem | undefined {
  const remedy = 'lower-case letters, digits and dashes, at most 28: --name my-operator';
  if (name === '') return { message: 'the project has no name', remedy };
  if (!dnsLabel.test(name)) return { message: `"${name}" is no project name (npm package and DNS label)`, remedy };
  // Kubernetes 1.34 wants labels of RFC 1035 there.
  if (/^[0-9]/.test(name))
    return { message: `the project name "${name}" begins with a digit, and so would the name of its Service`, remedy };
  if (name.length > longestProjectName)
    return { message: `the project name "${name}" is too long: it has ${name.length} characters`, remedy };
  if (dependencies.has(name)) {
    return { message: `"${name}" cannot be a project name: projects depend on a package of that name`, remedy };
  }
  return undefined;
}

/** A kind is written in PascalCase, and its lower case is a DNS label (API conventions, "Types (Kinds)"). */
export function checkKind(kind: string): NameProblem | undefined {
  const remedy = 'write a kind in PascalCase, for instance "Widget"';
  if (kind === '') return { message: 'the kind has no name', remedy };
  if (reservedWords.has(kind))
    return { message: `"${kind}" is a reserved word of TypeScript and cannot be a kind`, remedy };
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind))
    return { message: `"${kind}" is no kind: it must be PascalCase, letters and digits only`, remedy };
  if (kind.length > 63)
    return { message: `the kind "${kind}" is too long: it has ${kind.length} characters, 63 are allowed`, remedy };
  if (takenTypeNames.has(kind)) {
    return {
      message: `"${kind}" cannot be a kind: TypeScript, or every generated file, has a type of that name`,
      remedy: 'choose a longer name',
    };
  }
  if (kind.endsWith('List')) {
    return {
      message: `"${kind}" cannot be a kind: names that end in List are those of lists`,
      remedy: 'choose another name',
    };
  }
  return undefined;
}

/** An API group: a DNS subdomain that is the user's own, so at least two labels and none of Kubernetes' own domains. */
export function checkGroup(group: string): NameProblem | undefined {
  const remedy = 'give the whole API group, a domain of your own: apps.example.com';
  if (group === '') return { message: 'the API group is empty', remedy };
  if (group.length > 253 || !group.split('.').every((label) => label.length <= 63 && dnsLabel.test(label))) {
    return { message: `"${group}" is no API group: it must be a DNS subdomain in lower case`, remedy };
  }
  if (!group.includes('.')) return { message: `"${group}" is no API group: it needs a domain`, remedy };
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
    return { message: `"${group}" belongs to Kubernetes, whose API server wants an approval for it`, remedy };
  }
  return undefined;
}

/** A plural is a DNS label of RFC 1035, as an API server wants `names.plural` of a CustomResourceDefinition. */
export function checkPlural(plural: string): NameProblem | undefined {
  if (plural.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(plural)) return undefined;
  return {
    message: `"${plural}" is no plural of a kind (DNS label)`,
    remedy: 'lower-case letters, digits and dashes, at most 63: --plural widgets',
  };
}

/** `v1`, `v1beta2`, `v2alpha1`: what kubectl sorts by, and what API conventions ask for. */
export function checkVersion(version: string): NameProblem | undefined {
  if (/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/.test(version)) return undefined;
  return { message: `"${version}" is no API version`, remedy: 'write v1, v1beta1 or v1alpha1' };
}
