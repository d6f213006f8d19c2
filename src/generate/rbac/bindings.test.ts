import { describe, expect, it } from 'vitest';
import { emitRoleBindings } from './bindings.ts';

const role = (name: string, namespace?: string) => ({ name, namespace, rules: [] });

describe('emitRoleBindings', () => {
  it('binds the ClusterRole and the Role of each namespace, and leaves roles with other names to others', () => {
    const roles = [role('manager-role'), role('other'), role('manager-role', 'one'), role('manager-role', 'two')];
    const text = emitRoleBindings(roles, 'manager-role', 'p-system') ?? '';
    const bindings = text.split('---\n').slice(1);
    expect(bindings).toHaveLength(3);
    expect(bindings[0]).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: manager-rolebinding
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: manager-role
subjects:
- kind: ServiceAccount
  name: controller-manager
  namespace: p-system
`);
    for (const [index, namespace] of ['one', 'two'].entries()) {
      expect(bindings[index + 1]).toContain('kind: RoleBinding\n');
      expect(bindings[index + 1]).toContain('  kind: Role\n');
      expect(bindings[index + 1]).toContain(`  namespace: ${namespace}\n`);
    }
  });

  it('gives no file without such a role', () => {
    expect(emitRoleBindings([role('other', 'one')], 'manager-role', 'p-system')).toBeUndefined();
  });
});
