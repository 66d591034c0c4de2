import type { Database, SqlStatement } from '#platform';

import type { Forecast, ReplayItemState } from './replay.js';

const statement: SqlStatement = {
  name: 'count_replay_items',
  text: `
SELECT replay_id AS "replayId", state, forecast, count(*) AS items
FROM replay_item WHERE replay_id = ANY ($1::text[]) GROUP BY 1, 2, 3`,
};

export interface ReplayCounts {
  readonly byState: Readonly<Partial<Record<ReplayItemState, number>>>;
  readonly byForecast: Readonly<Partial<Record<Forecast, number>>>;
}

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

/** How far each of these replays is. */
export async function countReplayItems(
  database: Database,
  replayIds: readonly string[],
): Promise<Map<string, ReplayCounts>> {
  const { rows } = await database.execute<CountRow>(statement, [[...replayIds]]);
  const byReplay = Map.groupBy(rows, ({ replayId }) => replayId);
  return new Map(
    replayIds.map((replayId) => {
      const own = byReplay.get(replayId) ?? [];
      return [replayId, { byState: sumBy(own, ({ state }) => state), byForecast: sumBy(own, (row) => row.forecast) }];
    }),
  );
}
