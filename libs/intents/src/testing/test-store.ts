import { createHash } from 'node:crypto';

import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { createDataSource, DatabaseError, Keyring, SystemRandom, TypeormDatabase } from '#platform';
import { testDatabase } from '#test-support';

import type { IngestKeys } from '../store/batch/recording.js';
import { MemberKeys } from '../store/keys/member-keys.js';

/** The library's view of a migrated test database, and a way to look behind it. */
export interface TestStore {
  /** Where Postgres has it, by its owner: for those who connect by themselves. */
  readonly url: string;
  /** As a daemon has it: the role owns nothing. */
  readonly database: TypeormDatabase;
  /** As those commands have it that only the owner may give. */
  readonly owned: TypeormDatabase;
  readonly random: SystemRandom;
  readonly keyring: Keyring;
  /** The only master key of `keyring`. */
  readonly masterKey: Uint8Array;
  /** Keys as one process holds them; another process has others: `newKeys`, and of these `newMemberKeys`. */
  readonly keys: IngestKeys;
  newKeys(): IngestKeys;
  newMemberKeys(): MemberKeys;
  /** Lets `keys` know every member's key, as a process does that has worked with them all. */
  learnKeys(): Promise<void>;
  /** Runs any SQL as the owner; int8 and timestamptz come back as numbers. */
  sql<Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** A migrated database of its own, opened; `close` drops it. */
export async function testStore(poolSize?: number): Promise<TestStore & { readonly adminUrl: string }> {
  const test = await testDatabase();
  const store = await openTestStore(test.url, poolSize, test.ownerUrl);
  const close = async (): Promise<void> => {
    await store.close();
    await test.dispose();
  };
  return { ...store, adminUrl: test.adminUrl, close };
}

async function openSource(url: string, poolSize: number): Promise<ReturnType<typeof createDataSource>> {
  const source = createDataSource({
    url,
    poolSize,
    ssl: false,
    applicationName: 'intents-spec',
    migrations: [],
    onPoolError: () => undefined,
  });
  await source.initialize();
  return source;
}

/** Opens the database at `url`, which has the current schema. @param ownerUrl the same database by its owner, for `sql` */
export async function openTestStore(url: string, poolSize = 10, ownerUrl = url): Promise<TestStore> {
  const [source, ownedSource] = await Promise.all([openSource(url, poolSize), openSource(ownerUrl, poolSize)]);
  const random = new SystemRandom();
  const masterKey = random.bytes(32);
  const keyring = new Keyring([masterKey]);
  const database = new TypeormDatabase(source);
  const owned = new TypeormDatabase(ownedSource);
  const newMemberKeys = (): MemberKeys => new MemberKeys(keyring, random);
  const shared = { mac: random.bytes(32), quarantine: random.bytes(32), random };
  const newKeys = (): IngestKeys => ({ ...shared, members: newMemberKeys() });
  const keys = newKeys();
  const sql = async <Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]> => {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return (await owned.execute<Row>({ name, text }, parameters)).rows;
  };
  const learnKeys = async (): Promise<void> => {
    const rows = await sql<{ lane_id: number; wrapped_key: Buffer }>('SELECT lane_id, wrapped_key FROM member_key');
    for (const { lane_id: laneId, wrapped_key: wrapped } of rows) keys.members.learn(laneId, wrapped);
  };
  const close = async (): Promise<void> => {
    await Promise.all([source.destroy(), ownedSource.destroy()]);
  };
  return {
    url: ownerUrl,
    database,
    owned,
    random,
    keyring,
    masterKey,
    keys,
    newKeys,
    newMemberKeys,
    learnKeys,
    sql,
    close,
  };
}

/** The store, in whose next transaction something happens before a statement. */
export function withBefore(real: TestStore, statement: string, happens: () => Promise<unknown>): TestStore {
  const database = Object.create(real.database) as TestStore['database'];
  let isLeft = true;
  database.transaction = (name, work) =>
    real.database.transaction(name, (session) =>
      work({
        ...session,
        query: async (asked, parameters) => {
          const isNow = isLeft && asked.name === statement;
          if (isNow) isLeft = false;
          if (isNow) await happens();
          return session.query(asked, parameters);
        },
      }),
    );
  return { ...real, database };
}

/** How the next statement of that name fails: before it runs, as a deadlock that Postgres broke, or as a defect. */
interface Fault {
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
      return work({ ...session, query });
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
