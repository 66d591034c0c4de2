import type { Answer } from '../api/api-types.js';
import type { Attempt, Intent } from './intent-words.js';

/** One intent of a member with everything personal in it. */
export type Unmasked = Answer<'/members/{program}/{memberId}/unmask', 'post'>['intents'][number];

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** The same story with what an admin has asked to see. What came since then stays masked. */
export function withUnmasked(intent: Intent, unmasked: Unmasked | null): Intent {
  if (unmasked === null) return intent;
  const evidenceOf = new Map(unmasked.events.map(({ version, evidence }) => [version, evidence]));
  const events = intent.events.map((event) => ({
    ...event,
    evidence: evidenceOf.get(event.version) ?? event.evidence,
  }));
  const attempts = intent.attempts.map((attempt): Attempt => {
    const ending = events.findLast((event) => event.attempt === attempt.attempt && event.type === attempt.outcome);
    const { request = attempt.request, response = attempt.response } = membersOf(ending?.evidence);
    return { ...attempt, request, response };
  });
  const { command, sourceRecord } = unmasked;
  return { ...intent, command, sourceRecord: sourceRecord ?? intent.sourceRecord, events, attempts };
}
