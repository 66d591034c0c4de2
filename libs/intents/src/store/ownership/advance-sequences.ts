import type { SqlSession, SqlStatement } from '#platform';

/** Where numbers of a sequence stand, each a scalar query of SQL; those that have left are known by how far readers have come. */
const used: Readonly<Record<string, readonly string[]>> = {
  event_pos_seq: [
    'SELECT max(pos) FROM intent',
    'SELECT max(pos) FROM intent_event',
    "SELECT pos FROM projection_checkpoint WHERE name = 'outcomes'",
    'SELECT pos FROM tally_checkpoint',
  ],
  lane_id_seq: ['SELECT max(lane_id) FROM member'],
  operator_action_action_id_seq: [
    'SELECT max(action_id) FROM operator_action',
    "SELECT pos FROM projection_checkpoint WHERE name = 'audit'",
  ],
  pause_pause_id_seq: ['SELECT max(pause_id) FROM pause'],
  programs_load_load_id_seq: ['SELECT max(load_id) FROM programs_load'],
  programs_reload_reload_id_seq: ['SELECT max(reload_id) FROM programs_reload'],
  quarantine_quarantine_id_seq: [
    'SELECT max(quarantine_id) FROM quarantine',
    'SELECT quarantine_id FROM minute_checkpoint',
  ],
  reconciliation_reconciliation_id_seq: ['SELECT max(reconciliation_id) FROM reconciliation'],
  schema_migration_id_seq: ['SELECT max(id) FROM schema_migration'],
};

/** Never back: what a copy by files has, its sequences know already. */
const statements = Object.entries(used).map(([sequence, queries]): SqlStatement => ({
  name: `advance_${sequence}`.slice(0, 60),
  mayTakeLong: true,
  text: `
SELECT setval('${sequence}', greatest((SELECT last_value FROM ${sequence}), ${queries.map((query) => `(${query})`).join(', ')}) + 1)`,
}));

/** Beyond every number that rows or readers know. Only the owner may. */
export async function advanceSequences(session: SqlSession): Promise<void> {
  for (const statement of statements) await session.query(statement);
}
