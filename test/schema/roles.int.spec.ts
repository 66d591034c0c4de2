import pg from 'pg';

import { clearBytes, grantRoles, inspectRole, ourTables } from '#intents';
import type { Database } from '#platform';
import { PostgresConnection } from '#platform';
import type { TestDatabase } from '#test-support';
import { createPlainUser, dropUser, testDatabase, withClient } from '#test-support';

const refused = '42501';
const appendOnly = '23000';

let test: TestDatabase;
let owner: PostgresConnection;
const urls: Record<'run' | 'read', string> = { run: '', read: '' };

const roleName = (duty: string): string => `${new URL(test.url).pathname.slice(1)}_${duty}`;

async function connect(url: string): Promise<PostgresConnection> {
  const connection = new PostgresConnection({
    url,
    poolSize: 2,
    ssl: false,
    applicationName: 'roles-spec',
    migrations: [],
    onPoolError: () => undefined,
  });
  await connection.connect();
  return connection;
}

async function withRole<T>(duty: keyof typeof urls, work: (database: Database) => Promise<T>): Promise<T> {
  const connection = await connect(urls[duty]);
  try {
    return await work(connection.database);
  } finally {
    await connection.close();
  }
}

const grants = (): Record<keyof typeof urls, string> => ({
  run: roleName('run'),
  read: roleName('read'),
});

const rowsOf = async <Row extends object>(url: string, text: string, ...values: readonly unknown[]): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(text, [...values])).rows);

/** SQLSTATE of what Postgres answers to the last of these, in one session; null: it does it. Nothing of it stays. */
async function answerTo(url: string, ...texts: readonly string[]): Promise<string | null> {
  return withClient(url, async (client) => {
    await client.query('BEGIN');
    try {
      for (const text of texts) await client.query(text);
      return null;
    } catch (error) {
      return (error as pg.DatabaseError).code ?? String(error);
    } finally {
      await client.query('ROLLBACK');
    }
  });
}

const at = "'2026-11-21T09:00:00Z'";
/** A row in every table of the truth. */
const seeds = [
  `INSERT INTO member (lane_id, program_id, member_id, created_at, enrolment_key, enrolment_mac)
   VALUES (1, 'club', 'm_1', ${at}, '\\x01', '\\x02')`,
  `INSERT INTO member_key VALUES (1, '\\x03')`,
  `INSERT INTO lane (lane_id, program_id) VALUES (1, 'club')`,
  `INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at, recorded_at, topic,
     partition, kafka_offset, programs_hash)
   VALUES (1, 1, 1, 'issue', '\\x01', '\\x02', 't', ${at}, ${at}, ${at}, 'topic', 0, 0, '\\x03')`,
  `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, sealed) VALUES (1, 1, 2, 0, 0, 'PassFound', ${at}, '\\x04')`,
  `INSERT INTO dedup (key, kind, body_mac, lane_id, seq, seen_on) VALUES ('\\x01', 'event', '\\x02', 1, 9, '2020-01-01')`,
  `INSERT INTO lane_start VALUES (1, 1, 1, 1, 1, NULL, 'known', ${at})`,
  `INSERT INTO operator_action (at, actor, action, reason) VALUES (${at}, 'ada', 'pause', 'why')`,
  `INSERT INTO recovery VALUES (${at}, ${at}, ${at})`,
  `INSERT INTO provisioned (brand_id, program_id, kind, type_id, name, version, step_id, action, state, content, at)
   VALUES ('1', '2', 'brand', 't', 'n', 1, gen_random_uuid(), 'create', 'begun', '{}', ${at})`,
  `INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, value_bytes, broker_at, recorded_at)
   VALUES ('topic', 0, 0, 'undecodable', '', '\\x06', 1, ${at}, ${at})`,
  `INSERT INTO quarantine_settlement (quarantine_id, at, actor, reason, result) VALUES (1, ${at}, 'ada', 'why', 'discarded')`,
];

beforeAll(async () => {
  test = await testDatabase();
  for (const duty of ['run', 'read'] as const) {
    urls[duty] = await createPlainUser(test.adminUrl, roleName(duty));
  }
  owner = await connect(test.ownerUrl);
  await grantRoles(owner.database, grants());
  await withClient(test.ownerUrl, async (client) => {
    for (const text of seeds) await client.query(text);
  });
});

afterAll(async () => {
  await owner.close();
  const { adminUrl } = test;
  const server = new URL(adminUrl);
  const names = Object.keys(urls).map(roleName);
  await test.dispose();
  server.pathname = '/postgres';
  for (const name of names) await dropUser(server.href, name);
});

/** What is true, and what says of whom it is: nobody but the owner of the tables may unsay it. */
const truth = [
  'intent',
  'intent_event',
  'dedup',
  'cancel_mark',
  'lane_start',
  'retired_tally',
  'maintenance_run',
  'operator_action',
  'provisioned',
  'recovery',
  'member',
  'kafka_offset',
  'source_gap',
  'installation',
  'quarantine',
];

