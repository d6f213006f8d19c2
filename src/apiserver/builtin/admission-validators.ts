import type { JsonObject } from '../json.ts';
import type { Verdict } from '../resources/resource.ts';
import {
  checkMutatingBinding,
  checkMutatingPolicy,
  checkValidatingBinding,
  checkValidatingPolicy,
} from './policy-validation.ts';
import { checkWebhookConfiguration } from './webhook-validation.ts';

/** The checks of what configures admission, by resource. */
export const admissionValidators: Readonly<
  Record<string, (object: JsonObject, old: JsonObject | undefined) => Verdict>
> = {
  'validatingadmissionpolicies.admissionregistration.k8s.io': checkValidatingPolicy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': checkValidatingBinding,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': checkMutatingPolicy,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': checkMutatingBinding,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': checkWebhookConfiguration,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': checkWebhookConfiguration,
};
