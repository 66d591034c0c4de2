import type { Database, SqlStatement } from '#platform';

import type { IntentName } from '../operator/find-intent.js';
import type { ArchivedIntent } from './find-archived.js';

const statement: SqlStatement = {
  name: 'find_archived_intent',
  text: `
SELECT a.lane_id AS "laneId", $3::int AS seq, $3::int = ANY (a.cancelled) AS "isCancelled", f.file,
  f.archived_at AS "archivedAt"
FROM member m JOIN lane_archive a ON a.lane_id = m.lane_id AND $3::int = ANY (a.seqs) JOIN archive f USING (archive_id)
WHERE m.program_id = $1 AND m.member_id = $2`,
};

/** Where an intent lies that has left the truth; null: there is none of that name. */
export async function findArchivedIntent(database: Database, name: IntentName): Promise<ArchivedIntent | null> {
  const parameters = [name.program, name.memberId, name.seq];
  return (await database.execute<ArchivedIntent>(statement, parameters)).rows[0] ?? null;
}
