export type { CustomResourceDefinition } from './custom-resource-definition.ts';
export { type Imported, importClients, importTypes } from './import.ts';
export { readDefinitions, type ReadDefinitions } from './read-definitions.ts';
