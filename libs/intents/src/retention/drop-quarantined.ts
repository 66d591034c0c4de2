import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { dropInSteps } from './drop-in-steps.js';

const dropMax = 1_000;

/**
 * What nobody has dealt with stays, and so does what the dead-letter topic has not got yet; where there is no such topic, a
 * dead letter that waits in vain goes with its record.
 */
const statement: SqlStatement = {
  name: 'drop_quarantined',
  text: `
WITH leaving AS MATERIALIZED (
  SELECT q.quarantine_id FROM quarantine q JOIN quarantine_settlement s USING (quarantine_id)
  WHERE q.state <> 'open' AND s.at < $1::timestamptz
    AND NOT ($2 AND EXISTS (SELECT FROM dead_letter_outbox o WHERE o.quarantine_id = q.quarantine_id))
  ORDER BY q.quarantine_id LIMIT ${dropMax}
), unsent AS (
  DELETE FROM dead_letter_outbox WHERE quarantine_id IN (SELECT quarantine_id FROM leaving)
)
DELETE FROM quarantine WHERE quarantine_id IN (SELECT quarantine_id FROM leaving)`,
};

/** Drops records that somebody dealt with before. @returns how many */
export async function dropQuarantined(
  database: Database,
  settled: { readonly before: number; readonly hasDeadLetters: boolean },
  stillOurs: () => Promise<void>,
): Promise<number> {
  const parameters = [timestamp(settled.before), settled.hasDeadLetters];
  return dropInSteps(database, { statement, parameters, max: dropMax }, stillOurs);
}
