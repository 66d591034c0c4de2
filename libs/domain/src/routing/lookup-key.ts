import type { Program, SourceEvent } from '#contracts';
import type { LookupKey } from './partner-command.js';

/** Whose pass is looked up, and what an event tells of them. */
export interface LookupSubject {
  readonly program: Program;
  readonly memberId: string;
  readonly event: SourceEvent;
}

/**
 * How the member's pass is looked up where the program's `lookup.by` is not unique_id. By email: an enrolment tells it,
 * and where members are known by their email it is the member id; an update's email is not the pass's yet. A person id
 * is the partner's, no event tells it. What is not known leaves unique_id, which the partner recommends
 * (partner-api.md 4.1).
 */
export function lookupKeyOf({ program, memberId, event }: LookupSubject): LookupKey | null {
  if (program.lookup.by !== 'email') return null;
  const told = event.name === 'loyalty.member.enrolled.v1' ? event.data.person?.email : null;
  const email = [told, memberId].find((text) => text?.includes('@'));
  return email ? { parameter: 'email', value: email } : null;
}