describe('the running role', () => {
  describe.each(truth)('cannot unsay what %s says:', (table) => {
    it.each([
      ['DELETE', `DELETE FROM ${table}`],
      ['TRUNCATE', `TRUNCATE ${table}`],
      ['DROP TABLE', `DROP TABLE ${table} CASCADE`],
      ['DISABLE TRIGGER', `ALTER TABLE ${table} DISABLE TRIGGER ALL`],
      ['CREATE TRIGGER', `CREATE TRIGGER mine BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change()`],
      ['CREATE RULE', `CREATE RULE mine AS ON INSERT TO ${table} DO INSTEAD NOTHING`],
      ['ALTER TABLE', `ALTER TABLE ${table} ADD COLUMN mine int`],
      ['OWNER', `ALTER TABLE ${table} OWNER TO CURRENT_USER`],
      ['RENAME', `ALTER TABLE ${table} RENAME TO elsewhere`],
    ])('%s', async (_what, text) => {
      expect(await answerTo(urls.run, text)).toBe(refused);
    });
  });

  it.each([
    ['intent', 'payload', "''"],
    ['intent_event', 'type', "'IntentCancelled'"],
    ['dedup', 'key', "'\\x07'"],
    ['cancel_mark', 'sealed', 'NULL'],
    ['lane_start', 'version', '9'],
    ['operator_action', 'actor', "'bob'"],
    ['provisioned', 'state', "'created'"],
    ['recovery', 'produced_until', 'now()'],
    ['member', 'member_id', "'m_2'"],
    ['quarantine', 'topic', "'another'"],
    ['quarantine_settlement', 'actor', "'bob'"],
    ['kafka_offset', 'topic', "'another'"],
    ['schema_migration', 'name', "'another'"],
  ])('cannot change %s.%s', async (table, column, value) => {
    expect(await answerTo(urls.run, `UPDATE ${table} SET ${column} = ${value}`)).toBe(refused);
  });

  it('changes of an identity what its trigger lets, and nothing else', async () => {
    expect(await answerTo(urls.run, `UPDATE dedup SET kind = 'business'`)).toBe(appendOnly);
    expect(await answerTo(urls.run, `UPDATE dedup SET body_mac = '\\x08'`)).toBe(appendOnly);
    expect(await answerTo(urls.run, `UPDATE dedup SET body_mac = '', seq = 7`)).toBe(appendOnly);
    expect(await answerTo(urls.run, `UPDATE dedup SET body_mac = ''`)).toBeNull();
  });

  it('drops no trigger, no function, and switches none off for its session', async () => {
    const triggers = await rowsOf<{ name: string; table: string }>(
      test.ownerUrl,
      'SELECT tgname AS name, tgrelid::regclass::text AS "table" FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0',
    );
    expect(triggers.length).toBeGreaterThan(10);
    for (const { name, table } of triggers) {
      expect([name, await answerTo(urls.run, `DROP TRIGGER ${name} ON ${table}`)]).toEqual([name, refused]);
    }
    for (const text of [
      'DROP FUNCTION refuse_change() CASCADE',
      'DROP FUNCTION refuse_change_but_retire() CASCADE',
      "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE sql AS 'SELECT 1'",
      'CREATE TABLE mine (a int)',
      'CREATE SCHEMA mine',
      'SET session_replication_role = replica',
      `SET ROLE ${new URL(test.ownerUrl).username}`,
      "SELECT setval('event_pos_seq', 1)",
    ]) {
      expect([text, await answerTo(urls.run, text)]).toEqual([text, refused]);
    }
  });

  it('gets nothing by saying that it retires', async () => {
    const retiring = "SELECT set_config('loyaltyd.retire', 'on', true)";
    expect(await answerTo(urls.run, retiring)).toBeNull();
    for (const text of ['DELETE FROM intent', 'DELETE FROM intent_event', 'DELETE FROM dedup']) {
      expect(await answerTo(urls.run, retiring, text)).toBe(refused);
    }
  });

  it('gets nothing by saying so even where somebody has let it delete', async () => {
    // As an administrator may have done by mistake.
    const url = urls.run;
    const name = roleName('run');
    await rowsOf(test.ownerUrl, `GRANT DELETE ON dedup TO ${name}`);
    try {
      const retiring = "SELECT set_config('loyaltyd.retire', 'on', true)";
      expect(await answerTo(test.ownerUrl, retiring, 'DELETE FROM dedup')).toBeNull();
      expect(await answerTo(url, retiring, 'DELETE FROM dedup')).toBe(appendOnly);
    } finally {
      await rowsOf(test.ownerUrl, `REVOKE DELETE ON dedup FROM ${name}`);
    }
  });

  it('records nothing at a place in the order of events that it chooses', async () => {
    const event = (columns: string, values: string): string =>
      `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at${columns}) VALUES (1, 1, 9, 0, 0, 'PassFound', now()${values})`;
    expect(await answerTo(urls.run, event('', ''))).toBeNull();
    expect(await answerTo(urls.run, event(', pos', ', 1'))).toBe(refused);
    expect(await answerTo(urls.run, event(', xid', ", '1'"))).toBe(refused);
  });

  it('has what it needs and no more, and says what it lacks or has too much', async () => {
    const inspect = (): ReturnType<typeof inspectRole> => withRole('run', inspectRole);
    const name = roleName('run');
    expect(await inspect()).toEqual({ name, isOwner: false, lacks: [], exceeds: [] });
    await rowsOf(test.ownerUrl, `REVOKE INSERT ON lane FROM ${name}`);
    await rowsOf(test.ownerUrl, `REVOKE INSERT (due_at) ON lane FROM ${name}`);
    await rowsOf(test.ownerUrl, `GRANT DELETE ON intent TO ${name}`);
    await rowsOf(test.ownerUrl, `GRANT UPDATE ON intent_event TO ${name}`);
    const { lacks, exceeds } = await inspect();
    expect(lacks).toContain('INSERT (due_at) ON lane');
    expect(exceeds).toEqual(expect.arrayContaining(['DELETE ON intent', 'UPDATE (pos) ON intent_event']));
    await grantRoles(owner.database, grants());
    expect(await inspect()).toMatchObject({ lacks: [], exceeds: [] });
    expect(await inspectRole(owner.database)).toMatchObject({ isOwner: true });
  });
});

