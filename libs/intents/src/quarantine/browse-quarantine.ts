import type { Database, SqlStatement } from '#platform';

/** A record set aside, without its content. */
export interface BrowsedRecord {
  readonly quarantineId: number;
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly valueBytes: number;
  /** Epoch ms. */
  readonly brokerAt: number;
  readonly recordedAt: number;
}

export interface QuarantineFilter {
  readonly reason: string | null;
  readonly topic: string | null;
  /** The id that the page before ended with; null for the first. */
  readonly before: number | null;
  readonly limit: number;
}

/** SQL: the columns of a `BrowsedRecord`. */
export const browsedColumns = `quarantine_id AS "quarantineId", reason, detail, topic, partition, kafka_offset AS "offset",
  value_bytes AS "valueBytes", broker_at AS "brokerAt", recorded_at AS "recordedAt"`;

const pageStatement: SqlStatement = {
  name: 'browse_quarantine',
  text: `
SELECT ${browsedColumns} FROM quarantine
WHERE quarantine_id < $1::bigint AND ($2::text IS NULL OR reason = $2) AND ($3::text IS NULL OR topic = $3)
ORDER BY quarantine_id DESC LIMIT $4::int`,
};

/** What was set aside, the newest first. */
export async function browseQuarantine(database: Database, filter: QuarantineFilter): Promise<BrowsedRecord[]> {
  const { before, reason, topic, limit } = filter;
  const parameters = [before ?? Number.MAX_SAFE_INTEGER, reason, topic, limit];
  return (await database.execute<BrowsedRecord>(pageStatement, parameters)).rows;
}
