/** Values node-postgres can bind. Arrays become Postgres arrays; `number` for int8 must be a safe integer. */
export type SqlParameter = string | number | boolean | null | Uint8Array | readonly SqlParameter[];

/** One SQL statement with a stable name: prepared once per connection under that name, and shown in metrics. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
  /** Changes nothing, though it may lock: it may be sent together with its transaction's BEGIN. */
  readonly isRead?: true;
  /**
   * It takes as long as it takes, and so may what follows in its transaction: neither the server nor we end it. Only
   * within a transaction.
   */
  readonly mayTakeLong?: true;
}

export interface SqlResult<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
}

/**
 * One open transaction. Statements run in the order of the calls; a call may be made before the last one has been
 * answered, and then shares its round trip. All answers must be awaited before the work resolves. int8 and timestamptz
 * come back as `number` (timestamptz as epoch ms), bytea as Buffer.
 */
export interface SqlSession {
  query<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>>;
  /**
   * Absent where the database commits only when the work has resolved. Sends COMMIT behind the statements that have been
   * called, none of which need have been answered: it saves a round trip. Postgres rolls back where one of them has failed,
   * and then the work must reject. Nothing may be called after it.
   * @param hasFailed asked once all that was called is on its way: true (something could not even be sent) prevents it
   */
  commitUnless?(hasFailed: () => boolean): void;
}

/**
 * The database port: one call is one transaction, so that a simulation can order whole transactions
 * (design.md section 2). Both methods retry deadlocks and serialization failures (40P01, 40001) up to
 * `transactionAttemptsMax` times, and throw `DatabaseError` otherwise.
 */
export abstract class Database {
  /** Runs `work` in one READ COMMITTED transaction on one connection; commits when it resolves. */
  abstract transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Runs one statement as its own transaction, in one round trip. */
  abstract execute<Row extends object>(
    statement: SqlStatement,
    parameters?: readonly SqlParameter[],
  ): Promise<SqlResult<Row>>;
}

const statement: SqlStatement = { name: 'set_read_only', text: 'SET TRANSACTION READ ONLY' };

/** The same database, on which nothing can be changed: Postgres refuses what would. */
export function readOnlyDatabase(database: Database): Database {
  const transaction: Database['transaction'] = (name, work) =>
    database.transaction(name, async (session) => {
      await session.query(statement);
      return work(session);
    });
  return {
    transaction,
    execute: (asked, parameters) => transaction(asked.name, (session) => session.query(asked, parameters)),
  };
}
