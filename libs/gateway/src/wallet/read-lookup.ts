import { walletPassSchema } from '#contracts';
import { classifyOutcome } from '#domain';
import type { CompiledDialect } from '../dialect/compile-dialect.js';
import { isJsonObject } from '../json/read-body.js';
import type { LookupEvidence, LookupReport, PassLookup } from '../partner.js';
import type { CallTrace } from './authorized-client.js';
import { observeAnswer, type ObservedAnswer } from './observe-answer.js';
import { passOwnership } from './pass-ownership.js';
import { readShape } from './read-shape.js';

export interface LookupAnswer {
  readonly lookup: PassLookup;
  readonly trace: CallTrace;
  readonly compiled: CompiledDialect;
  readonly evidence: LookupEvidence;
}

/** Found, absent or failed (partner-api.md 4.1; the dialect says which refusals mean "absent"). */
export function readLookup(answer: LookupAnswer): LookupReport {
  const { trace, compiled, evidence } = answer;
  const observed = observeAnswer(trace, compiled, null);
  if (isAbsent(observed, compiled)) return { kind: 'absent', evidence };
  const outcome = classifyOutcome(observed.observation);
  switch (outcome.kind) {
    case 'applied':
      return readFound(answer, observed.body?.json);
    case 'rejected':
      return { kind: 'failed', code: outcome.code, retryAfterMs: null, evidence };
    case 'not-applied':
    case 'unknown':
      return { kind: 'failed', code: outcome.code, retryAfterMs: outcome.retryAfterMs, evidence };
    default:
      return outcome satisfies never;
  }
}

function isAbsent({ observation }: ObservedAnswer, compiled: CompiledDialect): boolean {
  const { phase, status, message } = observation;
  if (phase !== 'answered' || status === null || message === null) return false;
  return compiled.absentStatuses.has(status) && compiled.absentPattern.test(message);
}

function readFound({ lookup, compiled, evidence }: LookupAnswer, json: unknown): LookupReport {
  const failed = (code: string): LookupReport => ({ kind: 'failed', code, retryAfterMs: null, evidence });
  if (!isJsonObject(json) || (!hasValue(json['passId']) && !hasValue(json['serialNumber']))) {
    return failed('not-a-pass');
  }
  const ownership = passOwnership(json, lookup);
  const isTrusted = ownership === 'unsaid' && compiled.dialect.lookup.trustWithoutMetaData;
  if (ownership !== 'ours' && !isTrusted) return failed('foreign-pass');
  const { value, alarms } = readShape(walletPassSchema, json);
  return { kind: 'found', pass: value, shapeAlarms: alarms, evidence };
}

function hasValue(id: unknown): boolean {
  return id !== undefined && id !== null && id !== '';
}
