import type { FaultKind } from '../fault-kind.js';
import { commitLate } from './commit-late.js';
import { commitTwice } from './commit-twice.js';
import { dropAfter } from './drop-after.js';
import { dropBefore } from './drop-before.js';
import { empty } from './empty.js';
import { errorAfter } from './error-after.js';
import { errorBefore } from './error-before.js';
import { foreign } from './foreign.js';
import { garbage } from './garbage.js';
import { hollow } from './hollow.js';
import { latency } from './latency.js';
import { message } from './message.js';
import { notUnique } from './not-unique.js';
import { oversized } from './oversized.js';
import { redirectAfter } from './redirect-after.js';
import { redirect } from './redirect.js';
import { slowBody } from './slow-body.js';
import { slowHeaders } from './slow-headers.js';
import { staleLookup } from './stale-lookup.js';
import { tokenDown } from './token-down.js';
import { tooMany } from './too-many.js';
import { truncated } from './truncated.js';
import { unauthorized } from './unauthorized.js';

/** Every kind of fault that `PUT /__faults` knows, by name. */
export const faultKinds: ReadonlyMap<string, FaultKind> = new Map(
  [
    latency,
    slowHeaders,
    slowBody,
    tooMany,
    errorBefore,
    errorAfter,
    dropBefore,
    dropAfter,
    commitLate,
    commitTwice,
    unauthorized,
    redirect,
    redirectAfter,
    garbage,
    empty,
    truncated,
    hollow,
    foreign,
    oversized,
    tokenDown,
    staleLookup,
    notUnique,
    message,
  ].map((fault) => [fault.kind, fault]),
);
