import { buildTemplate } from '#test-support';
import { programName } from '../bench-program.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';

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
const insertIntents = `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount_minor, currency,
  event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash, source)
SELECT lane, s, s, CASE WHEN s = 1 THEN 'issue' ELSE 'transaction' END, sha256(id::text::bytea),
  decode(repeat(md5(id::text), 44), 'hex'), 'store-' || id % 500, 'p-' || id, 5999, 'EUR',
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
  await runSql(url, insertIntents, [members, intentsPerMember]);
  await runSql(url, insertExceptions, [members, exceptions]);
  await settle(url);
};
