import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';

/** Passes everything on and counts the statements, the BEGIN and COMMIT of a transaction included. */
export class CountingDatabase implements Database {
  statements = 0;

  constructor(private readonly database: Database) {}

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    this.statements += 1;
    return this.database.execute<Row>(statement, parameters);
  }

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    this.statements += 2;
    return this.database.transaction(name, (session) =>
      work({
        query: <Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]) => {
          this.statements += 1;
          return session.query<Row>(statement, parameters);
        },
      }),
    );
  }
}
