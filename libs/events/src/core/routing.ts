import type { Program } from '#contracts';
import type { CancelRequest, PartnerCommand, PassReference, RoutedIntent } from '#intents/core';
import { emailKeyOf } from '#intents/core';

import type { Authority } from './authority.js';
import type { EventOf } from './source-event.js';

/** One event on its way: what every route needs. */
export interface Routing<Event extends EventOf = EventOf> {
  readonly event: Event;
  readonly memberId: string;
  readonly program: Program;
  /** A person has it taken in: what an event may not do by its own word alone is theirs. */
  readonly isByPerson?: true;
  /** What it came by; absent or null: nothing that is bound to anything. */
  readonly authority?: Authority | null;
}

/** What a cancel request says of what is recorded where it comes too late. */
export function lateAs(
  { program }: Routing,
  ifTooLate: RoutedIntent | null,
): Pick<CancelRequest, 'ifTooLate' | 'isByEmail'> {
  return { ifTooLate, ...(program.lookup.by === 'email' && { isByEmail: true }) };
}

/**
 * How the member's pass is looked up where the program's `lookup.by` is not unique_id. By email: an enrolment tells it,
 * and where members are known by their email it is the member id; an update's email is not the pass's yet. A person id
 * is the partner's, no event tells it. What is not known leaves unique_id, which the partner recommends
 * (partner-api.md 4.1).
 */
export function referenceOf({ program, memberId }: Routing, enrolledEmail?: string | null): PassReference {
  const { brandId, programId, uniqueIdKey } = program;
  const by = program.lookup.by === 'email' ? emailKeyOf([enrolledEmail, memberId]) : null;
  return { brandId, programId, uniqueId: memberId, uniqueIdKey, ...(by !== null && { by }) };
}

/** An intent that makes one call. What it does not say is absent. */
export function intentOf(
  { event, memberId }: Routing,
  command: PartnerCommand,
  more: Partial<RoutedIntent> = {},
): RoutedIntent {
  return { ...emptyIntent(event, memberId), operation: command.operation, command, ...more };
}

/** An intent that is born parked: no call, a person must look. */
export function parkedIntentOf(
  { event, memberId }: Routing,
  parked: NonNullable<RoutedIntent['parked']>,
  more: Pick<RoutedIntent, 'operation'> & Partial<RoutedIntent>,
): RoutedIntent {
  return { ...emptyIntent(event, memberId), parked, ...more };
}

function emptyIntent(event: EventOf, memberId: string): Omit<RoutedIntent, 'operation'> {
  return {
    program: event.data.program,
    memberId,
    command: null,
    businessKey: null,
    businessContent: null,
    waitsFor: null,
    parked: null,
    facts: {},
  };
}
