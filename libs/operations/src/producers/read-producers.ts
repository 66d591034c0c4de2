import { timestamp } from '#intents';
import type { Database, SqlStatement } from '#platform';

import { isOfPrograms } from '../access/operator.js';

/** Producers that are shown, those that sent the most first. */
export const producersMax = 1_000;

/** What a producer has sent of a program; null: its records do not say, or could not be read. */
export interface Producer {
  readonly source: string | null;
  readonly store: string | null;
  readonly program: string | null;
  readonly isRest: boolean;
  readonly events: number;
  readonly invalid: number;
  readonly late: number;
  readonly duplicates: number;
  readonly conflicting: number;
  readonly outOfOrder: number;
}

const producersStatement: SqlStatement = {
  name: 'read_producers',
  text: `
SELECT NULLIF(source, '') AS source, NULLIF(store_id, '') AS store, NULLIF(program_id, '') AS program, is_rest AS "isRest",
  sum(events)::bigint AS events, sum(invalid)::bigint AS invalid, sum(late)::bigint AS late,
  sum(duplicates)::bigint AS duplicates, sum(conflicting)::bigint AS conflicting, sum(out_of_order)::bigint AS "outOfOrder"
FROM source_tally WHERE at >= $1::timestamptz AND at < $2::timestamptz AND ${isOfPrograms('$3')}
GROUP BY 1, 2, 3, 4
ORDER BY sum(events) DESC, sum(invalid + duplicates + conflicting) DESC, source, store, program, 4
LIMIT ${producersMax + 1}`,
};

interface ProducersRequest {
  /** The beginning of an hour, epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Only of these; null: of all, and of none that is known. */
  readonly programs: readonly string[] | null;
}

/** What each producer has sent in the hours that begin in the range. */
export async function readProducers(
  database: Database,
  { from, to, programs }: ProducersRequest,
): Promise<{ readonly items: readonly Producer[]; readonly isPart: boolean }> {
  const parameters = [timestamp(from), timestamp(to), programs];
  const { rows } = await database.execute<Producer>(producersStatement, parameters);
  return { items: rows.slice(0, producersMax), isPart: rows.length > producersMax };
}
