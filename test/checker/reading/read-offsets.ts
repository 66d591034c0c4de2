import type { Client } from 'pg';

import type { OffsetSample } from '../history/run-history.js';

/** Where every partition stands now. */
export async function readOffsets(client: Client): Promise<OffsetSample[]> {
  const { rows } = await client.query<OffsetSample>(
    `SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "takenAt", topic, incarnation, partition,
       next_offset::float8 AS "nextOffset" FROM kafka_offset`,
  );
  return rows;
}
