import type { JsonObject, PartnerCommand, RoutedIntent } from '#intents/core';
import type { PreparedRecord, RecordVerdict } from '#intents';

/** When everything of the specs was recorded, epoch ms. */
export const recordedAt = Date.parse('2026-11-21T09:00:00.000Z');
export const program = 'coffee-club';

/** A value that must never be found where it does not belong. */
export function personalOf(memberId: string): string {
  return `Ada-Lovelace-of-${memberId}`;
}

type Routed = Extract<RecordVerdict, { readonly kind: 'routed' }>;
type Original = PreparedRecord['original'];

/** A record without its offset. */
export type Sample = Omit<PreparedRecord, 'original'> & { readonly original: Omit<Original, 'offset'> };

function originalOf(memberId: string, data: object): Sample['original'] {
  const event = { specversion: '1.0', data: { program, memberId, ...data } };
  const value = Buffer.from(JSON.stringify(event));
  return { brokerAt: recordedAt - 1_000, key: Buffer.from(memberId), value, headersText: '{}' };
}

function intentOf(memberId: string, command: PartnerCommand, facts: RoutedIntent['facts']): RoutedIntent {
  const { operation } = command;
  const nothing = { businessKey: null, businessContent: null, waitsFor: null, parked: null };
  return { program, memberId, operation, command, ...nothing, facts };
}

function routed(id: string, eventType: string, intent: RoutedIntent): Routed {
  return {
    kind: 'routed',
    ...{ eventType, eventSource: '/till', occurredAt: recordedAt - 2_000, eventKeyText: id, eventContentText: id },
    ...{ intents: [intent], cancels: [], memberEffects: null, enrolmentAsUpdate: null, profilePosition: null },
  };
}

function passOf(uniqueId: string): { brandId: string; programId: string; uniqueId: string; uniqueIdKey: string } {
  return { brandId: '101', programId: '2001', uniqueId, uniqueIdKey: 'memberId' };
}

export function enrolment(id: string, memberId: string): Sample {
  const person = { firstName: personalOf(memberId) };
  const command: PartnerCommand = { ...passOf(memberId), operation: 'issue', content: { person } };
  const verdict = routed(id, 'loyalty.member.enrolled.v1', intentOf(memberId, command, {}));
  return { original: originalOf(memberId, { person }), verdict };
}

export function purchase(id: string, memberId: string, amount = '59.99', attributes: JsonObject = {}): Sample {
  const command: PartnerCommand = {
    ...passOf(memberId),
    operation: 'transaction',
    transactionTypeId: '31',
    amount,
    transactionDate: '2026-11-21T08:00:00.000Z',
    attributes: { receipt: id, ...attributes },
  };
  const facts = { storeId: 'berlin-07', purchaseId: id, amount, currency: 'EUR' };
  const verdict = routed(id, 'loyalty.purchase.completed.v1', intentOf(memberId, command, facts));
  const nickname = personalOf(memberId);
  return { original: originalOf(memberId, { purchaseId: id, nickname }), verdict };
}

/** A grant that is good until then, RFC 3339. */
export function reward(id: string, memberId: string, validUntil: string): Sample {
  const command: PartnerCommand = { ...passOf(memberId), operation: 'reward', rewardId: '9001', validUntil };
  const verdict = routed(id, 'loyalty.reward.granted.v1', intentOf(memberId, command, { validUntil }));
  return { original: originalOf(memberId, { grantId: id }), verdict };
}

/** A record that cannot become an intent, about this member, with something personal in it. */
export function broken(memberId: string, change: Partial<Original> = {}): Sample {
  const original = originalOf(memberId, { person: { email: personalOf(memberId) } });
  return {
    original: { ...original, headersText: JSON.stringify({ note: personalOf(memberId) }), ...change },
    verdict: { kind: 'quarantine', reason: 'invalid', detail: 'data.person.email: not an address' },
  };
}
