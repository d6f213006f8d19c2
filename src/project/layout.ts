/** Where a scaffolded project keeps what `generate` reads and writes; relative to its root. */
export const projectLayout = {
  sources: ['src/api/**/*.ts', 'src/controllers/**/*.ts', 'src/webhooks/**/*.ts'],
  crdDir: 'config/crd/bases',
  rbacDir: 'config/rbac',
  webhookDir: 'config/webhook',
  clientDir: 'src/api',
  chartDir: 'dist/chart',
  roleName: 'manager-role',
} as const;
