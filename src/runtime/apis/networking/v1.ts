export * from './v1.generated.ts';
