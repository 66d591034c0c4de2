import { AnchoredDatabase } from '../clock/clock-anchor.js';
import { DatabaseError } from './database-error.js';
import type { Database, SqlSession } from './database.js';
import { asNoReader, asReader, PooledReadingDatabase, ReadersBusyError, SharedDatabase } from './reading-database.js';

const ping = { name: 'ping', text: 'SELECT' };

/** Notes what it is asked. */
function databaseOf(name: string, asked: string[], failure: Error | null = null): Database {
  const answer = async (what: string): Promise<never> => {
    asked.push(`${name} ${what}`);
    return failure === null ? ({ rows: [], rowCount: 0 } as never) : Promise.reject(failure);
  };
  return {
    execute: () => answer('execute'),
    transaction: async <T>(what: string, work: (session: SqlSession) => Promise<T>) => {
      await answer(what);
      return work({} as SqlSession);
    },
  };
}

describe('a database that is shared with readers', () => {
  let asked: string[];
  let database: SharedDatabase;

  beforeEach(() => {
    asked = [];
    const readers = new PooledReadingDatabase(databaseOf('readers', asked));
    database = new SharedDatabase(databaseOf('own', asked), readers);
  });

  it('goes to their connections with what a reader asks, and with whatever that begins', async () => {
    await database.execute(ping);
    await asReader(async () => {
      await database.execute(ping);
      await database.transaction('deep', async () => Promise.resolve());
      await asNoReader(() => database.execute(ping));
      await database.execute(ping);
    });
    await database.execute(ping);
    expect(asked).toEqual([
      'own execute',
      'readers execute',
      'readers deep',
      'own execute',
      'readers execute',
      'own execute',
    ]);
  });
});

describe('the connections of readers', () => {
  const failing = (sqlState: string | null, message: string): PooledReadingDatabase => {
    const failure = new DatabaseError('ping', 'unavailable', { sqlState, cause: new Error(message) });
    return new PooledReadingDatabase(databaseOf('readers', [], failure));
  };

  it('are busy when none came free in time; any other failure is itself', async () => {
    const full = 'timeout exceeded when trying to connect';
    await expect(failing(null, full).execute(ping)).rejects.toBeInstanceOf(ReadersBusyError);
    await expect(failing(null, full).transaction('x', async () => undefined)).rejects.toBeInstanceOf(ReadersBusyError);
    await expect(failing('57014', 'cancelled').execute(ping)).rejects.toMatchObject({ sqlState: '57014' });
  });
});

describe('a statement that the server has ended', () => {
  // The clock lost its trust: everything of the process was refused for a moment, delivery included.
  it.each([
    ['57014', 0],
    ['57P01', 1],
    [null, 1],
  ])('%s: the connection is doubted %d times', async (sqlState, times) => {
    let doubts = 0;
    const failure = new DatabaseError('ping', 'unavailable', { sqlState, cause: null });
    const anchor = { isTrusted: true, doubt: () => void (doubts += 1) };
    await expect(new AnchoredDatabase(databaseOf('own', [], failure), anchor).execute(ping)).rejects.toBe(failure);
    expect(doubts).toBe(times);
  });
});
