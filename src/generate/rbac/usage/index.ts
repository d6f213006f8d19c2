export { compareUsage, compareVerbs, qualified, type ResourceUsage, type Usage, type UsageInput } from './compare.ts';
export { derivedRules } from './derive.ts';
export { coverage, type Grant } from './grants.ts';
export { type EditedFile, insertMarkers } from './insert.ts';
