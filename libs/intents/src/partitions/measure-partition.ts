import type { Database, SqlStatement } from '#platform';

/** Pages looked at to estimate a partition, in percent. */
const samplePercent = 1;

export interface OldPartition {
  readonly name: string;
  /** As Postgres writes them: `FOR VALUES FROM (...) TO (...)`. */
  readonly bounds: string;
}

const listStatement: SqlStatement = {
  name: 'list_old_partitions',
  text: `
SELECT relname AS name, bounds FROM (
  SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
  WHERE inhparent = 'intent_event'::regclass
) p
WHERE (substring(bounds FROM 'TO \\(''?(\\d+)'))::bigint <= $1::bigint ORDER BY relname`,
};

/** Partitions that get no further event: every position in them is final. */
export async function listOldPartitions(database: Database, finalPosition: number): Promise<readonly OldPartition[]> {
  return (await database.execute<OldPartition>(listStatement, [finalPosition])).rows;
}

export interface PartitionFill {
  readonly bytes: number;
  /** Of them, estimated from a sample. */
  readonly usedBytes: number;
}

/** How much of a partition's file holds events. @param name of a partition of ours */
export async function measurePartition(database: Database, name: string): Promise<PartitionFill> {
  const text = `
SELECT pg_relation_size('${name}')::float8 AS bytes,
  COALESCE((SELECT sum(pg_column_size(e.*)) FROM ${name} e TABLESAMPLE SYSTEM (${samplePercent})), 0) * ${100 / samplePercent}::float8
    AS "usedBytes"`;
  const { rows } = await database.execute<PartitionFill>({ name: `measure_${name}`, text });
  return rows[0] ?? { bytes: 0, usedBytes: 0 };
}
