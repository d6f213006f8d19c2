import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Grant } from '../../generate/rbac/usage/index.ts';
import { type Diagnostic, isGenerated } from '../../model/index.ts';

interface Manifest {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly { readonly kind?: string }[];
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

/** What a binding gives to a ServiceAccount. */
export interface RoleBinding {
  readonly role: string;
  /** The namespace of a Role; undefined for a ClusterRole, wherever it is bound. */
  readonly namespace: string | undefined;
}

/** What stands in a folder of roles beside what is made from markers: rules written by hand and bound to a ServiceAccount, and all bindings. */
export interface BoundRoles {
  readonly grants: readonly Grant[];
  readonly bindings: readonly RoleBinding[];
  /** CO2124: files that are no YAML. */
  readonly diagnostics: readonly Diagnostic[];
}

export function readBoundRoles(root: string, folder: string): BoundRoles {
  const manifests: Manifest[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of globSync('*.{yaml,yml}', { cwd: join(root, folder) }).sort()) {
    const text = readFileSync(join(root, folder, name), 'utf8');
    // The rules of generated roles are the markers; their bindings count as those written by hand.
    const generated = isGenerated(text);
    if (generated && !text.includes('RoleBinding')) continue;
    for (const document of parseAllDocuments(text)) {
      const [error] = 'errors' in document ? document.errors : [];
      if (error !== undefined) {
        const file = `${folder}/${name}`;
        const line = error.linePos?.[0].line ?? 1;
        const message = `the file is no YAML: ${error.message.split('\n')[0]}`;
        diagnostics.push({ code: 'CO2124', severity: 'warning', message, position: { file, line, column: 1 } });
        continue;
      }
      const value: unknown = document.toJS();
      if (typeof value !== 'object' || value === null) continue;
      if (!generated || isBinding(value)) manifests.push(value);
    }
  }
  const bindings = manifests
    .filter(isBinding)
    .filter(({ subjects = [] }) => subjects.some(({ kind }) => kind === 'ServiceAccount'));
  return {
    grants: bindings.flatMap((binding) => grantsOf(binding, manifests)),
    bindings: bindings.map(({ roleRef, metadata }) => ({
      role: roleRef?.name ?? '',
      namespace: roleRef?.kind === 'Role' ? (metadata?.namespace ?? '') : undefined,
    })),
    diagnostics,
  };
}

function isBinding({ kind }: Manifest): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
}

function grantsOf({ kind, roleRef, metadata }: Manifest, manifests: readonly Manifest[]): Grant[] {
  const role = manifests.find((each) => each.kind === roleRef?.kind && each.metadata?.name === roleRef?.name);
  const namespace = kind === 'RoleBinding' ? (metadata?.namespace ?? '') : undefined;
  return (role?.rules ?? []).map(({ apiGroups = [], resources = [], resourceNames = [], verbs = [] }) => ({
    groups: apiGroups,
    resources,
    resourceNames,
    verbs,
    ...(namespace === undefined ? {} : { namespace }),
  }));
}
