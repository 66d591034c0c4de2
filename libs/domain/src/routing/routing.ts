import type { Program, SourceEvent } from '#contracts';
import { canonicalJson } from './canonical-json.js';
import { lookupKeyOf } from './lookup-key.js';
import type { JsonValue, PartnerCommand, PassReference } from './partner-command.js';
import type { IgnoredReason, QuarantineReason } from './route-reasons.js';
import type { CancelRequest, RouteResult, RoutedIntent } from './route-result.js';

/** One event on its way: what every route needs. */
export interface Routing<Event extends SourceEvent = SourceEvent> {
  readonly event: Event;
  readonly memberId: string;
  readonly program: Program;
}

export function referenceOf(routing: Routing): PassReference {
  const { brandId, programId, uniqueIdKey } = routing.program;
  const by = lookupKeyOf(routing);
  return { brandId, programId, uniqueId: routing.memberId, uniqueIdKey, ...(by !== null && { by }) };
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

function emptyIntent(event: SourceEvent, memberId: string): Omit<RoutedIntent, 'operation'> {
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

/** What must be equal when a business key comes again under a new event id: the data as sent. */
export function businessContentOf({ event }: Routing): string {
  return canonicalJson(event.sentData as JsonValue);
}

export function routed(intents: readonly RoutedIntent[], cancels: readonly CancelRequest[] = []): RouteResult {
  return { kind: 'routed', intents, cancels };
}

export function ignored(reason: IgnoredReason): RouteResult {
  return { kind: 'ignored', reason };
}

export function quarantine(reason: QuarantineReason, detail: string): RouteResult {
  return { kind: 'quarantine', reason, detail };
}
