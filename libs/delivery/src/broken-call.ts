import type { AttemptReport, LookupReport } from '#gateway';

const request = { method: '', path: '', body: null };

/** A defect of ours during a send: nothing is known about what the partner saw. */
export const brokenAttempt: AttemptReport<unknown> = {
  outcome: { kind: 'unknown', code: 'gateway-defect', retryAfterMs: null },
  phase: 'sent',
  durationMs: 0,
  request,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** A defect of ours during a lookup: it told us nothing. */
export const brokenLookup: LookupReport = {
  kind: 'failed',
  code: 'gateway-defect',
  retryAfterMs: null,
  evidence: { request, response: null, durationMs: 0 },
};
