export * from './catalogue.ts';
export * from './diagnostic.ts';
export * from './file.ts';
export * from './json.ts';
export * from './model.ts';
export * from './permission.ts';
export * from './schema.ts';
export * from './webhook.ts';
