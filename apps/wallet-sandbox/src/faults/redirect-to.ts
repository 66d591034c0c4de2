import { type Answer, jsonAnswer } from '../http/answer.js';
import type { FaultSettings } from './fault-kind.js';

export const redirectStatuses = [300, 399] as const;

/** Never resolves (RFC 6761), so that a caller who follows takes its token nowhere. */
const elsewhere = 'https://elsewhere.invalid/brands';

export function redirectTo({ status = 302, location = elsewhere }: FaultSettings): Answer {
  return jsonAnswer(status, { message: 'Moved' }, { location });
}