describe('the reading role', () => {
  it('reads everything that is in the clear, and nothing that is sealed, a key or a digest', async () => {
    const columns = await rowsOf<{ table: string; column: string; type: string }>(
      test.ownerUrl,
      `SELECT c.relname AS "table", quote_ident(a.attname) AS "column", a.atttypid::regtype::text AS type
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition`,
    );
    const answers = await withClient(urls.read, async (client) => {
      const found: string[][] = [];
      for (const { table, column, type } of columns) {
        const answer = await client.query(`SELECT ${column} FROM ${table} LIMIT 1`).then(
          () => 'read',
          (error: unknown) => (error as pg.DatabaseError).code ?? 'unknown',
        );
        found.push([
          table,
          column,
          answer,
          type === 'bytea' && !clearBytes.includes(`${table}.${column}`) ? refused : 'read',
        ]);
      }
      return found;
    });
    expect(answers.filter(([, , answer, wanted]) => answer !== wanted)).toEqual([]);
    const sealed = ['payload', 'sealed', 'wrapped_key', 'sealed_value', 'body_mac', 'enrolment_mac', 'wrapped_mac_key'];
    const hidden = answers.filter(([, , answer]) => answer === refused).map(([, column]) => column);
    expect(hidden).toEqual(expect.arrayContaining(sealed));
  });

  it('writes nothing', async () => {
    for (const table of ourTables.filter((name) => name !== 'intent_history')) {
      expect([table, await answerTo(urls.read, `DELETE FROM ${table}`)]).toEqual([table, refused]);
      expect([table, await answerTo(urls.read, `INSERT INTO ${table} DEFAULT VALUES`)]).toEqual([table, refused]);
    }
  });
});

describe('the grants', () => {
  it('know every table and view of the schema', async () => {
    const rows = await rowsOf<{ name: string }>(
      test.ownerUrl,
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition`,
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...ourTables].toSorted());
  });

  it('name columns that are there: each is held by the role that it is for', async () => {
    expect(await withRole('run', inspectRole)).toMatchObject({ lacks: [] });
  });

  it('take back what a role is not to have any more', async () => {
    const name = roleName('read');
    const insert = "INSERT INTO lane (lane_id, program_id) VALUES (2, 'club')";
    await grantRoles(owner.database, { run: name });
    try {
      expect(await answerTo(urls.read, insert)).toBeNull();
    } finally {
      await grantRoles(owner.database, grants());
    }
    expect(await answerTo(urls.read, insert)).toBe(refused);
  });

  it('refuse a role that is not there or may do everything anyway, and change nothing', async () => {
    const [ownerName, adminName] = [test.ownerUrl, test.adminUrl].map((url) => new URL(url).username);
    await expect(grantRoles(owner.database, { run: 'nobody at all' })).rejects.toThrow(
      'there is no role nobody at all: create it',
    );
    for (const name of [ownerName ?? '', adminName ?? '']) {
      await expect(grantRoles(owner.database, { read: name })).rejects.toThrow('may do everything whatever is granted');
    }
    await withRole('run', async (database) => {
      await expect(grantRoles(database, { run: roleName('run') })).rejects.toThrow('can grant rights on them');
    });
  });

  it('take names of any spelling', async () => {
    const name = `${roleName('run')} "Odd' -- one`;
    await createPlainUser(test.adminUrl, name);
    try {
      await grantRoles(owner.database, { read: name });
      expect(
        await rowsOf(test.ownerUrl, "SELECT has_column_privilege($1, 'member', 'member_id', 'SELECT') AS may", name),
      ).toEqual([{ may: true }]);
    } finally {
      await rowsOf(test.adminUrl, `DROP OWNED BY ${pg.escapeIdentifier(name)}`);
      await dropUser(test.adminUrl, name);
    }
  });
});
