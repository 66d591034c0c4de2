import type { Client } from 'pg';

import type { IntentEvent, Operation } from '#domain';

import type { Effect, EventRow, IntentRow, LaneHistory, LaneRow } from '../history.js';
import type { MemberSeals } from './member-seals.js';

/** Epoch milliseconds of a column, as a number. */
const ms = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;

/** Lanes after $1 with their members, at most $2. */
const lanesSql = `
SELECT l.lane_id::float8 AS "laneId", l.program_id AS program, m.member_id AS "memberId", ${ms('l.due_at')} AS "dueAt",
  l.epoch, l.version, l.head_seq AS head, l.tail_seq AS tail, l.cur_seq AS current, l.attempt,
  l.attempt_open AS "attemptOpen", ${ms('l.open_since')} AS "openSince", l.redo, l.ahead, l.issue_seq AS "issueSeq",
  l.pass, l.state, l.owner, m.erased_seq AS "erasedSeq", k.wrapped_key,
  EXISTS (SELECT FROM lane_start b WHERE b.lane_id = l.lane_id) AS has_left
FROM lane l JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
WHERE l.lane_id > $1 ORDER BY l.lane_id LIMIT $2`;

/** Intents of the lanes in $1. */
const intentsSql = `
SELECT lane_id::float8 AS lane_id, seq, version, operation, encode(dedup_key, 'hex') AS dedup_key, waits_for_seq,
  encode(waits_for_key, 'hex') AS waits_for_key, payload,
  ${ms('recorded_at')} AS recorded_at, topic, partition, kafka_offset::float8 AS kafka_offset, xid::text AS xid,
  pos::float8 AS pos, COALESCE(is_resubmitted, false) AS is_resubmitted
FROM intent LEFT JOIN (
  SELECT DISTINCT topic, partition, kafka_offset, true AS is_resubmitted FROM quarantine WHERE state = 'resubmitted'
) put_back USING (topic, partition, kafka_offset)
WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id, seq`;

/** Events of the lanes in $1. */
const eventsSql = `
SELECT lane_id::float8 AS lane_id, seq, version, attempt, epoch, type, ${ms('at')} AS at, data, sealed
FROM intent_history WHERE lane_id = ANY ($1::bigint[]) ORDER BY lane_id, version`;

type StoredLane = LaneRow & { readonly wrapped_key: Buffer | null; readonly has_left: boolean };

interface StoredIntent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly operation: Operation;
  readonly dedup_key: string;
  readonly waits_for_seq: number | null;
  readonly waits_for_key: string | null;
  readonly payload: Buffer;
  readonly recorded_at: number;
  readonly topic: string;
  readonly partition: number;
  readonly kafka_offset: number;
  readonly xid: string;
  readonly pos: number;
  readonly is_resubmitted: boolean;
}

interface StoredEvent {
  readonly lane_id: number;
  readonly seq: number;
  readonly version: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly type: string;
  readonly at: number;
  readonly data: Record<string, unknown> | null;
  readonly sealed: Buffer | null;
}

function intentRow(stored: StoredIntent, asks: IntentRow['asks']): IntentRow {
  const { seq, version, operation, topic, partition } = stored;
  return {
    ...{ seq, version, operation, topic, partition, asks },
    incarnation: 1,
    offset: stored.kafka_offset,
    dedupKey: stored.dedup_key,
    waitsFor: stored.waits_for_seq,
    waitsForKey: stored.waits_for_key,
    recordedAt: stored.recorded_at,
    transaction: stored.xid,
    position: stored.pos,
    isResubmitted: stored.is_resubmitted,
  };
}

/** The event of a row: a number of an attempt stands in its own column, 0 for none; the rest in `data`. */
function eventRow({ seq, version, epoch, type, at, attempt, data }: Omit<StoredEvent, 'lane_id' | 'sealed'>): EventRow {
  const ofAttempt = attempt === 0 ? {} : { attempt };
  return { seq, version, epoch, event: { type, at, ...ofAttempt, ...data } as unknown as IntentEvent };
}

/** Lanes read at once. */
const lanesPageMax = 200;

const answers: readonly string[] = [
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
];

/**
 * The truth of lanes, page by page; only of those that are wanted, and without the partner's side.
 * @throws where something of a lane has left the tables: a lane is judged by its whole history
 */
export async function* readLanes(
  client: Client,
  seals: MemberSeals,
  isWanted: (lane: LaneRow) => boolean,
): AsyncGenerator<Omit<LaneHistory, 'effects'> & { readonly effects: Effect[] }> {
  for (let after = 0; ;) {
    const { rows } = await client.query<StoredLane>(lanesSql, [after, lanesPageMax]);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.laneId;
    const wanted = rows.filter(isWanted);
    if (wanted.length > 0) yield* openLanes(client, seals, wanted);
  }
}

async function* openLanes(
  client: Client,
  seals: MemberSeals,
  lanes: readonly StoredLane[],
): AsyncGenerator<Omit<LaneHistory, 'effects'> & { readonly effects: Effect[] }> {
  const laneIds = lanes.map(({ laneId }) => laneId);
  const intents = await client.query<StoredIntent>(intentsSql, [laneIds]);
  const events = await client.query<StoredEvent>(eventsSql, [laneIds]);
  const intentsOf = Map.groupBy(intents.rows, (row) => row.lane_id);
  const eventsOf = Map.groupBy(events.rows, (row) => row.lane_id);
  for (const { wrapped_key: wrapped, has_left: hasLeft, ...lane } of lanes) {
    const key = seals.keyOf(lane.laneId, wrapped);
    if (hasLeft) throw new Error(`lane ${lane.laneId}: intents have left`);
    yield {
      lane,
      intents: (intentsOf.get(lane.laneId) ?? []).map((row) => intentRow(row, seals.payload(row, key, row.payload))),
      events: (eventsOf.get(lane.laneId) ?? []).map((row) => openEvent(seals, key, row)),
      effects: [],
    };
  }
}

function openEvent(seals: MemberSeals, key: Uint8Array | null, row: StoredEvent): EventRow {
  const event = eventRow(row);
  if (row.type === 'IntentCorrected') return { ...event, asks: seals.correction(row, key, row.sealed) };
  return answers.includes(row.type) ? { ...event, requestId: seals.requestId(row, key, row.sealed) } : event;
}
