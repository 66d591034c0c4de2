import { type IngestKeys, MemberKeys } from '#intents';
import { anchorClock, createDataSource, Keyring, SystemClock, SystemRandom, TypeormDatabase } from '#platform';

/** What the daemon builds on its database; see `openStorage` there. */
export interface BenchStore {
  readonly database: TypeormDatabase;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  readonly keys: IngestKeys;
  close(): Promise<void>;
}

/** The default of `DATABASE_POOL_SIZE`. */
export const poolSize = 10;

/** Opens a database that has the schema. The keys of digests are of no account here: nothing is compared across runs. */
export const openStore = async (url: string, encryptionKey: string): Promise<BenchStore> => {
  const applicationName = 'loyaltyd-bench';
  // Of its message only: the error carries the whole client.
  const onPoolError = (error: unknown): void => console.error(String(error));
  const source = createDataSource({ url, poolSize, ssl: false, applicationName, migrations: [], onPoolError });
  await source.initialize();
  const database = new TypeormDatabase(source);
  const clock = new SystemClock();
  await anchorClock(clock, database);
  const random = new SystemRandom();
  const members = new MemberKeys(new Keyring([Buffer.from(encryptionKey, 'base64')]), random);
  const keys = { members, mac: random.bytes(32), quarantine: random.bytes(32), random };
  return { database, clock, random, keys, close: () => source.destroy() };
};
