import type { RequestEvidence } from '../port/call.js';
import { INVALID_REQUEST } from './observe-answer.js';

/** Nothing was sent. */
export const NO_REQUEST: RequestEvidence = { method: '', path: '', body: null };

/** The report of a call that only reads, of whose input no request can be made. */
export const REFUSED_INPUT = {
  kind: 'failed',
  ...INVALID_REQUEST,
  evidence: { request: NO_REQUEST, response: null, durationMs: 0 },
} as const;
