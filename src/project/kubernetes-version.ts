import { ProjectError } from './project-error.ts';

/** Kubernetes' version as major and minor. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
}

/** The oldest whose rules we know. */
const oldest: KubernetesVersion = { major: 1, minor: 34 };

/** The minimum that projects have without saying anything. */
export const defaultKubernetesVersion: KubernetesVersion = oldest;

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
