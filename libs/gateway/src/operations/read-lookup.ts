import type { CompiledDialect } from '../dialect/dialect-registry.js';
import { isJsonObject } from '../json/read-body.js';
import type { CallEvidence, CallFailure } from '../port/call.js';
import type { LookupReport, PassLookup } from '../port/pass-operations.js';
import type { CallTrace } from '../wallet/authorized-client.js';
import { answerFailure, callFailure } from '../wallet/call-failure.js';
import { observeAnswer, type ObservedAnswer, plainReading } from '../wallet/observe-answer.js';
import { namesPass } from './answer-proof.js';
import { passOwnership } from './pass-ownership.js';
import { pickMatch, severalMatches } from './pick-match.js';
import { readPass } from './read-pass.js';

export interface LookupAnswer {
  readonly lookup: PassLookup;
  readonly trace: CallTrace;
  readonly compiled: CompiledDialect;
  readonly evidence: CallEvidence;
}

/** Found, absent or failed (partner-api.md 4.1; the dialect says which refusals mean "absent"). */
export function readLookup(answer: LookupAnswer): LookupReport {
  const { trace, compiled, evidence } = answer;
  const observed = observeAnswer(trace, plainReading(compiled));
  if (isAbsent(observed, compiled)) return { kind: 'absent', evidence };
  const several = matchesOf(observed);
  if (several !== null) return readMatches(answer, several);
  const failure = callFailure(observed);
  return failure === null ? readFound(answer, observed.body?.json) : failed(answer, failure);
}

function isAbsent({ observation }: ObservedAnswer, compiled: CompiledDialect): boolean {
  const { phase, status, message } = observation;
  if (phase !== 'answered' || status === null || message === null) return false;
  return compiled.absentStatuses.has(status) && compiled.absentPattern.test(message);
}

function matchesOf({ observation, body }: ObservedAnswer): readonly unknown[] | null {
  return observation.phase === 'answered' && observation.facts.isSuccessStatus ? severalMatches(body?.json) : null;
}

function readMatches(answer: LookupAnswer, matches: readonly unknown[]): LookupReport {
  const picked = pickMatch(matches, answer.lookup, answer.compiled.dialect);
  if (picked.kind === 'picked') return readFound(answer, picked.pass);
  if (picked.kind === 'absent') return { kind: 'absent', evidence: answer.evidence };
  return failed(answer, answerFailure(picked.code));
}

function readFound(answer: LookupAnswer, json: unknown): LookupReport {
  const { lookup, compiled, evidence } = answer;
  if (!isJsonObject(json) || !namesPass(json)) {
    return failed(answer, answerFailure('not-a-pass'));
  }
  const ownership = passOwnership(json, lookup);
  const isTrusted = ownership === 'unsaid' && compiled.dialect.lookup.trustWithoutMetaData;
  if (ownership !== 'ours' && !isTrusted) return failed(answer, answerFailure('foreign-pass'));
  const { value, alarms } = readPass(json, compiled.dialect);
  return { kind: 'found', pass: value, shapeAlarms: alarms, evidence };
}

function failed({ evidence }: LookupAnswer, failure: CallFailure): LookupReport {
  return { kind: 'failed', ...failure, evidence };
}
