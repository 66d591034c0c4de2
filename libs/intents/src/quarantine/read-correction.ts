import type { Database, SqlStatement } from '#platform';

import type { Correction } from './correction.js';
import { openCorrection } from './correction.js';

const statement: SqlStatement = {
  name: 'read_correction',
  text: `
SELECT sealed_correction AS sealed FROM quarantine_settlement
WHERE quarantine_id = $1::bigint AND sealed_correction IS NOT NULL`,
};

/** What a record was taken for instead of what arrived; null: as it arrived. `lost`: no key opens it any more. */
export async function readCorrection(
  database: Database,
  quarantineId: number,
  quarantineKey: Uint8Array,
): Promise<Correction | 'lost' | null> {
  const { rows } = await database.execute<{ sealed: Buffer }>(statement, [quarantineId]);
  const sealed = rows[0]?.sealed;
  return sealed === undefined ? null : openCorrection({ quarantineId, sealed }, quarantineKey);
}
