import type { SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

import type { Timeline } from '../kernel/timeline.js';
import type { PgliteEngine } from './pglite-engine.js';
import { SqlError } from './wire.js';

/** What befalls calls of the database just now; probabilities of each call. */
interface DatabaseWeather {
  /** Nobody can reach it. */
  isDown: boolean;
  /** Fails before anything has happened. */
  failsBefore: number;
  /** Commits, but nobody hears of it. */
  losesAcknowledgement: number;
  /** The caller is told that it failed, and the statement runs all the same, later. */
  runsAfterFailure: number;
  /** A transaction breaks off in its middle and is rolled back. */
  breaksOff: number;
  /** Deadlocks that outlived their repetitions. */
  contends: number;
  /** Takes seconds. */
  isSlow: number;
}

export function faultFreeDatabase(): DatabaseWeather {
  return {
    isDown: false,
    failsBefore: 0,
    losesAcknowledgement: 0,
    runsAfterFailure: 0,
    breaksOff: 0,
    contends: 0,
    isSlow: 0,
  };
}

const nextDueStatement: SqlStatement = {
  name: 'sim_next_due',
  text: 'SELECT program_id, min(due_at) AS at FROM lane WHERE due_at IS NOT NULL GROUP BY program_id',
};

const laneChange = /\b(?:UPDATE|INTO|DELETE FROM|TRUNCATE)\s+lane\b/i;

/**
 * Spares claims that cannot find anything: most of a quiet world is idle polling, and an empty claim costs as much as a
 * full one. Sound because nothing but a statement changes a lane, and there is one session.
 */
class LaneWatch {
  /** When the first lane of each program is due; null: it must be asked. */
  private nextDue: ReadonlyMap<string, number> | null = null;
  private readonly changing = new Map<string, boolean>();

  constructor(private readonly engine: PgliteEngine) {}

  /** Nothing to be found; null: it must be asked. */
  spare({ name }: SqlStatement, [program, now]: readonly SqlParameter[]): SqlResult<never> | null {
    if (!name.startsWith('claim_lanes_')) return null;
    this.nextDue ??= this.learn();
    const dueAt = this.nextDue.get(String(program)) ?? Infinity;
    return Date.parse(String(now)) < dueAt ? { rows: [], rowCount: 0 } : null;
  }

  ran(statement: SqlStatement): void {
    if (this.changesLanes(statement)) this.nextDue = null;
  }

  private changesLanes({ name, text }: SqlStatement): boolean {
    const known = this.changing.get(name);
    if (known !== undefined) return known;
    const changes = laneChange.test(text);
    this.changing.set(name, changes);
    return changes;
  }

  private learn(): Map<string, number> {
    const { rows } = this.engine.run<{ program_id: string; at: number }>(nextDueStatement);
    return new Map(rows.map((row) => [row.program_id, row.at]));
  }
}

/** A known record that was written as new shows by it (docs/decisions/0247), and what follows in a refused transaction tells nothing more. */
function isLookedFor({ name }: SqlStatement, { sqlState }: SqlError): boolean {
  return (name === 'insert_identities' && sqlState === '23505') || sqlState === '25P02';
}

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
  readonly weather = faultFreeDatabase();
  /** Refusals by the server itself, but those that are looked for: constraints, defects. A world that has none of them expects none. */
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
      if (!isLookedFor(statement, error)) this.refusals.push(`${statement.name}: ${error.sqlState} ${error.message}`);
      throw new DatabaseError(statement.name, 'failed', { sqlState: error.sqlState, cause: error });
    }
  }
}
