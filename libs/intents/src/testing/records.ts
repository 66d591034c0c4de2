import type { BusinessKey, CancelRequest, PartnerCommand, PassContent, RoutedIntent } from '#intents/core';

import { recordBatch } from '../store/batch/chunk-repository.js';
import { startOffset } from '../store/batch/partition-offsets.js';
import type {
  BatchResult,
  BatchToRecord,
  PreparedRecord,
  RecordVerdict,
  SourcePartition,
} from '../store/batch/recording.js';
import { erasedName } from '../store/erasure/erased-names.js';
import type { RouteRecord } from '../store/quarantine/quarantine-settlements.js';
import type { TestStore } from './test-store.js';

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
  const facts = { storeId: 'berlin-07', purchaseId, amount: '59.99', currency: 'EUR' };
  return intentOf(memberId, command, {
    businessKey: purchaseKey(purchaseId),
    businessContent: '5999',
    facts,
    total: '59.99 EUR',
    ...change,
  });
}

function issueIntent(memberId: string, change: Partial<RoutedIntent> = {}): RoutedIntent {
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

/** The member leaves the program, and perhaps wants to be forgotten. */
export function leaving(id: string, memberId = 'a', erase = false): TestEvent {
  const event = update(id, memberId);
  const cancel = { program, memberId, target: 'everything-queued', reason: 'opted-out', ifTooLate: null } as const;
  const memberEffects = { raisesGeneration: true, erase };
  const verdict = { ...event.verdict, cancels: [cancel], memberEffects };
  return { ...event, type: 'loyalty.member.opted-out.v1', verdict };
}

/** A member lives on in another one, or, `isUndone`, does so no longer. */
export function merging(id: string, into: string, absorbed: string, isUndone = false): TestEvent {
  const { verdict, ...told } = update(id, into);
  const parked = { reason: 'merged', detail: absorbed } as const;
  const intents = verdict.intents.map((intent) => ({ ...intent, command: null, parked }));
  const merge = { into, absorbed: [absorbed], isUndone };
  const memberEffects = { raisesGeneration: false, erase: false, merge };
  const type = isUndone ? 'loyalty.member.unmerged.v1' : 'loyalty.member.merged.v1';
  return { ...told, type, verdict: { ...verdict, intents, memberEffects } };
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

const refused: RecordVerdict = { kind: 'quarantine', reason: 'unknown-program', detail: 'data.program: unknown' };

/** Sets records with these texts aside, in order, as ingest would. @returns their ids */
export async function setAside(store: TestStore, till: Till, texts: readonly string[]): Promise<number[]> {
  const from = till.offset;
  await till.recordPrepared(
    texts.map((text, index) => ({ original: originalOf(text, from + index), verdict: refused })),
  );
  const rows = await store.sql<{ id: number }>(
    'SELECT quarantine_id AS id FROM quarantine WHERE partition = $1 AND kafka_offset >= $2 ORDER BY kafka_offset',
    till.source.partition,
    from,
  );
  return rows.map(({ id }) => id);
}

/** Routes what was set aside by its text: whatever the mended programs file takes is an event, the rest is refused still. */
export function routingBy(mended: Readonly<Record<string, TestEvent>>): RouteRecord {
  return async ({ original }) => {
    const { text } = JSON.parse(Buffer.from(original.value ?? '').toString()) as { readonly text: string };
    const event = mended[text];
    const verdict = event === undefined ? refused : prepared(event, original.offset).verdict;
    const record: PreparedRecord = { original, verdict };
    return { records: [record], programsHash: Buffer.alloc(16, 2), isMapped: false };
  };
}

/** Groups of events; each is recorded as a batch of its own. */
export type Batches = readonly (readonly TestEvent[])[];

type Split = (events: readonly TestEvent[]) => Batches;

const inOne: Split = (events) => [events];
const inOneEach: Split = (events) => events.map((event) => [event]);

/** How the same events may come, by name: for `describe.each`. */
export const waysToBatch: readonly (readonly [name: string, split: Split])[] = [
  ['in one batch', inOne],
  ['in a batch each', inOneEach],
];

/** An event, and when it happened, epoch ms. */
export type TimedEvent = readonly [event: TestEvent, at: number];

let partitions = 0;

let members = 0;

/** The id of a member whom no other spec of its file has. */
export function newMember(): string {
  members += 1;
  return `m${members}`;
}

/** A partition of its own, read from offset 0: records its events in order. */
export class Till {
  readonly source: SourcePartition;
  private nextOffset = 0;
  private isStarted = false;

  constructor(private readonly store: TestStore) {
    partitions += 1;
    this.source = { clusterId: 'c1', topic: 'loyalty.purchases', incarnation: 1, partition: partitions };
  }

  /** Of the next record. */
  get offset(): number {
    return this.nextOffset;
  }

  /** A member whom no other spec of its file has, with so many purchases: `m1-p1`, `m1-p2`. @returns the member's id */
  async withPurchases(count = 1): Promise<string> {
    const member = newMember();
    await this.record(...Array.from({ length: count }, (_, index) => purchase(`${member}-p${index + 1}`, member)));
    return member;
  }

  /** Records these events as one batch. */
  async record(...events: readonly TestEvent[]): Promise<BatchResult> {
    return this.recordAt(now, ...events);
  }

  /** Records these events as one batch; what became of each: `recorded`, or the reason why not. */
  async recordOutcomes(...events: readonly TestEvent[]): Promise<string[]> {
    const { results } = await this.record(...events);
    return results.map((result) => ('reason' in result ? result.reason : result.kind));
  }

  /** As `tell`, each group as a batch of its own. */
  async recordInBatches(...batches: Batches): Promise<string[]> {
    const outcomes: string[] = [];
    for (const events of batches) outcomes.push(...(await this.recordOutcomes(...events)));
    return outcomes;
  }

  async recordAt(at: number, ...events: readonly TestEvent[]): Promise<BatchResult> {
    const from = this.nextOffset;
    return this.recordPrepared(
      events.map((event, index) => prepared(event, from + index)),
      at,
    );
  }

  /** Records these events as one batch, each as of its time, epoch ms. @returns as `recordOutcomes` */
  async tell(...events: readonly TimedEvent[]): Promise<string[]> {
    const from = this.nextOffset;
    const records = events.map(([event, at], index) => {
      const { original, verdict } = prepared(event, from + index);
      if (verdict.kind !== 'routed') throw new Error('an event is routed');
      const isOrdered = event.type.startsWith('loyalty.member');
      const profilePosition = isOrdered ? { sequence: null, timeMs: at } : null;
      return { original: { ...original, brokerAt: at }, verdict: { ...verdict, occurredAt: at, profilePosition } };
    });
    const { results } = await this.recordPrepared(records);
    return results.map((result) => ('reason' in result ? result.reason : result.kind));
  }

  async recordPrepared(records: readonly PreparedRecord[], at: number = now): Promise<BatchResult> {
    if (!this.isStarted) await startOffset(this.store.database, this.source, 0);
    this.isStarted = true;
    const batch = batchOf(records, { source: this.source, now: at });
    this.nextOffset = batch.nextOffset;
    return recordBatch(this.store.database, batch, this.store.keys);
  }
}

/** A lane's row as the database has it. */
export interface LaneRow {
  readonly lane_id: number;
  readonly due_at: number | null;
  readonly epoch: number;
  readonly revision: number;
  readonly version: number;
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly attempt: number;
  readonly attempt_open: boolean;
  readonly redo: number[];
  readonly ahead: number[];
  readonly issue_seq: number | null;
  readonly pass: string;
  readonly state: string;
  readonly owner: string | null;
}

/** What the member's row may bear. */
export const namesOfRow = (store: Pick<TestStore, 'keys'>, memberId: string): string[] => [
  memberId,
  erasedName(store.keys.mac, memberId),
];

export async function laneOf(store: TestStore, memberId: string): Promise<LaneRow> {
  const rows = await store.sql<LaneRow>(
    'SELECT l.* FROM lane l JOIN member m USING (lane_id) WHERE m.member_id = ANY ($1::text[])',
    namesOfRow(store, memberId),
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`no lane of ${memberId}`);
  return row;
}

/** `seq type` of everything that happened in a lane, in version order; throws where versions are not dense from 1. */
export async function historyOf(store: TestStore, memberId: string): Promise<string[]> {
  const { lane_id: laneId, version } = await laneOf(store, memberId);
  const rows = await store.sql<{ version: number; seq: number; type: string }>(
    `SELECT version, seq, 'IntentRecorded' AS type FROM intent WHERE lane_id = $1
     UNION ALL SELECT version, seq, type FROM intent_history WHERE lane_id = $1 ORDER BY version`,
    laneId,
  );
  const isDense = rows.length === version && rows.every((row, index) => row.version === index + 1);
  if (!isDense) throw new Error(`versions are not dense: ${JSON.stringify({ version, rows })}`);
  return rows.map(({ seq, type }) => `${seq} ${type}`);
}
