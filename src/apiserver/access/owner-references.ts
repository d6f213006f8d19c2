import { equal, list, member, text, type Json, type JsonObject } from '../json.ts';
import type { AdmissionPlugin } from '../objects/admission.ts';
import type { Resource } from '../resources/resource.ts';
import { forbidden } from '../status.ts';
import type { RbacAuthorizer } from './rbac.ts';
import type { User } from './user.ts';

/**
 * The admission plugin of that name: who changes the owner references of an object must be allowed to delete it, and who makes a reference
 * block the deletion of its owner must be allowed to update the owner's `finalizers`.
 */
export function ownerReferencesPermissionEnforcement(
  authorizer: RbacAuthorizer,
  findKind: (apiVersion: string, kind: string) => Resource | undefined,
): AdmissionPlugin {
  const decide = (
    user: User,
    verb: string,
    { group, resource }: Resource,
    subresource: string,
    namespace: string,
    name: string,
  ): ReturnType<RbacAuthorizer['authorize']> =>
    authorizer.authorize({
      user,
      verb,
      resourceRequest: true,
      namespace,
      group,
      resource,
      subresource,
      name,
      path: '',
    });
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate({ operation, resource, subresource, namespace, name, object, oldObject, user }) {
      if (object === undefined || operation === 'DELETE') return;
      // The status of pods is written by kubelets, which may not delete them.
      if (resource.group === '' && resource.resource === 'pods' && subresource === 'status') return;
      const references = referencesOf(object);
      const before = oldObject === undefined ? [] : referencesOf(oldObject);
      if (equal(references, before)) return;
      const own = text(object, 'metadata', 'name') || name;
      if (operation !== 'CREATE') {
        const { allowed, reason } = decide(user, 'delete', resource, subresource, namespace, own);
        if (!allowed)
          throw forbidden(resource, own, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
      }
      for (const reference of references.filter((each) => blocks(each) && !wasBlocking(each, before))) {
        const apiVersion = text(reference, 'apiVersion');
        const kind = text(reference, 'kind');
        const owner = findKind(apiVersion, kind);
        if (owner === undefined) {
          throw forbidden(
            resource,
            own,
            `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`,
          );
        }
        const place = owner.namespaced ? namespace : '';
        const { allowed, reason } = decide(user, 'update', owner, 'finalizers', place, text(reference, 'name'));
        if (!allowed) {
          throw forbidden(
            resource,
            own,
            `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`,
          );
        }
      }
    },
  };
}

function referencesOf(object: JsonObject): readonly Json[] {
  return list(object, 'metadata', 'ownerReferences');
}

function blocks(reference: Json): boolean {
  return member(reference, 'blockOwnerDeletion') === true;
}

function wasBlocking(reference: Json, before: readonly Json[]): boolean {
  return before.some((each) => text(each, 'uid') === text(reference, 'uid') && blocks(each));
}
