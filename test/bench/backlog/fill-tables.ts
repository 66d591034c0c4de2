import pg from 'pg';

import type { IngestKeys } from '#intents';
import { sealPayload, sourceEventText } from '#intents';
import { buildTemplate } from '#test-support';

import { openStore, otherProgramName, programName } from '../bench-parts.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import { eventHeaders, memberId, purchaseEvent, transactionCommand } from './purchase-event.js';

const lanesPerStatement = 1_000;
const source = { topic: 'loyalty.backlog', headers: JSON.stringify(eventHeaders) } as const;

/** A large backlog, and what stands beside it. */
interface PendingSize {
  readonly members: number;
  readonly intentsPerMember: number;
  /** Lanes of a second program, which is paused; each has one intent. */
  readonly pausedLanes: number;
}

const insertMembers = `
WITH w AS (SELECT * FROM unnest($1::bigint[], $2::text[]) AS w (lane_id, member_id)),
  m AS (INSERT INTO member (lane_id, program_id, member_id, created_at)
    SELECT lane_id, '${programName}', member_id, clock_timestamp() FROM w)
INSERT INTO lane (lane_id, program_id, tail_seq, version, due_at, pass)
SELECT lane_id, '${programName}', $3::int, $3::int, clock_timestamp(), 'known' FROM w`;

/** Refers to the members of the statement before. */
const insertKeys = 'INSERT INTO member_key SELECT * FROM unnest($1::bigint[], $2::bytea[])';

const insertIntents = `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount, currency,
  event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
SELECT lane_id, seq, seq, 'transaction', sha256(payload), payload, 'berlin-07', purchase_id, 59.99, 'EUR',
  'loyalty.purchase.completed.v1', now, now, now, '${source.topic}', 0, lane_id * 100 + seq, '\\x00'
FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::text[]) AS w (lane_id, seq, payload, purchase_id),
  clock_timestamp() AS now`;

/** Due for ever, and never claimed: their intents need no payload that could be opened. */
const insertPaused = `
INSERT INTO lane (lane_id, program_id, tail_seq, version, due_at, pass)
SELECT g, '${otherProgramName}', 1, 1, clock_timestamp(), 'known' FROM generate_series($1::bigint, $2::bigint) AS g`;

const pause = `
INSERT INTO pause (program_id, since, set_by, reason, automatic)
VALUES ('${otherProgramName}', clock_timestamp(), 'bench', 'stands beside', false)`;

interface LanesToFill {
  readonly numbers: readonly number[];
  readonly intents: number;
}

const fillLanes = async (client: pg.Client, keys: IngestKeys, { numbers, intents }: LanesToFill): Promise<void> => {
  const lanes = numbers.map((member) => ({ member, laneId: member + 1, ...keys.members.create(member + 1) }));
  const laneIds = lanes.map(({ laneId }) => laneId);
  const wrapped = lanes.map((lane) => lane.wrapped);
  await client.query(insertMembers, [laneIds, lanes.map(({ member }) => memberId(member)), intents]);
  await client.query(insertKeys, [laneIds, wrapped]);
  const rows = lanes.flatMap(({ member, laneId, key }) =>
    Array.from({ length: intents }, (_, index) => {
      const seq = index + 1;
      const command = JSON.stringify(transactionCommand(member, seq));
      const value = purchaseEvent(member, seq).toString();
      const sourceEvent = sourceEventText({ headers: source.headers, value, traceparent: null });
      const payload = sealPayload(keys.members, { laneId, seq, key }, { command, sourceEvent });
      return { laneId, seq, payload, purchaseId: `${member}-${seq}` };
    }),
  );
  await client.query(insertIntents, [
    rows.map(({ laneId }) => laneId),
    rows.map(({ seq }) => seq),
    rows.map(({ payload }) => payload),
    rows.map(({ purchaseId }) => purchaseId),
  ]);
};

