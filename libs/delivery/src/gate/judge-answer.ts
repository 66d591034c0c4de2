import type { AttemptReport, LookupReport } from '#gateway';

import { sentTooLateCode } from '../broken-call.js';
import type { CallSample } from './adaptive-limit.js';

/** What one answer tells about the partner, apart from the intent it was for. */
export interface GateAnswer {
  readonly kind: 'read' | 'write';
  /**
   * `reached`: the partner did its work, whatever it said. `missed`: it did not. `cut-off`: nobody can call it at all,
   * no token is to be had. `none`: it was not called.
   */
  readonly health: 'reached' | 'missed' | 'cut-off' | 'none';
  /** A rest that the partner asked for. */
  readonly retryAfterMs: number | null;
  readonly sample: Pick<CallSample, 'operation' | 'durationMs' | 'signal'>;
}

/** How long a program rests after a 429 that names no time. */
const tooManyRestMs = 1_000;

const overloadCodes: ReadonlySet<string> = new Set([
  'too-many-requests',
  'http-429',
  'timeout',
  'http-408',
  'http-503',
  'http-504',
]);
const cutOffCodes: ReadonlySet<string> = new Set(['no-token', 'unauthorized']);
/** Lookups that failed, although the partner answered as it should: only this member's pass is in question. */
const answeredLookupCodes: ReadonlySet<string> = new Set([
  'refused',
  'duplicate',
  'no-such-pass',
  'foreign-pass',
  'not-a-pass',
  'too-many-requests',
]);

/** What an attempt's report means for the gate. */
export function judgeAttempt(operation: string, report: AttemptReport<unknown>): GateAnswer {
  const { outcome, durationMs } = report;
  const isDone = outcome.kind === 'applied' || outcome.kind === 'rejected';
  const code = isDone ? null : outcome.code;
  const retryAfterMs = isDone ? null : restAskedFor(outcome.code, outcome.retryAfterMs);
  const health = healthOf(report);
  const isTimely = health === 'reached' || (outcome.kind === 'not-applied' && outcome.answered);
  return { kind: 'write', health, retryAfterMs, sample: { operation, durationMs, signal: signalOf(code, isTimely) } };
}

/** What a lookup's report means for the gate. */
export function judgeLookup(report: LookupReport): GateAnswer {
  const { durationMs } = report.evidence;
  const sample = { operation: 'lookup', durationMs };
  if (report.kind !== 'failed') {
    return { kind: 'read', health: 'reached', retryAfterMs: null, sample: { ...sample, signal: 'ok' } };
  }
  const { code } = report;
  const isReached = answeredLookupCodes.has(code);
  const health = cutOffCodes.has(code) ? 'cut-off' : isReached ? 'reached' : 'missed';
  const retryAfterMs = restAskedFor(code, report.retryAfterMs);
  return { kind: 'read', health, retryAfterMs, sample: { ...sample, signal: signalOf(code, isReached) } };
}

/**
 * Unknown outcomes in a row (5xx, timeouts) and refusals that meet everybody open the breaker: an outage must cost a
 * few parked intents, not the backlog.
 */
function healthOf(report: AttemptReport<unknown>): GateAnswer['health'] {
  const { phase, outcome } = report;
  switch (outcome.kind) {
    case 'rejected':
      return 'reached';
    case 'applied':
      return phase === 'answered' ? 'reached' : 'missed';
    case 'unknown':
      return 'missed';
    case 'not-applied': {
      if (outcome.code === sentTooLateCode) return 'none';
      if (cutOffCodes.has(outcome.code)) return 'cut-off';
      return phase === 'answered' && !outcome.systemic ? 'reached' : 'missed';
    }
  }
}

function signalOf(code: string | null, isTimely: boolean): CallSample['signal'] {
  if (code !== null && overloadCodes.has(code)) return 'overload';
  return isTimely ? 'ok' : 'silent';
}

/** After a 429 without Retry-After a short rest of ours. */
function restAskedFor(code: string, retryAfterMs: number | null): number | null {
  return retryAfterMs ?? (code === 'too-many-requests' ? tooManyRestMs : null);
}
