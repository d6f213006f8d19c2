export { applyIfChanged } from './apply-if-changed.ts';
export { createOrUpdate } from './create-or-update.ts';
export type { EnsureResult } from './create-or-update.ts';
export { Expectations } from './expectations.ts';
export { patchStatus } from './patch-status.ts';
