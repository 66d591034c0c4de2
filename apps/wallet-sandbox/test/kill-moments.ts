import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { waitUntil } from '#platform';

/** A process of test support. */
interface Killable {
  readonly exited: Promise<unknown>;
  kill(signal: 'SIGKILL'): void;
}

/** Tables that the writer fills late: whoever waits for one has already written others. */
type LateTable = 'unique_value' | 'ledger';

/** Wherever it happens to be. */
export const killLater = async (running: Killable, delayMs: number): Promise<void> => {
  await delay(delayMs);
  running.kill('SIGKILL');
  await running.exited;
};

/** Holds the writer in the middle of a batch, kills the process there, and lets go. */
export const killWhileWriting = async (running: Killable, databaseUrl: string, table: LateTable): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE wallet_sandbox.${table} IN SHARE MODE`);
    const isHeld = async (): Promise<boolean> => {
      const { rowCount } = await client.query('SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted', [
        `wallet_sandbox.${table}`,
      ]);
      return rowCount === 1;
    };
    await waitUntil(isHeld, { what: `a writer that waits for ${table}`, timeoutMs: 10_000 });
    running.kill('SIGKILL');
    await running.exited;
  } finally {
    await client.end();
  }
};
