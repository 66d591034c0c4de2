import { runSql } from '../infrastructure/bench-postgres.js';
import type { BacklogSize } from './fill-store.js';

/** Lanes of members that nobody else has. */
const firstLane = 10_000_000;

/**
 * What people did two years ago, as it lies in the tables: delivered intents with their events and two identities each, in
 * lanes at rest, in the order in which they came. The tables are migrated.
 */
export async function fillHistory(url: string, { members, intentsPerMember }: BacklogSize): Promise<void> {
  const at = "(now() - interval '2 years')";
  const lanes = `generate_series(${firstLane + 1}, ${firstLane + members}) AS n`;
  const places = `generate_series(1, ${intentsPerMember}) AS seq, ${lanes}`;
  const bytes = (name: string, count: number): string => `decode(repeat(md5(${name}), ${count / 16}), 'hex')`;
  const id = "n::text || '~' || seq::text";
  for (const text of [
    `INSERT INTO member (lane_id, program_id, member_id, created_at) SELECT n, 'aged-club', 'aged-' || n, ${at} FROM ${lanes}`,
    `INSERT INTO lane (lane_id, program_id, version, head_seq, tail_seq, cur_seq, pass)
     SELECT n, 'aged-club', ${3 * intentsPerMember}, ${intentsPerMember + 1}, ${intentsPerMember}, ${intentsPerMember + 1}, 'known'
     FROM ${lanes}`,
    `INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, purchase_id, amount, currency, event_type, occurred_at,
       broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
     SELECT n, seq, 3 * seq - 2, 'transaction', ${bytes(id, 32)}, ${bytes(id, 640)}, md5(${id}), 9.90, 'EUR',
       'loyalty.purchase.completed.v1', ${at}, ${at}, ${at} + seq * interval '1 second', 'aged', 0, n, '\\x00'
     FROM ${places} ORDER BY seq, n`,
    `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, sealed, begun_version, begun_epoch, begun_at)
     SELECT n, seq, 3 * seq, 1, 1, 'AttemptApplied', ${at}, ${bytes(id, 320)}, 3 * seq - 1, 1, ${at}
     FROM ${places} ORDER BY seq, n`,
    `INSERT INTO dedup (key, kind, body_mac, lane_id, seq, seen_on)
     SELECT ${bytes(`${id} || kind`, 32)}, kind, ${bytes(id, 32)}, n, seq, ${at}::date
     FROM ${places}, unnest('{event,business}'::text[]) AS kind ORDER BY seq, n`,
    'UPDATE tally_checkpoint SET pos = (SELECT last_value FROM event_pos_seq)',
    `UPDATE projection_checkpoint SET pos = (SELECT last_value FROM event_pos_seq) WHERE name = 'outcomes'`,
  ]) {
    await runSql(url, text);
  }
}
