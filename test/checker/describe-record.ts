import type { ProgramsFile } from '#contracts';
import type { BusinessKey, RouteResult } from '#intents/core';
import { businessKeyText, keyedIntent } from '#intents/core';
import { decodeSourceRecord, routeSourceEvent } from '#events';
import { eventKeyText } from '#events/core';
import { digest } from '#platform';

import type { LogRecord } from './history.js';

/** What a record of a topic says, without where it lies. */
type RecordDescription = Pick<
  LogRecord,
  | 'program'
  | 'memberId'
  | 'eventKey'
  | 'businessKey'
  | 'owes'
  | 'enrolledAt'
  | 'erasedAt'
  | 'absorbs'
  | 'aliasKey'
  | 'nobodysReceipt'
  | 'ofReceipt'
>;

interface RawRecord {
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, Uint8Array | string | (Uint8Array | string)[] | undefined>> | undefined;
  /** When it was written, epoch ms. */
  readonly at: number;
}

const saysNothing = { program: null, memberId: null, eventKey: null, businessKey: null } as const;

/**
 * What a record must become, as the product's own decoding and routing read it: whether these are right is not for the
 * checker to see. Business keys are those of a member's first generation.
 */
export function describeRecord({ value, headers, at }: RawRecord, programs: ProgramsFile): RecordDescription {
  const decoded = decodeSourceRecord({ value, headers, now: at });
  if (decoded.kind === 'tombstone') return { ...saysNothing, owes: 'nothing' };
  if (decoded.kind === 'quarantine') return { ...saysNothing, owes: 'quarantine' };
  const { event } = decoded;
  const { program, memberId } = event.data;
  const route = routeSourceEvent(event, programs);
  return {
    program,
    // What is taken back is whose the receipt says.
    memberId: isOfReceipt(event) ? null : (memberId ?? null),
    eventKey: digest(eventKeyText(event)).toString('hex'),
    businessKey: businessKeyOf(route, program),
    ...aliasOf(route, program),
    owes: owedBy(route, mayBeNothing(event)),
    ...absorbedBy(route),
    ...receiptOf(route, program),
    ...(event.name === 'loyalty.member.enrolled.v1' ? { enrolledAt: Math.min(event.timeMs, at) } : {}),
    ...(route.kind === 'routed' && route.memberEffects?.erase === true ? { erasedAt: event.timeMs } : {}),
  };
}

function absorbedBy(route: RouteResult): Pick<LogRecord, 'absorbs'> {
  const merge = route.kind === 'routed' ? route.memberEffects?.merge : undefined;
  return merge === undefined ? {} : { absorbs: merge.absorbed };
}

type Event = Extract<ReturnType<typeof decodeSourceRecord>, { kind: 'event' }>['event'];

const isOfReceipt = ({ name }: Event): boolean =>
  name === 'loyalty.purchase.refunded.v1' || name === 'loyalty.purchase.corrected.v1';

const mayBeNothing = (event: Event): boolean =>
  event.name === 'loyalty.member.updated.v1' || (isOfReceipt(event) && !event.data.memberId);

function businessKeyOf(route: RouteResult, program: string): string | null {
  const key = route.kind === 'routed' ? (keyedIntent(route)?.businessKey ?? null) : null;
  return key === null ? null : digestOf(program, key);
}

function aliasOf(route: RouteResult, program: string): Pick<LogRecord, 'aliasKey'> {
  const alias = route.kind === 'routed' ? keyedIntent(route)?.alias : undefined;
  return alias === undefined ? {} : { aliasKey: digestOf(program, alias.key) };
}

function digestOf(program: string, key: BusinessKey): string {
  return digest(businessKeyText({ program, key, generation: 1 })).toString('hex');
}

function receiptOf(route: RouteResult, program: string): Pick<LogRecord, 'nobodysReceipt' | 'ofReceipt'> {
  if (route.kind === 'ignored') return route.receipt ? { nobodysReceipt: digestOf(program, route.receipt.key) } : {};
  const of = route.kind === 'routed' ? route.intents[0]?.ofReceipt : undefined;
  return of ? { ofReceipt: digestOf(program, of.key) } : {};
}

function owedBy(route: RouteResult, isOptional: boolean): LogRecord['owes'] {
  if (route.kind === 'quarantine') return 'quarantine';
  return route.kind === 'routed' && route.intents.length > 0 && !isOptional ? 'intent' : 'anything';
}
