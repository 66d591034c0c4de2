import type { BusinessKey, CancelRequest, PartnerCommand, PassContent, RoutedIntent } from '#domain';

import type { BatchToRecord, PreparedRecord, RecordVerdict, SourcePartition } from '../batch/batch-to-record.js';

/** Where the clock of the specs stands, epoch ms. */
export const now = Date.parse('2026-11-21T09:00:00.000Z');
export const program = 'coffee-club';
/** A value that must never be found in the clear. */
export const personal = 'Ada-Lovelace-4711';

type Routed = Extract<RecordVerdict, { kind: 'routed' }>;

/** One source event, before it has an offset. */
export interface TestEvent {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly verdict: Omit<Routed, 'kind' | 'eventType' | 'occurredAt' | 'eventKeyText' | 'eventContentText'>;
}

function intentOf(memberId: string, command: PartnerCommand, rest: Partial<RoutedIntent>): RoutedIntent {
  return {
    program,
    memberId,
    operation: command.operation,
    command,
    businessKey: null,
    businessContent: null,
    waitsFor: null,
    parked: null,
    facts: {},
    ...rest,
  };
}

function passOf(uniqueId: string): { brandId: string; programId: string; uniqueId: string; uniqueIdKey: string } {
  return { brandId: '101', programId: '2001', uniqueId, uniqueIdKey: 'memberId' };
}

export function purchaseKey(purchaseId: string): BusinessKey {
  return { scope: 'purchase', parts: [purchaseId], perGeneration: false };
}

export function transactionIntent(
  memberId: string,
  purchaseId: string,
  change: Partial<RoutedIntent> = {},
): RoutedIntent {
  const command: PartnerCommand = {
    ...passOf(memberId),
    operation: 'transaction',
    transactionTypeId: '31',
    amount: '59.99',
    transactionDate: '2026-11-21T08:00:00.000Z',
    attributes: { receipt: purchaseId },
  };
  const facts = { storeId: 'berlin-07', purchaseId, amountMinor: 5999, currency: 'EUR' };
  return intentOf(memberId, command, {
    businessKey: purchaseKey(purchaseId),
    businessContent: '5999',
    facts,
    ...change,
  });
}

export function issueIntent(memberId: string, change: Partial<RoutedIntent> = {}): RoutedIntent {
  const command: PartnerCommand = {
    ...passOf(memberId),
    operation: 'issue',
    content: { person: { firstName: personal } },
  };
  const businessKey: BusinessKey = { scope: 'enrolment', parts: [memberId], perGeneration: true };
  return intentOf(memberId, command, { businessKey, businessContent: personal, ...change });
}

export function updateIntent(memberId: string, content: PassContent = { tierId: 2 }): RoutedIntent {
  const command: PartnerCommand = {
    ...passOf(memberId),
    operation: 'update-via-workflow',
    workflowId: '78',
    content,
  };
  return intentOf(memberId, command, {});
}

function event(id: string, type: string, verdict: Partial<TestEvent['verdict']>): TestEvent {
  return {
    id,
    type,
    content: id,
    verdict: {
      eventSource: '/till',
      ...{ intents: [], cancels: [], memberEffects: null, enrolmentAsUpdate: null, profilePosition: null },
      ...verdict,
    },
  };
}

export function purchase(id: string, memberId: string, purchaseId = id): TestEvent {
  return event(id, 'loyalty.purchase.completed.v1', { intents: [transactionIntent(memberId, purchaseId)] });
}

export function enrolment(id: string, memberId: string, firstName = personal): TestEvent {
  const intent = issueIntent(memberId, { businessContent: firstName });
  const content = { person: { firstName } };
  const changed = { ...intent, command: { ...intent.command, content } as PartnerCommand };
  return event(id, 'loyalty.member.enrolled.v1', { intents: [changed], enrolmentAsUpdate: updateIntent(memberId) });
}

export function update(id: string, memberId: string, tierId = 2): TestEvent {
  return event(id, 'loyalty.member.updated.v1', { intents: [updateIntent(memberId, { tierId })] });
}

export function cancelling(id: string, memberId: string, target: CancelRequest['target']): TestEvent {
  const cancel: CancelRequest = { program, memberId, target, reason: 'voided', ifTooLate: null };
  return event(id, 'loyalty.purchase.voided.v1', { cancels: [cancel] });
}

/** The event as it comes out of decoding and routing. */
export function prepared(source: TestEvent, offset: number): PreparedRecord {
  return {
    original: originalOf(source.content, offset),
    verdict: {
      kind: 'routed',
      eventType: source.type,
      occurredAt: now - 60_000,
      eventKeyText: JSON.stringify(['event', '/till', source.id]),
      eventContentText: source.content,
      ...source.verdict,
    },
  };
}

export function originalOf(text: string, offset: number): PreparedRecord['original'] {
  const value = Buffer.from(JSON.stringify({ text, personal }));
  return { offset, brokerAt: now - 30_000, key: Buffer.from('m'), value, headersText: '{"x":"y"}' };
}

export const source: SourcePartition = { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition: 0 };

/** A batch of these records; offsets must be in order. */
export function batchOf(records: readonly PreparedRecord[], change: Partial<BatchToRecord> = {}): BatchToRecord {
  const nextOffset = (records.at(-1)?.original.offset ?? -1) + 1;
  const fromOffset = 0;
  return { source, records, fromOffset, nextOffset, now, programsHash: Buffer.alloc(16, 1), ...change };
}
