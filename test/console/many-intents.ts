import pg from 'pg';

/** Far from the numbers that the daemon gives. */
const firstLane = 1_000_000;
const daysBack = 3;

/** Every one is settled, so that no daemon has anything to do with them. */
const insertLanes = `
WITH m AS (
  INSERT INTO member (lane_id, program_id, member_id, created_at)
  SELECT ${firstLane} + g, 'coffee-club', 'many-' || g, now() FROM generate_series(1, $1::int) AS g)
INSERT INTO lane (lane_id, program_id, tail_seq, version, head_seq, cur_seq, pass)
SELECT ${firstLane} + g, 'coffee-club', $2::int, $2::int, $2::int + 1, $2::int + 1, 'known'
FROM generate_series(1, $1::int) AS g`;

/** The newest a minute ago, the oldest some days. */
const insertIntents = `
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount, currency,
  event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash, source)
SELECT ${firstLane} + lane, s, s, 'transaction', sha256(id::text::bytea), '\\x00', 'store-' || id % 50,
  'R2-K-' || 4000000 + id, (1000 + id % 9000)::numeric(12, 2) / 100, 'EUR', 'loyalty.purchase.completed.v1', at, at, at, 'many', 0, id, '\\x00',
  '/pos/store-' || id % 50 || '/till-1'
FROM generate_series(1, $2::int) AS s, generate_series(1, $1::int) AS lane,
  LATERAL (SELECT (s - 1) * $1::int + lane AS id) AS i,
  LATERAL (SELECT now() - interval '1 minute' - (1 - id::float8 / ($1::int * $2::int)) * interval '${daysBack} days' AS at) AS t`;

/** The last of every so many lanes, by the trigger that keeps standings. */
const insertParked = `
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
SELECT lane_id, tail_seq, 1000, 0, 0, 'IntentParked', now(), '{"reason":"rejected","lane":"continue"}'
FROM lane WHERE lane_id > ${firstLane} AND (lane_id - ${firstLane}) % $1::int = 0`;

interface ManySize {
  readonly members: number;
  readonly intentsPerMember: number;
  /** Of every so many members the last intent is parked. */
  readonly parkedEvery: number;
}

/** Puts intents into the database beside the daemon: for lists that are longer than traffic makes in a test. */
export async function putManyIntents(url: string, { members, intentsPerMember, parkedEvery }: ManySize): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(insertLanes, [members, intentsPerMember]);
    await client.query(insertIntents, [members, intentsPerMember]);
    await client.query(insertParked, [parkedEvery]);
    await client.query('ANALYZE intent, lane, member');
  } finally {
    await client.end();
  }
}
