export { isClient } from './client/client.ts';
export { definitionFile, definitionName, definitionToJson, emitDefinition } from './crd/definition.ts';
export { schemaToJson } from './crd/schema-json.ts';
export { type Generated, generate, type Outputs } from './generate.ts';
export { emitDocument, emitFile } from './yaml/emit.ts';
