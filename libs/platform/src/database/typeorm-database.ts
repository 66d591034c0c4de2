import type pg from 'pg';
import { liftLimit, limitAgain } from './answer-limit.js';
import { columnParsers, type PooledDataSource } from './data-source.js';
import { DatabaseError, toDatabaseError } from './database-error.js';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from './database.js';

const byteaOid = 17;
/** Dimensions, null flag, element type, then length and lower bound of the one dimension: five int32. */
const arrayHeaderBytes = 20;
const int32Bytes = 4;

type Element = Exclude<SqlParameter, readonly SqlParameter[]>;

/**
 * Arrays as Postgres reads them fastest. node-postgres writes every array as text and runs two regular expressions per
 * element; bytes become hex, twice as long, to be decoded again by the server. Sending 500 sealed payloads of 1 KB took
 * a third of ingest's time in the driver (profiled).
 *
 * `bytea[]` goes out in binary form, other arrays as array literals. Anything else is the driver's business.
 */
export function encodeParameter(value: SqlParameter): unknown {
  if (!Array.isArray(value)) return value;
  const elements = value as readonly SqlParameter[];
  const first = elements.find((element) => element !== null);
  if (Array.isArray(first)) return value;
  return first instanceof Uint8Array
    ? byteaArray(elements as readonly (Uint8Array | null)[])
    : arrayLiteral(elements as readonly Element[]);
}

function byteaArray(elements: readonly (Uint8Array | null)[]): Buffer {
  const bytes = elements.reduce((sum, element) => sum + int32Bytes + (element?.length ?? 0), arrayHeaderBytes);
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(elements.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(byteaOid, 8);
  buffer.writeInt32BE(elements.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = arrayHeaderBytes;
  for (const element of elements) {
    at = buffer.writeInt32BE(element?.length ?? -1, at);
    if (element === null) continue;
    buffer.set(element, at);
    at += element.length;
  }
  return buffer;
}

/** Joined by the engine at once: a text that grows element by element is copied again when it is written. */
function arrayLiteral(elements: readonly Element[]): string {
  return `{${elements.map(elementText).join(',')}}`;
}

function elementText(element: Element): string {
  if (element === null) return 'NULL';
  return typeof element === 'string' ? quoted(element) : String(element);
}

const special = /["\\]/;

function quoted(text: string): string {
  return special.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`;
}

/** Deadlocks and serialization failures are repeated at once, at most so many times in all. */
export const transactionAttemptsMax = 5;

/** Most often another server has taken over: a new connection finds it, this one would stay with the old. */
const takesNoWrites = '25006';

type Queryable = Pick<pg.Client, 'query'>;

async function run<Row extends object>(
  client: Queryable,
  statement: SqlStatement,
  parameters: readonly SqlParameter[],
): Promise<SqlResult<Row>> {
  const result = await named(statement.name, () =>
    client.query<Row>({
      name: statement.name,
      text: statement.text,
      values: parameters.map(encodeParameter),
      types: columnParsers,
    }),
  );
  return { rows: result.rows, rowCount: result.rowCount ?? 0 };
}

/** Gives the driver's error the operation's name; errors of the caller's own `work` pass through untouched. */
async function named<T>(operation: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toDatabaseError(operation, error);
  }
}

async function repeatContention<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isContention = error instanceof DatabaseError && error.kind === 'contention';
      if (!isContention || attempts >= transactionAttemptsMax) throw error;
    }
  }
}

/** The database port on TypeORM's pool and transactions, with node-postgres' named prepared statements. */
export class TypeormDatabase implements Database {
  constructor(private readonly dataSource: PooledDataSource) {}

  async transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return repeatContention(() => this.transactOnce(name, work));
  }

  async execute<Row extends object>(
    statement: SqlStatement,
    parameters: readonly SqlParameter[] = [],
  ): Promise<SqlResult<Row>> {
    return repeatContention(() => run<Row>(this.dataSource.pool, statement, parameters));
  }

  private async transactOnce<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await named(name, () => runner.connect())) as pg.Client;
      return await transact(client, name, work);
    } finally {
      await runner.release();
    }
  }
}

/** What is sent until the process has nothing else to do at once leaves in one packet: the server wakes once for it. */
function sendTogether(client: pg.Client): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

/** BEGIN travels with the first statements; nothing but a read is sent before the server has answered it. */
async function transact<T>(client: pg.Client, name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
  sendTogether(client);
  const begun = named(name, () => client.query('BEGIN'));
  // Whoever fails to hear of it by a statement hears of it before the commit.
  begun.catch(() => undefined);
  let isOrdinary = false;
  const query: SqlSession['query'] = async (statement, parameters = []) => {
    isOrdinary ||= statement.isRead !== true;
    if (isOrdinary) await begun;
    if (statement.mayTakeLong === true) await liftLimits(client, statement.name);
    sendTogether(client);
    return run(client, statement, parameters);
  };
  try {
    const value = await work({ query });
    await begun;
    await named(name, () => commit(client));
    return value;
  } catch (error) {
    // A broken connection cannot roll back either; the server does it when the socket closes.
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof DatabaseError && error.sqlState === takesNoWrites) await drop(client);
    throw error;
  } finally {
    limitAgain(client);
  }
}

/** Resolves when the pool has heard of it, too: it would hand the connection over once more. */
async function drop(client: pg.Client): Promise<void> {
  const { stream: socket } = client.connection;
  if (socket.closed) return;
  const ended = new Promise((resolve) => client.once('end', resolve));
  socket.destroy();
  await ended;
}

/** For the rest of the transaction. */
async function liftLimits(client: pg.Client, operation: string): Promise<void> {
  liftLimit(client);
  await named(operation, () => client.query('SET LOCAL statement_timeout = 0'));
}

/** The server answers COMMIT with ROLLBACK, not with an error, when a statement of the transaction has failed. */
async function commit(client: pg.Client): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command !== 'COMMIT') throw new TypeError('the transaction was rolled back: one of its statements had failed');
}
