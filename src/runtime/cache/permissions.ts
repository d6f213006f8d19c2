import { isRecord } from '../client/json.ts';
import type { Rest } from '../client/rest.ts';
import type { KindInfo } from '../kind/kind.ts';

/** A verb that a cache needs and that RBAC does not give. */
export interface MissingPermission {
  readonly verb: 'list' | 'watch';
  /** `''` for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  /** All namespaces when left out. */
  readonly namespace?: string;
}

/** Asks the server (`SelfSubjectAccessReview`, which everybody may create) what is missing to list and watch a kind. */
export async function missingPermissions(
  rest: Rest,
  kind: KindInfo,
  namespaces: readonly (string | undefined)[],
  signal?: AbortSignal,
): Promise<readonly MissingPermission[]> {
  const needed = namespaces.flatMap((namespace) =>
    (['list', 'watch'] as const).map((verb): MissingPermission => ({
      verb,
      group: kind.group,
      resource: kind.plural,
      ...(namespace === undefined ? {} : { namespace }),
    })),
  );
  const missing: MissingPermission[] = [];
  for (const permission of needed) if (!(await isAllowed(rest, permission, signal))) missing.push(permission);
  return missing;
}

/** `list widgets.example.com in namespace a` */
export function describePermission({ verb, group, resource, namespace }: MissingPermission): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${where}`;
}

async function isAllowed(rest: Rest, resourceAttributes: MissingPermission, signal?: AbortSignal): Promise<boolean> {
  const answer = await rest.json({
    verb: 'create',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
    // Whoever waits for this has better things to do than to wait for a server that is busy.
    retry: false,
    signal,
  });
  return isRecord(answer['status']) && answer['status']['allowed'] === true;
}
