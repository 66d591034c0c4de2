import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'list_positions',
  text: `
SELECT DISTINCT ON (topic, partition) topic, partition, next_offset AS "nextOffset" FROM kafka_offset
ORDER BY topic, partition, incarnation DESC`,
};

/** How far a partition has been ingested: everything below `nextOffset`. */
export interface IngestedPosition {
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/** Where ingest stands in every partition it has seen, in its newest incarnation. For one cluster per database. */
export async function listPositions(database: Database): Promise<readonly IngestedPosition[]> {
  return (await database.execute<IngestedPosition>(statement)).rows;
}
