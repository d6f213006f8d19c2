import type { Sequence } from '../sequence.ts';
import { applySequences } from './apply.ts';
import { builtinSequences } from './builtin.ts';
import { defaultsSequences } from './defaults.ts';
import { detailsSequences } from './details.ts';
import { kindsSequences } from './kinds.ts';
import { limitsSequences } from './limits.ts';
import { objectsSequences } from './objects.ts';
import { policiesSequences } from './policies.ts';
import { requestsSequences } from './requests.ts';
import { networkValidationSequences } from './validation-network.ts';
import { otherValidationSequences } from './validation-others.ts';
import { podValidationSequences } from './validation-pods.ts';
import { workloadValidationSequences } from './validation-workloads.ts';

/** All sequences that are put to both servers. */
export const sequences: readonly Sequence[] = [
  ...requestsSequences,
  ...objectsSequences,
  ...kindsSequences,
  ...defaultsSequences,
  ...applySequences,
  ...builtinSequences,
  ...policiesSequences,
  ...detailsSequences,
  ...podValidationSequences,
  ...workloadValidationSequences,
  ...networkValidationSequences,
  ...otherValidationSequences,
  ...limitsSequences,
];
