import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'count_replay_progress',
  text: `
SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'sent') AS "underWay",
  count(*) FILTER (WHERE state IN ('sent', 'delivered', 'parked', 'cancelled') AND ordinal > $2::int) AS begun,
  count(*) FILTER (WHERE state IN ('delivered', 'parked', 'cancelled') AND ordinal > $2::int) AS settled,
  count(*) FILTER (WHERE state = 'parked' AND ordinal > $2::int) AS failed
FROM replay_item WHERE replay_id = $1`,
};

/** How far a replay is; the last three are of what was sent since its canary began. */
export interface ReplayProgress {
  readonly waiting: number;
  readonly underWay: number;
  readonly begun: number;
  readonly settled: number;
  readonly failed: number;
}

export async function countProgress(
  database: Database,
  { replayId, canaryFrom }: { readonly replayId: string; readonly canaryFrom: number },
): Promise<ReplayProgress> {
  const [row] = (await database.execute<ReplayProgress>(statement, [replayId, canaryFrom])).rows;
  if (row === undefined) throw new Error('a count returned nothing');
  return row;
}
