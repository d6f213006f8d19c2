import { child, texts } from '../json.ts';
import type { AdmissionPlugin } from '../objects/admission.ts';

/** Finalizers of storage that may be in use, by resource; a controller takes them off when it is not. */
export const protection: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
};

/** Puts new claims and volumes under protection, as every cluster does. */
export const storageProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  admit({ operation, resource, subresource, object }) {
    const finalizer = protection[resource.storage];
    if (operation !== 'CREATE' || subresource !== '' || object === undefined || finalizer === undefined) return;
    const metadata = child(object, 'metadata');
    const finalizers = texts(metadata, 'finalizers');
    if (finalizers.includes(finalizer)) return;
    metadata['finalizers'] = [...finalizers, finalizer];
  },
};
