export { findCondition, isConditionTrue, setCondition } from './conditions.ts';
export type { NewCondition } from './conditions.ts';
export { summarizeConditions } from './summary.ts';
