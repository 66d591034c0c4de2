import type { DatabaseError } from '#platform';
import { SafeError } from '#platform';

/** Another transaction recorded the same member or identity between our look and our insert: look again. */
export class BatchRaceError extends SafeError {
  override readonly name = 'BatchRaceError';

  constructor(readonly on: 'member' | 'identity' | 'offset') {
    super(`another batch recorded the same ${on} meanwhile`);
  }
}

/** Two recording the same identity at once is rare; so many in a row is a defect. */
const batchRaceAttemptsMax = 5;

/**
 * Repeats what lost a race against another recording.
 * @param attempt `isPessimistic`: one before it lost a race; what is read is to be locked
 */
export async function repeatRaces<T>(attempt: (isPessimistic: boolean) => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(attempts > 1);
    } catch (error) {
      if (!(error instanceof BatchRaceError) || attempts >= batchRaceAttemptsMax) throw error;
    }
  }
}

/**
 * Statements of one transaction whose answers nobody needs before the commit: they share a round trip. What follows them
 * sees what they wrote, for the server runs them in order.
 */
export class PendingWrites {
  private readonly writes: Promise<void>[] = [];

  add(write: Promise<void>): void {
    // Whoever gives up on the transaction asks `failure`; until then nobody may be listening.
    write.catch(() => undefined);
    this.writes.push(write);
  }

  /** Resolves once all are answered. @throws what the first one failed with */
  async answered(): Promise<void> {
    for (const write of this.writes) await write;
  }

  /** What the first failed one failed with, once all are answered; null: none failed. */
  async failure(): Promise<unknown> {
    const settled = await Promise.allSettled(this.writes);
    return settled.find((result) => result.status === 'rejected')?.reason ?? null;
  }
}

/**
 * Does the work of a transaction, the answers of its pending writes included.
 * @throws what failed first: after a failed statement the server refuses all that follow, and the first one tells why
 */
export async function withPendingWrites<T>(work: (writes: PendingWrites) => Promise<T>): Promise<T> {
  const writes = new PendingWrites();
  try {
    const result = await work(writes);
    await writes.answered();
    return result;
  } catch (error) {
    throw (await writes.failure()) ?? error;
  }
}

/**
 * SQLSTATE classes that speak of the data sent: data exception, integrity constraint, program limit exceeded. Others
 * that will not pass either (a missing table, a missing right) speak of the installation: no record is to blame, and
 * setting all of them aside one by one would help nobody.
 */
const contentClasses = new Set(['22', '23', '54']);

/** Whether the database refused these very records. */
export function isContentFailure({ kind, sqlState }: DatabaseError): boolean {
  return kind === 'failed' && (sqlState === null || contentClasses.has(sqlState.slice(0, 2)));
}

/** Names the stage and code at which recording failed, never a value. */
export function describeDatabaseFailure({ operation, sqlState }: DatabaseError): string {
  return `record: ${operation} failed${sqlState === null ? '' : ` (${sqlState})`}`;
}
