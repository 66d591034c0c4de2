import type { AttemptReport, LookupReport } from '#gateway';

const request = { method: '', path: '', body: null };

/** A defect of ours during a send: nothing is known about what the partner saw. */
export const brokenAttempt: AttemptReport<unknown> = {
  outcome: { kind: 'unknown', code: 'gateway-defect', retryAfterMs: null },
  stage: 'exchange',
  phase: 'sent',
  durationMs: 0,
  request,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** Code of an attempt that was begun but, for lack of time under its lease, never handed over. */
export const sentTooLateCode = 'send-window-missed';

/** Nothing was sent, so nothing can have happened. */
export const sentTooLate: AttemptReport<unknown> = {
  outcome: { kind: 'not-applied', code: sentTooLateCode, answered: false, systemic: false, retryAfterMs: null },
  stage: 'request',
  phase: 'not-sent',
  durationMs: 0,
  request,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** A defect of ours during a lookup: it told us nothing. */
export const brokenLookup: Extract<LookupReport, { kind: 'failed' }> = {
  kind: 'failed',
  stage: 'exchange',
  code: 'gateway-defect',
  retryAfterMs: null,
  evidence: { request, response: null, durationMs: 0 },
};
