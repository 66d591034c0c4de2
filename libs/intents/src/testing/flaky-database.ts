import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { DatabaseError } from '#platform';

/** How the next statement of that name fails: before it runs, as a deadlock that Postgres broke, or as a defect. */
export interface Fault {
  readonly statement: string;
  readonly kind: 'contention' | 'failed';
}

/** A database whose transactions fail once, at a statement of choice. */
export class FlakyDatabase implements Database {
  private fault: Fault | null;

  constructor(
    private readonly real: Database,
    fault: Fault,
  ) {
    this.fault = fault;
  }

  /** The fault has happened. */
  get hasFailed(): boolean {
    return this.fault === null;
  }

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.real.transaction(name, (session) => {
      const query = async <Row extends object>(
        statement: SqlStatement,
        parameters: readonly SqlParameter[] = [],
      ): Promise<SqlResult<Row>> => {
        this.failAt(statement);
        return session.query<Row>(statement, parameters);
      };
      return work({ query });
    });
  }

  execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    return this.real.execute<Row>(statement, parameters);
  }

  private failAt({ name }: SqlStatement): void {
    if (this.fault?.statement !== name) return;
    const { kind } = this.fault;
    this.fault = null;
    throw new DatabaseError(name, kind, { sqlState: kind === 'contention' ? '40P01' : 'XX000', cause: null });
  }
}
