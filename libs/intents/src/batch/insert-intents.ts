import type { RoutedIntent } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { sealPayload, sourceEventText } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/locked-lane.js';
import type { PreparedRecord, RecordingContext } from './batch-to-record.js';
import { BatchRaceError } from './recording-transaction.js';

const insertStatement: SqlStatement = {
  name: 'insert_intents',
  text: `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, waits_for_seq, payload, store_id, purchase_id,
  amount_minor, currency, event_type, source, occurred_at, broker_at, kafka_offset, recorded_at, topic, partition,
  programs_hash)
SELECT w.lane_id, seq, version, operation, dedup_key, waits_for_seq, payload, store_id, purchase_id, amount_minor,
  currency, event_type, source, occurred_at, broker_at, kafka_offset, $16::timestamptz, $17, $18, $19
FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::bytea[], $6::int[], $7::bytea[], $8::text[], $9::text[],
  $10::bigint[], $11::text[], $12::text[], $13::timestamptz[], $14::timestamptz[], $15::bigint[], $20::int[],
  $21::text[])
  WITH ORDINALITY AS w (lane_id, seq, version, operation, dedup_key, waits_for_seq, payload, store_id, purchase_id,
    amount_minor, currency, event_type, occurred_at, broker_at, kafka_offset, erased_seq, source, place)
JOIN member m ON m.lane_id = w.lane_id AND m.erased_seq = w.erased_seq
JOIN member_key k ON k.lane_id = w.lane_id
ORDER BY w.place`,
};

/** A routed intent with the place it was given. */
export interface PlacedIntent {
  readonly laneId: number;
  readonly seq: number;
  readonly version: number;
  readonly dedupKey: Uint8Array;
  readonly waitsForSeq: number | null;
  /** Seals the payload; still the member's where `erasedSeq` is. */
  readonly key: Uint8Array;
  readonly erasedSeq: number;
  readonly intent: RoutedIntent;
  readonly record: PreparedRecord;
}

/** The order to erase a person must not be what keeps something of that person. */
function sourceText({ original, verdict }: PreparedRecord): string {
  if (verdict.kind === 'routed' && verdict.memberEffects?.erase === true) {
    return JSON.stringify({ headers: '{}', value: '' });
  }
  const value = original.value === null ? '' : textOf(original.value);
  const traceparent = verdict.kind === 'routed' ? (verdict.traceparent ?? null) : null;
  return sourceEventText({ headers: original.headersText, value, traceparent });
}

/** Without copying the bytes first, as `Buffer.from(bytes)` does. */
function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

function occurredAt({ verdict, original }: PreparedRecord): number {
  return verdict.kind === 'routed' ? verdict.occurredAt : original.brokerAt;
}

/**
 * Inserts the intents of a batch, payloads sealed with each member's key. The lanes are locked.
 * @throws {BatchRaceError} when a member was erased since its key was read
 */
export async function insertIntents(
  session: SqlSession,
  request: { readonly placed: readonly PlacedIntent[]; readonly context: RecordingContext },
  keys: MemberKeys,
): Promise<void> {
  const { placed, context } = request;
  if (placed.length === 0) return;
  const inserted = session.query(insertStatement, [
    placed.map((item) => item.laneId),
    placed.map((item) => item.seq),
    placed.map((item) => item.version),
    placed.map((item) => item.intent.operation),
    placed.map((item) => item.dedupKey),
    placed.map((item) => item.waitsForSeq),
    placed.map((item) =>
      sealPayload(keys, item, { command: JSON.stringify(item.intent.command), sourceEvent: sourceText(item.record) }),
    ),
    placed.map((item) => item.intent.facts.storeId ?? null),
    placed.map((item) => item.intent.facts.purchaseId ?? null),
    placed.map((item) => item.intent.facts.amountMinor ?? null),
    placed.map((item) => item.intent.facts.currency ?? null),
    placed.map((item) => (item.record.verdict.kind === 'routed' ? item.record.verdict.eventType : '')),
    placed.map((item) => timestamp(occurredAt(item.record))),
    placed.map((item) => timestamp(item.record.original.brokerAt)),
    placed.map((item) => item.record.original.offset),
    timestamp(context.now),
    context.source.topic,
    context.source.partition,
    context.programsHash,
    placed.map((item) => item.erasedSeq),
    placed.map((item) => (item.record.verdict.kind === 'routed' ? item.record.verdict.eventSource : null)),
  ]);
  const intents = placed.map(({ intent }) => intent);
  const [{ rowCount }] = await Promise.all([inserted, tallyIntents(session, context.source, intents)]);
  if (rowCount < placed.length) throw new BatchRaceError('member');
}

/**
 * A partition's rows are written under the lock of its offset, so that nobody waits for anybody but for what an operator
 * takes in after all.
 */
const tallyStatement: SqlStatement = {
  name: 'tally_intents',
  text: `
INSERT INTO intent_tally AS t (topic, partition, program_id, operation, recorded)
SELECT $1, $2::int, program_id, operation, recorded
FROM unnest($3::text[], $4::text[], $5::bigint[]) AS w (program_id, operation, recorded)
ORDER BY program_id, operation
ON CONFLICT (topic, partition, program_id, operation) DO UPDATE SET recorded = t.recorded + EXCLUDED.recorded`,
};

/** Counts what is being recorded, with what the partition has brought before: nobody can count ten million rows. */
async function tallyIntents(
  session: SqlSession,
  { topic, partition }: RecordingContext['source'],
  intents: readonly RoutedIntent[],
): Promise<void> {
  const groups = [...Map.groupBy(intents, ({ program, operation }) => JSON.stringify([program, operation])).values()];
  const firsts = groups.flatMap((group) => group.slice(0, 1));
  await session.query(tallyStatement, [
    topic,
    partition,
    firsts.map(({ program }) => program),
    firsts.map(({ operation }) => operation),
    groups.map(({ length }) => length),
  ]);
}

/** Intents that no call can carry (unroutable, merged) are parked as they are recorded: a person must look. */
export async function parkOnRecord(
  session: SqlSession,
  request: { readonly placed: readonly PlacedIntent[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { laneId, seq, key, intent } of request.placed) {
    if (intent.parked === null) continue;
    const { reason, detail } = intent.parked;
    const event = { type: 'IntentParked', at: request.now, reason, lane: 'continue' } as const;
    const evidence = JSON.stringify({ detail });
    await appendByOthers(session, { laneId, seq, key, event, evidence, settles: true }, keys);
  }
}
