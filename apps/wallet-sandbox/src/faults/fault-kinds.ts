import { commitLate, commitTwice, errorAfter, redirectAfter } from './after-effect.js';
import { empty, foreign, garbage, gzip, hollow, otherCharset, oversized } from './answer-shape.js';
import {
  alreadyBusy,
  errorBefore,
  maintenancePage,
  redirect,
  tokenDown,
  tooMany,
  unauthorized,
} from './before-effect.js';
import { message, notUnique, staleLookup } from './changed-call.js';
import { dropAfter, dropBefore, latency, slowBody, slowHeaders, truncated } from './connection.js';
import type { FaultKind } from './fault-kind.js';
import { failedDuplicate, otherwise } from './untrue.js';

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
    maintenancePage,
    alreadyBusy,
    oversized,
    tokenDown,
    staleLookup,
    notUnique,
    message,
    otherwise,
    failedDuplicate,
    gzip,
    otherCharset,
  ].map((fault) => [fault.kind, fault]),
);
