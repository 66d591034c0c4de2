import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

import { MemberKeys, ProgramsLoadRepository } from '#intents';
import { Keyring, PostgresConnection, SystemRandom } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { ProgramsHolder, takenPrograms } from '../programs/programs-holder.js';
import { runAcceptPrograms } from './accept-programs.js';
import { answerOf } from './testing/answer-of.js';

const encryptionKey = Buffer.from([...Array(32).keys()]).toString('base64');
const purchaseKey = 'club.purchaseKey';

describe('loyaltyd accept-programs', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let connection: PostgresConnection;
  let loads: ProgramsLoadRepository;
  let folder: string;

  beforeEach(async () => {
    database = await testDatabase();
    client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    const settings = { poolSize: 1, ssl: false as const, applicationName: 'accept-spec', migrations: [] };
    connection = new PostgresConnection({ url: database.url, ...settings, onPoolError: () => undefined });
    await connection.connect();
    const random = new SystemRandom();
    loads = new ProgramsLoadRepository(connection.database, new MemberKeys(new Keyring([random.bytes(32)]), random));
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-accept-'));
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([client.end(), connection.close(), rm(folder, { recursive: true })]);
    await database.dispose();
  });

  const path = (): string => join(folder, 'loyaltyd.yaml');

  /** As a process that starts with it. */
  async function start(club: string): Promise<readonly string[]> {
    await writeFile(path(), `programs: { club: { brandId: 1, programId: 2${club} } }`);
    return loads.admit(takenPrograms((await ProgramsHolder.open(path())).current, 'pod-0'), Date.now());
  }

  /** What the command answers: its exit code and what it writes. */
  async function answer(...accept: readonly string[]): Promise<[number, string]> {
    const env = { DATABASE_URL: database.url, LOYALTYD_ENCRYPTION_KEY: encryptionKey, LOYALTYD_PROGRAMS: path() };
    return answerOf(async () => runAcceptPrograms(env, { accept, by: 'ann', reason: 'the second store opens' }));
  }

  const wider = ', purchaseKey: [storeId, purchaseId]';

  it('lets a file in with which no process could start, by the names of what does harm, with who and why', async () => {
    expect(await start('')).toEqual([]);
    await client.query(`INSERT INTO intent_tally VALUES ('', -1, 'club', 'transaction', 1)`);
    expect(await start(wider)).toHaveLength(1);
    expect(await answer('club.currency')).toEqual([2, expect.stringMatching(/^programs\.club\.purchaseKey: /)]);
    expect(await answer(purchaseKey)).toEqual([0, expect.stringContaining(`accepted ${purchaseKey}`)]);
    expect(await start(wider)).toEqual([]);
    expect((await loads.list())[0]).toMatchObject({ actor: 'ann', accepted: [purchaseKey] });
    const { rows } = await client.query('SELECT actor, action, reason, address, detail FROM operator_action');
    expect(rows).toMatchObject([
      {
        ...{ actor: 'ann', action: 'programs.reload', reason: 'the second store opens', address: null },
        detail: { changed: true, accepted: [purchaseKey] },
      },
    ]);
    expect(await answer(purchaseKey)).toEqual([2, 'accept: no file was refused\n']);
  });

  it('means, beside the file in force, the one that was refused last', async () => {
    await start('');
    await client.query(`INSERT INTO intent_tally VALUES ('', -1, 'club', 'transaction', 1)`);
    await start(wider);
    await start('');
    expect((await answer(purchaseKey))[0]).toBe(0);
    expect(await start(wider)).toEqual([]);
  });

  it('says what is wrong with a file that is none', async () => {
    await writeFile(path(), 'programs: {');
    expect(await answer(purchaseKey)).toEqual([2, expect.stringContaining('not readable as YAML')]);
  });
});
