import type { IdentityPlace } from '#domain';
import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ExportExtent, ExportPosition } from './exported-fact.js';

/** Intents looked at in one statement: their lines are made at once, and whatever else the process does waits meanwhile. */
export const exportPlacesMax = 128;

/** From the intent of the position on: some of its events may be left. The limit stands literally in the text. */
export const exportPlacesStatement: SqlStatement = {
  name: 'find_export_places',
  text: `
WITH candidate AS MATERIALIZED (
  SELECT recorded_at, lane_id, seq, pos FROM intent
  WHERE (recorded_at, lane_id, seq) >= ($1::timestamptz, $2::bigint, $3::int) AND recorded_at < $4::timestamptz
  ORDER BY recorded_at, lane_id, seq LIMIT ${exportPlacesMax}
)
SELECT c.recorded_at AS "recordedAt", c.lane_id AS "laneId", c.seq,
  c.pos <= $5::bigint AND ($6::text IS NULL OR m.program_id = $6) AS "isWanted"
FROM candidate c JOIN member m USING (lane_id) ORDER BY c.recorded_at, c.lane_id, c.seq`,
};

export interface ExportPlace extends IdentityPlace {
  readonly recordedAt: number;
  /** It belongs to the export. */
  readonly isWanted: boolean;
}

/** The next intents in the order of their recording; fewer than `exportPlacesMax` when there are no more. */
export async function findExportPlaces(
  database: Database,
  { program, before, upTo }: ExportExtent,
  { recordedAt, laneId, seq }: ExportPosition,
): Promise<readonly ExportPlace[]> {
  const parameters = [timestamp(recordedAt), laneId, seq, timestamp(before), upTo, program];
  return (await database.execute<ExportPlace>(exportPlacesStatement, parameters)).rows;
}
