import { buildTemplate } from '#test-support';

import { memberKeysOf, programName } from '../bench-parts.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';

/** All of their names have the same length: who is filled in order is in order in every index. */
export const firstMember = 100_000_000;
/** Prime: one after the other, members lie far from each other. */
const stride = 7_368_787;
const keysPerStatement = 10_000;
const rowsPerStatement = 1_000_000;

/** The `number`-th of those members to whom something happens. */
export const memberAt = (number: number, members: number): number => firstMember + ((number * stride) % members);

const digestsMax = 2 ** 32 - 1;

/** The digest of a number among so many: they lie evenly among all that there may be, and in their order. */
const digestOf = (number: string, count: number): string =>
  `decode(lpad(to_hex((${number}) * ${Math.floor(digestsMax / count)}), 8, '0') || left(repeat(md5((${number})::text), 2), 56), 'hex')`;

/** Each takes the first and the last member. */
const tablesOf = (identities: number): string[] => [
  `INSERT INTO member (lane_id, program_id, member_id, created_at)
   SELECT n, '${programName}', 'm_' || n, now() - interval '2 months' FROM generate_series($1::bigint, $2::bigint) AS n`,
  `INSERT INTO lane (lane_id, program_id, version, head_seq, tail_seq, cur_seq, pass)
   SELECT n, '${programName}', 3, 2, 1, 2, 'known' FROM generate_series($1::bigint, $2::bigint) AS n`,
  `INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount, currency, event_type,
     occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
   SELECT n, 1, 1, 'transaction', '\\x00', '\\x00', 'berlin-07', n || '-0', 59.99, 'EUR', 'loyalty.purchase.completed.v1',
     at, at, at, 'loyalty.backlog', 0, n, '\\x00'
   FROM generate_series($1::bigint, $2::bigint) AS n, (SELECT now() - interval '2 months' AS at) AS t`,
  `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, sealed, begun_version, begun_epoch, begun_at)
   SELECT n, 1, 3, 1, 1, 'AttemptApplied', at, '\\x00', 2, 1, at
   FROM generate_series($1::bigint, $2::bigint) AS n, (SELECT now() - interval '2 months' AS at) AS t`,
  `INSERT INTO dedup (key, kind, body_mac, lane_id, seq, seen_on)
   SELECT ${digestOf(`2 * (n - ${firstMember}) + k`, identities)}, CASE k WHEN 0 THEN 'event' ELSE 'business' END, decode(repeat(md5(n::text), 2), 'hex'), n, 1,
     (now() - interval '2 months')::date
   FROM generate_series($1::bigint, $2::bigint) AS n, generate_series(0, 1) AS k`,
];

/** As long as a key that is wrapped. */
const insertOtherKeys = `
INSERT INTO member_key
SELECT n, (SELECT wrapped_key FROM member_key LIMIT 1) FROM generate_series($1::bigint, $2::bigint) AS n
WHERE NOT EXISTS (SELECT FROM member_key WHERE lane_id = n)`;

/**
 * Many members with an intent each that was delivered long ago, as it lies in the tables, by statements alone; those to
 * whom something will happen have keys that open. What is filled lies in the order of its indexes: it is the fastest.
 * @param active how many of them, by `memberAt`
 */
export const fillMembers = async (
  url: string,
  encryptionKey: string,
  { members, active }: { readonly members: number; readonly active: number },
): Promise<void> => {
  await buildTemplate(url);
  const last = firstMember + members - 1;
  for (const text of tablesOf(2 * members)) {
    for (let from = firstMember; from <= last; from += rowsPerStatement) {
      await runSql(url, text, [from, Math.min(last, from + rowsPerStatement - 1)]);
    }
  }
  const keys = memberKeysOf(encryptionKey);
  for (let from = 0; from < active; from += keysPerStatement) {
    const lanes = Array.from({ length: Math.min(keysPerStatement, active - from) }, (_, index) =>
      memberAt(from + index, members),
    );
    const wrapped = lanes.map((lane) => keys.create(lane).wrapped);
    await runSql(url, 'INSERT INTO member_key SELECT * FROM unnest($1::bigint[], $2::bytea[])', [lanes, wrapped]);
  }
  await runSql(url, insertOtherKeys, [firstMember, last]);
  await runSql(url, "SELECT setval('lane_id_seq', $1::bigint)", [last]);
  await runSql(url, 'UPDATE tally_checkpoint SET pos = (SELECT last_value FROM event_pos_seq)');
  await runSql(
    url,
    "UPDATE projection_checkpoint SET pos = (SELECT last_value FROM event_pos_seq) WHERE name = 'outcomes'",
  );
  await settle(url);
};
