import { forgottenCode } from '#domain';
import type { Database, SqlStatement } from '#platform';

import type { Recovery } from './begin-recovery.js';

/** The last recovery, and what is left of it. */
export interface RecoveryStanding extends Recovery {
  /** Intents that a lost history may have sent and whose evidence is still looked for. */
  readonly open: number;
  /** Those for which there is none: a person must say what became of them. */
  readonly undecided: number;
}

const statement: SqlStatement = {
  name: 'find_recovery',
  text: `
SELECT recovered_from AS "recoveredFrom", started_at AS "startedAt", produced_until AS "producedUntil",
  (SELECT count(*) FROM intent_standing WHERE status = 'unknown' AND code = '${forgottenCode}') AS open,
  (SELECT count(*) FROM intent_standing WHERE status = 'parked' AND code = '${forgottenCode}') AS undecided
FROM recovery ORDER BY started_at DESC LIMIT 1`,
};

/** How the last recovery stands; null where there never was one. */
export async function findRecovery(database: Database): Promise<RecoveryStanding | null> {
  const { rows } = await database.execute<RecoveryStanding>(statement);
  return rows[0] ?? null;
}
