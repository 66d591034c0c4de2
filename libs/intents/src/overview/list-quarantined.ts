import type { QuarantineReason } from '#domain';
import type { Database, SqlStatement } from '#platform';

/** Quarantined records in one page. */
export const quarantinedPageMax = 5_000;

/** A source record set aside, without its content. */
export interface QuarantinedRecord {
  readonly quarantineId: number;
  readonly reason: QuarantineReason;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

const statement: SqlStatement = {
  name: 'list_quarantined',
  text: `
SELECT quarantine_id AS "quarantineId", reason, topic, partition, kafka_offset AS "offset"
FROM quarantine WHERE quarantine_id > $1::bigint ORDER BY quarantine_id LIMIT ${quarantinedPageMax}`,
};

/** One page of quarantined records in the order of their recording, after the given id (0 to begin). */
export async function listQuarantined(
  database: Database,
  afterQuarantineId: number,
): Promise<readonly QuarantinedRecord[]> {
  return (await database.execute<QuarantinedRecord>(statement, [afterQuarantineId])).rows;
}
