import type { Database, SqlStatement } from '#platform';

import type { Forecast, Replay, ReplayCounts, ReplayItemState } from './replay.js';

const statement: SqlStatement = {
  name: 'count_replay_items',
  text: `
SELECT replay_id AS "replayId", state, forecast, count(*) AS items
FROM replay_item WHERE replay_id = ANY ($1::text[]) GROUP BY 1, 2, 3`,
};

interface CountRow {
  readonly replayId: string;
  readonly state: ReplayItemState;
  readonly forecast: Forecast;
  readonly items: number;
}

function sumBy<K extends string>(rows: readonly CountRow[], keyOf: (row: CountRow) => K): Partial<Record<K, number>> {
  const sums: Partial<Record<K, number>> = {};
  for (const row of rows) sums[keyOf(row)] = (sums[keyOf(row)] ?? 0) + row.items;
  return sums;
}

async function countThese(
  database: Pick<Database, 'execute'>,
  replayIds: readonly string[],
): Promise<Map<string, readonly CountRow[]>> {
  if (replayIds.length === 0) return new Map();
  const { rows } = await database.execute<CountRow>(statement, [replayIds]);
  return Map.groupBy(rows, ({ replayId }) => replayId);
}

/** How far each of these replays is. Only items of those that still move are counted. */
export async function countReplayItems(
  database: Pick<Database, 'execute'>,
  replays: readonly Pick<Replay, 'replayId' | 'counts'>[],
): Promise<Map<string, ReplayCounts>> {
  const moving = replays.filter(({ counts }) => counts === null).map(({ replayId }) => replayId);
  const rowsOf = await countThese(database, moving);
  return new Map(
    replays.map(({ replayId, counts }) => {
      const own = rowsOf.get(replayId) ?? [];
      const taken = { byState: sumBy(own, ({ state }) => state), byForecast: sumBy(own, (row) => row.forecast) };
      return [replayId, counts ?? taken];
    }),
  );
}
