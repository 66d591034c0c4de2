import type { IdentityPlace, IntentEvent, IntentState } from '#domain';
import { evolve, initialIntentState } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { IntentName } from '../operator/find-intent.js';

const placesStatement: SqlStatement = {
  name: 'find_archived',
  text: `
SELECT a.lane_id AS "laneId", w.seq, w.seq = ANY (a.cancelled) AS "isCancelled", f.file, f.archived_at AS "archivedAt"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN lane_archive a ON a.lane_id = w.lane_id AND w.seq = ANY (a.seqs) JOIN archive f USING (archive_id)`,
};

/** An intent that has left the truth: how it ended, and where it lies. */
export interface ArchivedIntent extends IdentityPlace {
  /** Else it was delivered. */
  readonly isCancelled: boolean;
  /** In the folder of the archives. */
  readonly file: string;
  readonly archivedAt: number;
}

/** Which of these intents have left the truth. */
export async function findArchived(
  session: Pick<SqlSession, 'query'>,
  places: readonly IdentityPlace[],
): Promise<ArchivedIntent[]> {
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  return (await session.query<ArchivedIntent>(placesStatement, parameters)).rows;
}

const nameStatement: SqlStatement = {
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
  return (await database.execute<ArchivedIntent>(nameStatement, parameters)).rows[0] ?? null;
}

/** What is known of how an intent came to its end once its facts have left. */
function endingEvents({
  isCancelled,
  archivedAt: at,
}: Pick<ArchivedIntent, 'isCancelled' | 'archivedAt'>): IntentEvent[] {
  if (isCancelled) return [{ type: 'IntentCancelled', at, by: 'source-event', reason: 'archived' }];
  return [
    { type: 'AttemptBegun', at, attempt: 1 },
    { type: 'AttemptApplied', at, attempt: 1 },
  ];
}

/** The state of an intent that has left the truth: delivered or cancelled, nothing can change it any more. */
export function endedState(archived: Pick<ArchivedIntent, 'isCancelled' | 'archivedAt'>): IntentState {
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: archived.archivedAt });
  return endingEvents(archived).reduce(evolve, recorded);
}
