import type { Database, SqlParameter, SqlResult, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

interface OffsetRow {
  readonly topic: string;
  readonly partition: number;
  readonly incarnation: number;
  next_offset: number;
}

/** A database that knows `kafka_offset` and nothing else. */
export class FakeOffsets implements Database {
  readonly rows: OffsetRow[] = [];
  isAway = false;

  async execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    if (this.isAway) throw new DatabaseError(statement.name, 'unavailable', { sqlState: null, cause: null });
    if (statement.name === 'start_offset') this.insert(parameters);
    return { rows: this.rows as unknown as Row[], rowCount: this.rows.length };
  }

  transaction<T>(): Promise<T> {
    return Promise.reject(new Error('no transactions here'));
  }

  private insert([, topic, incarnation, partition, offset]: readonly SqlParameter[]): void {
    if (this.rows.some((row) => row.topic === topic && row.partition === partition)) return;
    const row = { topic: String(topic), partition: Number(partition), incarnation: Number(incarnation) };
    this.rows.push({ ...row, next_offset: Number(offset) });
  }
}
