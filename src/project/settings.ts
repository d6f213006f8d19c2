import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of the project, or a flag, that makes no sense. The message is one line in the user's terms. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Kubernetes' version as major and minor. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
}

/** The oldest whose rules we know. */
const oldest: KubernetesVersion = { major: 1, minor: 34 };

/** The minimum that projects have without saying anything. */
export const defaultKubernetesVersion: KubernetesVersion = oldest;

/** What `generate` takes from `operator.json`; its other members belong to other commands. */
export interface Settings {
  /** The folder of `operator.json`; `undefined` outside a scaffolded project. */
  readonly root: string | undefined;
  readonly kubernetesVersion: KubernetesVersion;
  /** JSDoc tags that are neither ours nor standard, and pass. */
  readonly allowedTags: readonly string[];
  /** Whether each kind gets roles for people, and whether Kubernetes' own `admin`, `edit` and `view` take these in. Default `plain`. */
  readonly kindRoles: 'none' | 'plain' | 'aggregated';
}

const settingsFile = 'operator.json';

/**
 * Reads the nearest `operator.json` in a folder or above it.
 *
 * @throws ProjectError when it is no JSON or a member has the wrong type.
 */
export function readSettings(folder: string): Settings {
  const root = nearest(folder, settingsFile);
  if (root === undefined)
    return { root, kubernetesVersion: defaultKubernetesVersion, allowedTags: [], kindRoles: 'plain' };
  const file = join(root, settingsFile);
  const settings = parse(file);
  const version = settings['kubernetesVersion'];
  if (version !== undefined && typeof version !== 'string') {
    throw new ProjectError(`${file}: kubernetesVersion is no text`, 'write "kubernetesVersion": "1.34"');
  }
  const tags = settings['allowedTags'] ?? [];
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
    throw new ProjectError(`${file}: allowedTags is no list of texts`, 'write "allowedTags": ["mytag"]');
  }
  return {
    root,
    kubernetesVersion: version === undefined ? defaultKubernetesVersion : parseKubernetesVersion(version, file),
    allowedTags: tags.map((tag: string) => tag.replace(/^@/, '')),
    kindRoles: kindRolesOf(settings['kindRoles'], file),
  };
}

function kindRolesOf(value: unknown, file: string): Settings['kindRoles'] {
  if (value === undefined || value === true) return 'plain';
  if (value === false) return 'none';
  if (value === 'aggregated') return value;
  throw new ProjectError(`${file}: kindRoles is none of true, false, "aggregated"`, 'leave it out for true');
}

/** Reads `1.34`, `v1.34` or `1.34.2`; `where` names the flag or file in the error. */
export function parseKubernetesVersion(text: string, where: string): KubernetesVersion {
  const match = /^v?(\d+)\.(\d+)(\.\d+)?$/.exec(text);
  const version = { major: Number(match?.[1]), minor: Number(match?.[2]) };
  if (match !== null && (version.major !== 1 || version.minor < oldest.minor)) {
    throw new ProjectError(
      `${where}: Kubernetes ${text} is not supported`,
      `the oldest is ${oldest.major}.${oldest.minor}`,
    );
  }
  if (match === null) {
    throw new ProjectError(
      `${where}: ${JSON.stringify(text)} is no version of Kubernetes`,
      'write major and minor, as in 1.34',
    );
  }
  return version;
}

/** The nearest folder, from here upwards, that holds a file. */
export function nearest(folder: string, file: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, file))) return current;
    if (current === dirname(current)) return undefined;
  }
}

function parse(file: string): { readonly [name: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ProjectError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProjectError(`${file}: is no JSON object`);
  }
  return value as { readonly [name: string]: unknown };
}
