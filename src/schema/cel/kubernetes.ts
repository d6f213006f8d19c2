import { createEnvironment, type Environment } from './environment.ts';
import { authorizerLibrary, authorizerSelectorsLibrary } from './library/authorizer.ts';
import { cidrLibrary } from './library/cidr.ts';
import { formatLibrary } from './library/format.ts';
import { ipLibrary } from './library/ip.ts';
import { kubernetesLists, kubernetesLists1 } from './library/kubernetes-lists.ts';
import { listsLibrary } from './library/lists.ts';
import { optionalsLibrary } from './library/optionals.ts';
import { patternsLibrary } from './library/patterns.ts';
import { quantityLibrary } from './library/quantity.ts';
import { semverLibrary } from './library/semver.ts';
import { setsLibrary } from './library/sets.ts';
import { standardLibrary } from './library/standard.ts';
import { stringsLibrary } from './library/strings.ts';
import { twoVariablesLibrary } from './library/two-variables.ts';
import { urlsLibrary } from './library/urls.ts';

/** The oldest and newest Kubernetes 1.x whose rules are known here. */
const oldestMinor = 34;
export const newestMinor = 37;

/** In the order in which the server loads them: overloads of one function are tried in this order. */
export const kubernetesLibraries = [
  standardLibrary,
  urlsLibrary,
  patternsLibrary,
  kubernetesLists,
  authorizerLibrary,
  optionalsLibrary,
  quantityLibrary,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  authorizerSelectorsLibrary,
  twoVariablesLibrary,
  semverLibrary,
  listsLibrary,
  kubernetesLists1,
];

const environments = new Map<number, Environment>();

function environmentOf(minor: number): Environment {
  const known = environments.get(minor);
  if (known !== undefined) return known;
  const environment = createEnvironment(kubernetesLibraries, minor);
  environments.set(minor, environment);
  return environment;
}

/** A Kubernetes version that is not one of those known here. */
export class KubernetesVersionError extends Error {
  override readonly name = 'KubernetesVersionError';
}

/** The minor version of a text such as `1.37`; later ones count as the newest known. Throws a {@link KubernetesVersionError}. */
export function minorVersion(version: string | undefined): number {
  if (version === undefined) return newestMinor;
  const match = /^v?1\.(\d{1,3})(?:\..*)?$/.exec(version);
  const minor = Number(match?.[1] ?? Number.NaN);
  if (!(minor >= oldestMinor))
    throw new KubernetesVersionError(`"${version}" is not a Kubernetes version from 1.${oldestMinor} on`);
  return Math.min(minor, newestMinor);
}

/** What new definitions may use: a server only accepts what the version before it understands, too. */
export function definitionEnvironment(minor: number): Environment {
  return environmentOf(minor - 1);
}

/** What stored definitions may use: all that the server knows. */
export function storedEnvironment(minor: number): Environment {
  return environmentOf(minor);
}
