import type { AttemptReport, CallStage, LookupReport } from '#gateway';

import type { CallSample } from './adaptive-limit.js';

/** What one answer shows about the partner's health, whatever intent it was for. */
export interface GateAnswer {
  readonly kind: 'read' | 'write';
  /**
   * `reached`: the partner did its work, whatever it said. `refused`: it is up, but refuses this kind of call to
   * all members. `missed`: it did not do its work. `cut-off`: it cannot be called at all, for want of a token. `none`: it
   * was not called.
   */
  readonly health: 'reached' | 'refused' | 'missed' | 'cut-off' | 'none';
  /** Which reward the call was for; null or absent: it was another call. */
  readonly reward?: string | null;
  /** How long the partner asked for no calls. */
  readonly retryAfterMs: number | null;
  readonly sample: Pick<CallSample, 'operation' | 'durationMs' | 'signal'>;
}

/** How long a program pauses its calls after a 429 that names no longer time. */
const tooManyCooldownMs = 1_000;

const overloadCodes: ReadonlySet<string> = new Set([
  'too-many-requests',
  'http-429',
  'timeout',
  'http-408',
  'http-503',
  'http-504',
]);

/** What an attempt's report means for the gate. */
export function judgeAttempt(
  { operation, reward = null }: { readonly operation: string; readonly reward?: string | null },
  report: AttemptReport<unknown>,
): GateAnswer {
  const { outcome, durationMs } = report;
  const isDone = outcome.kind === 'applied' || outcome.kind === 'rejected';
  const code = isDone ? null : outcome.code;
  const retryAfterMs = isDone ? null : cooldownAskedFor(outcome.code, outcome.retryAfterMs);
  const health = healthOf(report);
  const isTimely = report.stage === 'answer' && outcome.kind !== 'unknown' && health !== 'missed';
  const sample = { operation, durationMs, signal: signalOf(code, isTimely) };
  return { kind: 'write', health, reward, retryAfterMs, sample };
}

/** What a lookup's report means for the gate. */
export function judgeLookup(report: LookupReport): GateAnswer {
  const { durationMs } = report.evidence;
  const sample = { operation: 'lookup', durationMs };
  if (report.kind !== 'failed') {
    return { kind: 'read', health: 'reached', retryAfterMs: null, sample: { ...sample, signal: 'ok' } };
  }
  const { stage, code } = report;
  const health = healthAt(stage) ?? lookupHealth(code);
  const retryAfterMs = cooldownAskedFor(code, report.retryAfterMs);
  return { kind: 'read', health, retryAfterMs, sample: { ...sample, signal: signalOf(code, health === 'reached') } };
}

/** Codes without a status say that the partner answered as it should: only this member's pass is in question. */
function lookupHealth(code: string): GateAnswer['health'] {
  if (!code.startsWith('http-')) return 'reached';
  return code.startsWith('http-4') ? 'refused' : 'missed';
}

/**
 * Unknown outcomes in a row (timeouts, 5xx), 5xx that prove that nothing was done, and refusals that meet everybody open
 * the breaker: an outage must cost a few parked intents, not the backlog.
 */
function healthOf({ stage, outcome }: AttemptReport<unknown>): GateAnswer['health'] {
  const early = healthAt(stage);
  if (early !== null) return early;
  switch (outcome.kind) {
    case 'applied':
    case 'rejected':
      return 'reached';
    case 'unknown':
      return isAnswered(outcome.code) ? 'reached' : 'missed';
    case 'not-applied':
      if (outcome.systemic) return 'refused';
      return outcome.code.startsWith('http-5') ? 'missed' : 'reached';
  }
}

/**
 * The partner answered in its own words, only not with the proof: that is no outage. One operation of it that answers
 * nonsense pauses by itself, and must not stop all the others.
 */
function isAnswered(code: string): boolean {
  return code === 'foreign-pass' || code === 'answered-otherwise' || code.startsWith('unproven-');
}

/** What it says that a call ended at this stage; null: it was answered, and the answer says it. */
function healthAt(stage: CallStage): GateAnswer['health'] | null {
  switch (stage) {
    case 'request':
      return 'none';
    case 'token':
      return 'cut-off';
    case 'connection':
    case 'exchange':
      return 'missed';
    case 'answer':
      return null;
  }
}

function signalOf(code: string | null, isTimely: boolean): CallSample['signal'] {
  if (code !== null && overloadCodes.has(code)) return 'overload';
  return isTimely ? 'ok' : 'silent';
}

/** After a 429 a short cooldown of ours at least, whatever Retry-After says. */
function cooldownAskedFor(code: string, retryAfterMs: number | null): number | null {
  return code === 'too-many-requests' ? Math.max(tooManyCooldownMs, retryAfterMs ?? 0) : retryAfterMs;
}
