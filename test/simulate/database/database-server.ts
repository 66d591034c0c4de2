import type { SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

import type { Timeline } from '../kernel/timeline.js';
import { calmDatabase } from './database-weather.js';
import { LaneWatch } from './lane-watch.js';
import type { PgliteEngine } from './pglite-engine.js';
import { SqlError } from './wire-answer.js';

/** Sees what the server does; reads only. */
export interface DatabaseWitness {
  ran(statement: SqlStatement, parameters: readonly SqlParameter[], rowCount: number): void;
  committed(): void;
  rolledBack(): void;
}

/**
 * The one Postgres of a world: transactions one after the other, each in a single moment. Whoever calls it, and what
 * becomes of the call on its way, is the business of `SimDatabase`.
 */
export class DatabaseServer {
  readonly weather = calmDatabase();
  /** Refusals by the server itself: constraints, defects. A world that has none of them expects none. */
  readonly refusals: string[] = [];
  private readonly watch: LaneWatch;
  private openTransaction: string | null = null;
  private witness: DatabaseWitness | null = null;

  constructor(
    private readonly engine: PgliteEngine,
    private readonly timeline: Timeline,
  ) {
    this.watch = new LaneWatch(engine);
  }

  beWatchedBy(witness: DatabaseWitness): void {
    this.witness = witness;
  }

  /** One statement, committed. @throws DatabaseError */
  execute<Row extends object>(statement: SqlStatement, parameters: readonly SqlParameter[]): SqlResult<Row> {
    this.assertFree(statement.name);
    if (statement.name === 'read_database_clock') return { rows: [{ at: this.timeline.now } as never], rowCount: 1 };
    const spared = this.watch.spare(statement, parameters);
    if (spared !== null) return spared;
    const result = this.run<Row>(statement, parameters);
    this.witness?.committed();
    return result;
  }

  /**
   * A whole transaction. `work` may wait for nothing but its own queries and what answers at once.
   * @throws DatabaseError, or what `work` throws
   */
  async transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    this.assertFree(name);
    this.openTransaction = name;
    this.engine.script('BEGIN');
    try {
      const value = await work({ query: async (statement, parameters = []) => this.run(statement, parameters) });
      this.engine.script('COMMIT');
      this.witness?.committed();
      return value;
    } catch (error) {
      this.engine.script('ROLLBACK');
      this.witness?.rolledBack();
      throw error;
    } finally {
      this.openTransaction = null;
    }
  }

  /** A transaction that outlives its moment waits for something that it must not wait for. */
  assertFree(by: string): void {
    if (this.openTransaction === null) return;
    throw new Error(`${by} finds the transaction ${this.openTransaction} open: it waits for something outside`);
  }

  private run<Row extends object>(statement: SqlStatement, parameters: readonly SqlParameter[]): SqlResult<Row> {
    try {
      const result = this.engine.run<Row>(statement, parameters);
      this.watch.ran(statement);
      this.witness?.ran(statement, parameters, result.rowCount);
      this.timeline.trace.note(this.timeline.now, `sql ${statement.name} ${result.rowCount}`);
      return result;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.refusals.push(`${statement.name}: ${error.sqlState} ${error.message}`);
      throw new DatabaseError(statement.name, 'failed', { sqlState: error.sqlState, cause: error });
    }
  }
}
