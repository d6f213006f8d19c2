export * from './arguments.ts';
export * from './marker.ts';
export * from './merge.ts';
export * from './pattern.ts';
export * from './plural.ts';
export * from './registry.ts';
export * from './suggestion.ts';