/** Sets up an empty database with a backlog that was not ingested: for sizes where ingest would take minutes. */
export const fillPending = async (url: string, encryptionKey: string, size: PendingSize): Promise<void> => {
  const { members, intentsPerMember, pausedLanes } = size;
  await buildTemplate(url);
  const store = await openStore(url, encryptionKey);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let from = 0; from < members; from += lanesPerStatement) {
    const count = Math.min(lanesPerStatement, members - from);
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    await fillLanes(client, store.keys, { numbers, intents: intentsPerMember });
  }
  await client.end();
  await store.close();
  if (pausedLanes > 0) {
    await runSql(url, insertPaused, [members + 1, members + pausedLanes]);
    await runSql(url, pause);
  }
  await settle(url);
};

/** What months leave behind. */
export interface HistorySize {
  readonly members: number;
  readonly intentsPerMember: number;
  /** Of these every fourth is unknown, or delivered or cancelled by a person; the rest is parked. */
  readonly exceptions: number;
}

const days = 90;

/** Every tenth lane has the second half of its intents still to come. */
const insertLanes = `
WITH m AS (
  INSERT INTO member (lane_id, program_id, member_id, created_at)
  SELECT g, '${programName}', 'm_' || g, clock_timestamp() FROM generate_series(1, $1::int) AS g)
INSERT INTO lane (lane_id, program_id, tail_seq, version, head_seq, cur_seq, pass)
SELECT g, '${programName}', $2::int, $2::int, h, h, 'known'
FROM generate_series(1, $1::int) AS g, LATERAL (SELECT CASE WHEN g % 10 = 0 THEN $2::int / 2 ELSE $2::int + 1 END AS h) AS head`;

/** As wide as real ones: what nobody opens is not sealed. */
const insertPastIntents = `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount, currency,
  event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash, source)
SELECT lane, s, s, CASE WHEN s = 1 THEN 'issue' ELSE 'transaction' END, sha256(id::text::bytea),
  decode(repeat(md5(id::text), 44), 'hex'), 'store-' || id % 500, 'p-' || id, 59.99, 'EUR',
  'loyalty.purchase.completed.v1', at, at, at, 'loyalty.purchases', 0, id, '\\x00', '/pos/store-' || id % 500
FROM generate_series(1, $2::int) AS s, generate_series(1, $1::int) AS lane,
  LATERAL (SELECT (s - 1)::bigint * $1::int + lane AS id) AS i,
  LATERAL (SELECT clock_timestamp() - (1 - id::float8 / ($1::int * $2::int)) * interval '${days} days' AS at) AS t`;

/** The trigger of the table keeps the standings, as it does for the daemon. */
const insertExceptions = `
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
SELECT lane_id, seq, 1000000 + seq, 0, 0, type, clock_timestamp(), data::jsonb
FROM (
  SELECT lane_id, 2 AS seq, lane_id % 12 AS kind FROM lane WHERE lane_id % ($1::int / $2::int) = 1 LIMIT $2::int) AS x,
LATERAL (SELECT
  CASE kind WHEN 1 THEN 'AttemptUnknown' WHEN 5 THEN 'IntentCancelled' WHEN 9 THEN 'IntentResolved' ELSE 'IntentParked' END,
  CASE kind WHEN 1 THEN '{"code":"timeout"}' WHEN 5 THEN '{"by":"ada","reason":"r"}'
    WHEN 9 THEN '{"by":"ada","reason":"r","as":"delivered"}'
    WHEN 3 THEN '{"reason":"exhausted","lane":"continue"}' ELSE '{"reason":"rejected","lane":"continue"}' END
) AS e (type, data)`;

/** Fills an empty database by statements alone: for sizes where anything else would take an hour. */
export const fillHistory = async (
  url: string,
  { members, intentsPerMember, exceptions }: HistorySize,
): Promise<void> => {
  await buildTemplate(url);
  await runSql(url, insertLanes, [members, intentsPerMember]);
  await runSql(url, insertPastIntents, [members, intentsPerMember]);
  await runSql(url, insertExceptions, [members, exceptions]);
  await settle(url);
};
