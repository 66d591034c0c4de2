import type { SqlSession, SqlStatement } from '#platform';
import { ToldError } from '#platform';

/** Another process has taken over the run, or this one is to end. */
export class RetentionStoppedError extends ToldError {
  override readonly name = 'RetentionStoppedError';
}

/** A run that is ours until somebody takes it over. Both throw {@link RetentionStoppedError} where it is not. */
export interface RetentionHold {
  /** Between two steps: renews it now and then. */
  readonly stillOurs: () => Promise<void>;
  /** First in a transaction that must not be another's: nobody takes the run over before that transaction has ended. */
  readonly fence: (session: Pick<SqlSession, 'query'>) => Promise<void>;
}

/** Whoever takes over has a name of their own: while it is ours still, nobody else was at it since we began. */
const statement: SqlStatement = {
  name: 'fence_retention',
  isRead: true,
  text: 'SELECT FROM retention_run WHERE owner = $1::uuid FOR UPDATE',
};

/** A lease that has run out does not say that somebody took it; this does. */
export async function fenceRetention(session: Pick<SqlSession, 'query'>, owner: string): Promise<void> {
  if ((await session.query(statement, [owner])).rowCount > 0) return;
  throw new RetentionStoppedError('another process has taken over');
}
