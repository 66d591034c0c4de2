import type { SqlParameter } from '#platform';
import { createDataSource, Keyring, SystemRandom, TypeormDatabase } from '#platform';
import { createHash } from 'node:crypto';

import type { IngestKeys } from '../batch/ingest-keys.js';
import { MemberKeys } from '../keys/member-keys.js';

/** The library's view of a migrated test database, and a way to look behind it. */
export interface TestStore {
  readonly database: TypeormDatabase;
  readonly random: SystemRandom;
  readonly keyring: Keyring;
  /** Keys as one process holds them; another process has others: `newMemberKeys`. */
  readonly keys: IngestKeys;
  newMemberKeys(): MemberKeys;
  /** Runs any SQL; int8 and timestamptz come back as numbers. */
  sql<Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Opens the database at `url`, which has the current schema. */
export async function openTestStore(url: string, poolSize = 10): Promise<TestStore> {
  const source = createDataSource({
    url,
    poolSize,
    ssl: false,
    applicationName: 'intents-spec',
    migrations: [],
    onPoolError: () => undefined,
  });
  await source.initialize();
  const random = new SystemRandom();
  const keyring = new Keyring([random.bytes(32)]);
  const database = new TypeormDatabase(source);
  const newMemberKeys = (): MemberKeys => new MemberKeys(keyring, random);
  const keys = { members: newMemberKeys(), mac: random.bytes(32), quarantine: random.bytes(32), random };
  const sql = async <Row extends object>(text: string, ...parameters: readonly SqlParameter[]): Promise<Row[]> => {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return (await database.execute<Row>({ name, text }, parameters)).rows;
  };
  return { database, random, keyring, keys, newMemberKeys, sql, close: () => source.destroy() };
}
