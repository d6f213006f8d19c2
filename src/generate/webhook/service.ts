/**
 * The Service in front of the operator's webhook server where nothing else is said: kubebuilder's names, to which the kustomizations
 * of a project add its own namespace and prefix.
 */
export const webhookService = { name: 'webhook-service', namespace: 'system' } as const;
