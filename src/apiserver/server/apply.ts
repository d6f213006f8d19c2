import type { Applier } from '../handlers/patch.ts';
import { ApiError } from '../status.ts';

/** Server-side apply is not served yet: the answer says so, and what to do instead. */
export const unsupportedApply: Applier = {
  apply() {
    return Promise.reject(
      new ApiError(
        415,
        'UnsupportedMediaType',
        'the embedded API server does not serve server-side apply (application/apply-patch+yaml) yet: use client-side apply, a merge patch or an update',
      ),
    );
  },
};
