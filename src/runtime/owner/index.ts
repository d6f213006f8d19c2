export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './finalizer.ts';
export {
  AlreadyOwnedError,
  InvalidOwnerError,
  controllerReference,
  isControlledBy,
  ownerReference,
  withControllerReference,
  withOwnerReference,
} from './owner-reference.ts';
export type { OwnedObject, OwnerReferenceOptions } from './owner-reference.ts';
export { Finalizers } from './finalizers.ts';
export type { Finalize } from './finalizers.ts';
