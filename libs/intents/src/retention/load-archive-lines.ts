import type { IdentityPlace } from '#domain';
import type { Database, SqlStatement } from '#platform';

/** Intents read at once: a source record may have 1 MiB, and is written in hex. */
export const archiveReadMax = 25;

/** Whole rows as Postgres writes them: what is sealed stays sealed, nothing is rounded. */
const statement: SqlStatement = {
  name: 'load_archive_lines',
  text: `
SELECT line FROM (
  SELECT lane_id, version, json_build_object('table', 'intent', 'row', to_json(i))::text AS line
  FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq) JOIN intent i USING (lane_id, seq)
  UNION ALL
  SELECT e.lane_id, e.version, json_build_object('table', 'intent_event', 'row', to_json(e))::text
  FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq) JOIN intent_event e USING (lane_id, seq)
) fact ORDER BY lane_id, version`,
};

/** All rows of these intents, one line of JSON each. */
export async function loadArchiveLines(database: Database, places: readonly IdentityPlace[]): Promise<string[]> {
  if (places.length > archiveReadMax) throw new RangeError(`at most ${archiveReadMax} intents at once`);
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  const { rows } = await database.execute<{ line: string }>(statement, parameters);
  return rows.map(({ line }) => line);
}
