import type { Diagnostic, SourcePosition, Version } from '../../model/index.ts';
import { keywordPosition, placesOf } from './visit.ts';

/** Major and minor. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
}

/** The first minor of Kubernetes 1 that has a field of a definition without being told. */
const since = { selectableFields: 31, messageExpression: 27, reason: 28, fieldPath: 28, optionalOldSelf: 29 } as const;

/** Fields of a definition that are newer than the oldest Kubernetes that it is for. */
export function checkKubernetesVersion(version: Version, { major, minor }: KubernetesVersion): Diagnostic[] {
  const check = (field: keyof typeof since, position: SourcePosition, path?: string): Diagnostic[] => {
    if (major > 1 || minor >= since[field]) return [];
    return [
      {
        code: 'CO2040',
        severity: 'error',
        message: `${field} needs Kubernetes 1.${since[field]}; the definitions are for ${major}.${minor}`,
        position,
        remedy: 'raise kubernetesVersion in operator.json (--kubernetes-version), or do without it',
        ...(path === undefined ? {} : { path }),
      },
    ];
  };
  const fields = version.selectableFields.slice(0, 1).flatMap(({ position }) => check('selectableFields', position));
  const rules = [...placesOf(version)].flatMap((place) =>
    (['messageExpression', 'reason', 'fieldPath', 'optionalOldSelf'] as const)
      .filter((field) => place.schema['x-kubernetes-validations']?.some((rule) => rule[field] !== undefined))
      .flatMap((field) => check(field, keywordPosition(place, 'x-kubernetes-validations'), place.path)),
  );
  return [...fields, ...rules];
}
