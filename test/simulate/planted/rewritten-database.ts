import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';

/** Another text for statements of this name (or whose name begins so). */
export interface Rewrite {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** A database that is asked something else than the code meant to ask. */
export class RewrittenDatabase implements Database {
  constructor(
    private readonly database: Database,
    private readonly rewrite: Rewrite,
  ) {}

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.database.transaction(name, (session) =>
      work({ query: (statement, parameters) => session.query(this.changed(statement), parameters) }),
    );
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.database.execute<Row>(this.changed(statement), parameters);
  }

  private changed(statement: SqlStatement): SqlStatement {
    const { name, from, to } = this.rewrite;
    if (!statement.name.startsWith(name)) return statement;
    if (!statement.text.includes(from)) throw new Error(`${name} holds no ${from} any more: plant the bug anew`);
    return { name: `${statement.name}_planted`, text: statement.text.replaceAll(from, to) };
  }
}
