import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '../database/database.js';
import { DatabaseError } from '../database/database-error.js';
import type { ClockAnchor } from './clock-anchor.js';

/**
 * The database for all work that rests on our clock: claims, leases, recordings. While the clock is not trusted every
 * call is refused as `unavailable`, so that whoever calls tries again, with a time that is right by then. A lost
 * connection costs the clock its trust: the server behind the next one may be another.
 */
export class AnchoredDatabase implements Database {
  constructor(
    private readonly real: Database,
    private readonly anchor: Pick<ClockAnchor, 'isTrusted' | 'doubt'>,
  ) {}

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.guarded(name, () => this.real.transaction(name, work));
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.guarded(statement.name, () => this.real.execute<Row>(statement, parameters));
  }

  private async guarded<T>(operation: string, call: () => Promise<T>): Promise<T> {
    if (!this.anchor.isTrusted) {
      const cause = new Error('the clock is not anchored to the database');
      throw new DatabaseError(operation, 'unavailable', { sqlState: null, cause });
    }
    try {
      return await call();
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'unavailable') this.anchor.doubt();
      throw error;
    }
  }
}
