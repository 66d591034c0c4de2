import type { IdentityPlace } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
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
  return (await session.query<ArchivedIntent>(statement, parameters)).rows;
}
