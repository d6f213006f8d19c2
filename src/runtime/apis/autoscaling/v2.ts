export * from './v2.generated.ts';
