import { classifyOutcome } from '#domain';
import type { CallFailure } from '../port/call.js';
import { callStage } from './call-stage.js';
import type { ObservedAnswer } from './observe-answer.js';

/** What a call that only reads was refused with; `null` when it succeeded. */
export function callFailure({ observation }: ObservedAnswer): CallFailure | null {
  const outcome = classifyOutcome(observation);
  const stage = callStage(observation);
  switch (outcome.kind) {
    case 'applied':
      return null;
    case 'rejected':
      return { stage, code: outcome.code, retryAfterMs: null };
    case 'not-applied':
    case 'unknown':
      return { stage, code: outcome.code, retryAfterMs: outcome.retryAfterMs };
    default:
      return outcome satisfies never;
  }
}

/** An answer that came whole and does not say what it should. */
export function answerFailure(code: string): CallFailure {
  return { stage: 'answer', code, retryAfterMs: null };
}

export const INVALID_REQUEST: CallFailure = { stage: 'request', code: 'invalid-request', retryAfterMs: null };
