export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './finalizer.ts';
export {
  AlreadyOwnedError,
  InvalidOwnerError,
  controllerReference,
  isControlledBy,
  isOwnedBy,
  ownerReference,
  withControllerReference,
  withOwnerReference,
  withoutOwnerReference,
} from './owner-reference.ts';
export type { OwnedObject, OwnerReferenceOptions } from './owner-reference.ts';
export { Finalizers } from './finalizers.ts';
export type { Finalize } from './finalizers.ts';
