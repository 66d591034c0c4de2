import { createHash } from 'node:crypto';

import type { Program, ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';
import type { Gateway } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import type { IngestKeys } from '#intents';
import { MemberKeys } from '#intents';
import type { Clock, Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';
import { anchorClock, createDataSource, digest, Keyring, SystemClock, SystemRandom, TypeormDatabase } from '#platform';

export const programName = 'coffee-club';

/** A second program, for what stands beside the first. */
export const otherProgramName = 'tea-club';

const programText = (name: string, concurrency: number): string => `
  ${name}:
    brandId: '101'
    programId: '${name === programName ? 2001 : 2002}'
    currency: EUR
    uniqueIdKey: memberId
    templateId: 11
    tiers: { basic: 1 }
    purchases:
      completed:
        transactionTypeId: '31'
        attributes: { store: storeId, receipt: purchaseId, campaign: attributes.campaign }
        uniqueAttribute: receipt
        uniqueEnforced: true
    limits: { concurrency: ${concurrency} }
`;

/** The programs file. */
export const programsText = (concurrency: number, names: readonly string[] = [programName]): string =>
  `programs:${names.map((name) => programText(name, concurrency)).join('')}`;

interface BenchPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
  readonly programs: Readonly<Record<string, Program>>;
}

/** The program of the benchmark, or several, read as the daemon reads its programs file. */
export const benchPrograms = (concurrency: number, names?: readonly string[]): BenchPrograms =>
  readPrograms(programsText(concurrency, names));

/** Its program beside sources of its own. */
export const benchSources = (sources: object): BenchPrograms =>
  readPrograms(`${programsText(1)}\nsources: ${JSON.stringify(sources)}`);

const readPrograms = (text: string): BenchPrograms => {
  const result = parseProgramsFile(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return { file: result.value, hash: digest(result.canonicalText), programs: result.value.programs };
};

/** The daemon's gateway, pointed at the stub. */
export const benchGateway = (stubOrigin: string, clock: Clock): Gateway =>
  createGateway({
    baseUrl: `${stubOrigin}/brands`,
    authUrl: stubOrigin,
    scope: null,
    readCredentials: () => ({ clientId: 'bench', clientSecret: 'bench' }),
    dialects: new DialectRegistry(),
    clock,
  });

/** Under the master key that the benchmark sealed everything with, base64. */
export const memberKeysOf = (encryptionKey: string): MemberKeys =>
  new MemberKeys(new Keyring([Buffer.from(encryptionKey, 'base64')]), new SystemRandom());

const derivedKey = (encryptionKey: string): Buffer => createHash('sha256').update(encryptionKey).digest();

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

/**
 * Opens a database that has the schema. The keys of digests only have to be the same in all processes of a run: consumers
 * with others are refused by their group.
 */
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
  const keys = {
    members: memberKeysOf(encryptionKey),
    mac: derivedKey(encryptionKey),
    quarantine: random.bytes(32),
    random,
  };
  return { database, clock, random, keys, close: () => source.destroy() };
};

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
        ...session,
        query: <Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]) => {
          this.statements += 1;
          return session.query<Row>(statement, parameters);
        },
      }),
    );
  }
}
