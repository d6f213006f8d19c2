import { text } from '../json.ts';
import { ApiError, forbidden, notFound } from '../status.ts';
import type { Store } from '../storage/store.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isTerminating } from './metadata.ts';
import { definitions } from '../custom/definition.ts';

/** Nothing is created in a namespace that is missing or being deleted, nor of a kind whose definition is. */
export function lifecycle(store: Store): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    admit({ operation, resource, namespace, name }) {
      if (operation !== 'CREATE') return;
      if (resource.custom) {
        const definition = store
          .collection(definitions)
          .get({ namespace: '', name: `${resource.resource}.${resource.group}` });
        if (definition !== undefined && isTerminating(definition)) {
          throw new ApiError(
            405,
            'MethodNotAllowed',
            'create not allowed while custom resource definition is terminating',
            {
              group: resource.group,
              kind: resource.resource,
            },
          );
        }
      }
      if (!resource.namespaced) return;
      const found = store.collection('namespaces').get({ namespace: '', name: namespace });
      if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      if (!isTerminating(found) && text(found, 'status', 'phase') !== 'Terminating') return;
      throw forbidden(
        resource,
        name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      );
    },
  };
}
