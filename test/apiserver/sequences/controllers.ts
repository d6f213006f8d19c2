import type { Sequence, Step } from '../sequence.ts';
import { core, namespace, type Versioned } from './parts.ts';

/** What controllers do, as far as it can be seen in final states: each step waits until there is nothing left to do. */

const gone = (path: string): Step => ({
  path,
  until: (answer) => (answer as { readonly code?: number }).code === 404,
});

const listed = (path: string, count: number): Step => ({
  path,
  until: (answer) => (answer as { readonly items?: readonly unknown[] }).items?.length === count,
});

/** Names and owners only: the rest of a list is compared elsewhere. */
const names = (space: string, resource: string, selector: string, count: number): Step => ({
  ...listed(core(space, `${resource}?labelSelector=${encodeURIComponent(selector)}`), count),
  headers: { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
});

const ownedBy =
  (index: number, more: Record<string, unknown> = {}) =>
  (answers: readonly unknown[]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'owner',
    uid: (answers[index] as Versioned).metadata.uid,
    ...more,
  });

const dependent = (space: string, name: string, owner: (answers: readonly unknown[]) => unknown): Step => ({
  path: core(space, 'configmaps'),
  make: (answers) => ({
    metadata: { name, labels: { part: 'dependent' }, ownerReferences: [owner(answers)] },
  }),
});

const owner = (space: string): Step => ({ path: core(space, 'configmaps'), body: { metadata: { name: 'owner' } } });
const remove = (space: string, propagationPolicy: string): Step => ({
  method: 'DELETE',
  path: core(space, 'configmaps/owner'),
  body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy },
});

const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const role = (name: string, labels: Record<string, string>, resources: readonly string[]): Step => ({
  path: roles,
  body: { metadata: { name, labels }, rules: [{ apiGroups: [''], resources, verbs: ['get'] }] },
});
const rulesOf = (count: number | undefined): Step => ({
  path: `${roles}/all`,
  until: (answer) => (answer as { readonly rules?: readonly unknown[] | null }).rules?.length === count,
});

export const controllersSequences: readonly Sequence[] = [
  {
    name: 'dependents are deleted in the background',
    steps: [
      namespace('background'),
      owner('background'),
      dependent('background', 'a', ownedBy(1)),
      {
        path: core('background', 'configmaps'),
        make: (answers) => ({
          metadata: {
            name: 'b',
            labels: { part: 'dependent' },
            ownerReferences: [{ ...ownedBy(2)(answers), name: 'a' }],
          },
        }),
      },
      remove('background', 'Background'),
      gone(core('background', 'configmaps/a')),
      gone(core('background', 'configmaps/b')),
    ],
  },
  {
    name: 'dependents with another owner stay, without the reference',
    steps: [
      namespace('shared'),
      owner('shared'),
      { path: core('shared', 'configmaps'), body: { metadata: { name: 'other' } } },
      {
        path: core('shared', 'configmaps'),
        make: (answers) => ({
          metadata: { name: 'a', ownerReferences: [ownedBy(1)(answers), { ...ownedBy(2)(answers), name: 'other' }] },
        }),
      },
      remove('shared', 'Background'),
      {
        path: core('shared', 'configmaps/a'),
        until: (answer) =>
          Array.isArray((answer as Versioned).metadata['ownerReferences']) &&
          ((answer as Versioned).metadata['ownerReferences'] as readonly unknown[]).length === 1,
      },
    ],
  },
  {
    name: 'dependents go before an owner in the foreground',
    steps: [
      namespace('foreground'),
      owner('foreground'),
      dependent('foreground', 'a', ownedBy(1, { blockOwnerDeletion: true })),
      {
        path: core('foreground', 'configmaps'),
        make: (answers) => ({
          metadata: {
            name: 'held',
            finalizers: ['example.com/hold'],
            ownerReferences: [ownedBy(1, { blockOwnerDeletion: true })(answers)],
          },
        }),
      },
      remove('foreground', 'Foreground'),
      gone(core('foreground', 'configmaps/a')),
      {
        path: core('foreground', 'configmaps/held'),
        until: (answer) => (answer as Versioned).metadata['deletionTimestamp'] !== undefined,
      },
      { path: core('foreground', 'configmaps/owner') },
      {
        method: 'PATCH',
        path: core('foreground', 'configmaps/held'),
        body: { metadata: { finalizers: null } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      },
      gone(core('foreground', 'configmaps/owner')),
    ],
  },
  {
    name: 'orphans keep their place and lose their owner',
    steps: [
      namespace('orphans'),
      owner('orphans'),
      dependent('orphans', 'a', ownedBy(1)),
      remove('orphans', 'Orphan'),
      gone(core('orphans', 'configmaps/owner')),
      names('orphans', 'configmaps', 'part=dependent', 1),
    ],
  },
  {
    name: 'dependents of owners that there never were are deleted',
    steps: [
      namespace('dangling'),
      {
        path: core('dangling', 'configmaps'),
        body: {
          metadata: {
            name: 'a',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: '11111111-2222-3333-4444-555555555555' },
            ],
          },
        },
      },
      gone(core('dangling', 'configmaps/a')),
    ],
  },
  {
    name: 'namespaces have an account, and take all along',
    steps: [
      namespace('ending'),
      {
        path: core('ending', 'serviceaccounts/default'),
        until: (answer) => (answer as Plain)['kind'] === 'ServiceAccount',
      },
      { path: core('ending', 'secrets'), body: { metadata: { name: 'a' } } },
      {
        path: core('ending', 'configmaps'),
        body: { metadata: { name: 'held', finalizers: ['example.com/hold'] } },
      },
      { method: 'DELETE', path: '/api/v1/namespaces/ending' },
      gone(core('ending', 'secrets/a')),
      {
        path: '/api/v1/namespaces/ending',
        until: (answer) =>
          (
            (answer as Plain)['status'] as { conditions?: readonly { type: string; status: string }[] }
          ).conditions?.some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True') ===
          true,
      },
      { path: core('ending', 'configmaps'), body: { metadata: { name: 'late' } } },
      {
        method: 'PATCH',
        path: core('ending', 'configmaps/held'),
        body: { metadata: { finalizers: null } },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      },
      gone('/api/v1/namespaces/ending'),
    ],
  },
  {
    name: 'roles are aggregated',
    steps: [
      {
        path: roles,
        body: {
          metadata: { name: 'all' },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'example.com/part': 'yes' } }] },
          rules: [],
        },
      },
      role('part-b', { 'example.com/part': 'yes' }, ['secrets']),
      role('part-a', { 'example.com/part': 'yes' }, ['pods']),
      rulesOf(2),
      { method: 'DELETE', path: `${roles}/part-b` },
      rulesOf(1),
      { method: 'DELETE', path: `${roles}/part-a` },
      rulesOf(undefined),
    ],
  },
  {
    name: 'claims go once no pod on a node uses them',
    steps: [
      namespace('claims'),
      {
        path: core('claims', 'persistentvolumeclaims'),
        body: {
          metadata: { name: 'data' },
          spec: {
            storageClassName: '',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        },
      },
      { method: 'DELETE', path: core('claims', 'persistentvolumeclaims/data') },
      gone(core('claims', 'persistentvolumeclaims/data')),
    ],
  },
];

type Plain = Readonly<Record<string, unknown>>;
