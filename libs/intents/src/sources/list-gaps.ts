import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'list_gaps',
  text: `
SELECT g.topic, g.partition, stored_offset AS "storedOffset", oldest_offset AS "oldestOffset", found_at AS "foundAt",
  accepted_at AS "acceptedAt"
FROM source_gap g JOIN kafka_offset o ON o.cluster_id = g.cluster_id AND o.topic = g.topic
  AND o.incarnation = g.incarnation AND o.partition = g.partition AND o.next_offset = g.stored_offset
WHERE resumed_at IS NULL ORDER BY found_at`,
};

/** A partition that stands still because records were lost. */
export interface OpenGap {
  readonly topic: string;
  readonly partition: number;
  readonly storedOffset: number;
  readonly oldestOffset: number;
  readonly foundAt: number;
  /** Set: its consumer goes on with its next look. */
  readonly acceptedAt: number | null;
}

/** The gaps at which partitions stand still. */
export async function listGaps(database: Database): Promise<OpenGap[]> {
  return (await database.execute<OpenGap>(statement)).rows;
}
