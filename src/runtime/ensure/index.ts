export { applyIfChanged } from './apply-if-changed.ts';
export { createOrPatch } from './create-or-patch.ts';
export { createOrUpdate } from './create-or-update.ts';
export type { EnsureResult } from './create-or.ts';
export { Expectations } from './expectations.ts';
export { patchStatus } from './patch-status.ts';
