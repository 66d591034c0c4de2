import type { FaultKind } from '../fault-kind.js';
import { dropAfter } from './drop-after.js';
import { dropBefore } from './drop-before.js';
import { empty } from './empty.js';
import { errorAfter } from './error-after.js';
import { errorBefore } from './error-before.js';
import { garbage } from './garbage.js';
import { latency } from './latency.js';
import { tokenDown } from './token-down.js';
import { tooMany } from './too-many.js';
import { truncated } from './truncated.js';
import { unauthorized } from './unauthorized.js';

/** Every kind of fault that `PUT /__faults` knows, by name. */
export const faultKinds: ReadonlyMap<string, FaultKind> = new Map(
  [
    latency,
    tooMany,
    errorBefore,
    errorAfter,
    dropBefore,
    dropAfter,
    unauthorized,
    garbage,
    empty,
    truncated,
    tokenDown,
  ].map((fault) => [fault.kind, fault]),
);
