import type { Frame } from './frame.ts';
import type { Value } from './values.ts';

/** A part of an expression that is ready to be evaluated. */
export interface PlannedNode {
  readonly id: number;
  exec(frame: Frame): Value;
}
