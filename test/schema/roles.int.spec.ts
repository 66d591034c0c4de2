import pg from 'pg';

import { clearBytes, grantRoles, inspectRole, mayRetain, ourTables } from '#intents';
import type { Database } from '#platform';
import { PostgresConnection } from '#platform';
import type { TestDatabase } from '#test-support';
import { createPlainUser, dropUser, testDatabase, withClient } from '#test-support';

const refused = '42501';
const appendOnly = '23000';

let test: TestDatabase;
let owner: PostgresConnection;
const urls: Record<'run' | 'read' | 'retain', string> = { run: '', read: '', retain: '' };

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
  retain: roleName('retain'),
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
  `INSERT INTO archive (file, sha256, bytes, intents, facts, first_pos, last_pos, archived_at) VALUES ('f', '\\x05', 1, 1, 1, 1, 1, ${at})`,
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
  for (const duty of ['run', 'read', 'retain'] as const) {
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

const partitions = ['intent_event_p1', 'intent_event_p2', 'intent_event_default'];
/** What is true, and what says of whom it is: nobody but the owner of the tables may unsay it. */
const truth = [
  'intent',
  'intent_event',
  ...partitions,
  'dedup',
  'cancel_mark',
  'archive',
  'lane_archive',
  'lane_checkpoint',
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
    ['intent_event_p1', 'type', "'IntentCancelled'"],
    ['dedup', 'key', "'\\x07'"],
    ['cancel_mark', 'sealed', 'NULL'],
    ['archive', 'sha256', "''"],
    ['lane_archive', 'seqs', "'{}'"],
    ['lane_checkpoint', 'version', '9'],
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
    expect(triggers.length).toBeGreaterThan(20);
    for (const { name, table } of triggers) {
      expect([name, await answerTo(urls.run, `DROP TRIGGER ${name} ON ${table}`)]).toEqual([name, refused]);
    }
    for (const text of [
      'DROP FUNCTION refuse_change() CASCADE',
      'DROP FUNCTION refuse_uncovered() CASCADE',
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

  it('gets nothing by saying that it purges', async () => {
    const purging = "SELECT set_config('loyaltyd.purge', 'covered', true)";
    expect(await answerTo(urls.run, purging)).toBeNull();
    for (const text of ['DELETE FROM intent', 'DELETE FROM intent_event', 'DELETE FROM dedup']) {
      expect(await answerTo(urls.run, purging, text)).toBe(refused);
    }
    for (const text of [
      'SELECT purge_covered(1, 1)',
      "SELECT purge_forgotten('2026-01-01', 0, 100)",
      "SELECT swap_partition('intent_event_p1')",
    ]) {
      expect([text, await answerTo(urls.run, text)]).toEqual([text, refused]);
    }
  });

  it('gets nothing by saying so even where somebody has let it delete', async () => {
    // As an administrator may have done by mistake.
    const url = urls.run;
    const name = roleName('run');
    await rowsOf(test.ownerUrl, `GRANT DELETE ON dedup TO ${name}`);
    try {
      const purging = "SELECT set_config('loyaltyd.purge', 'forgotten', true)";
      expect(await answerTo(test.ownerUrl, purging, 'DELETE FROM dedup')).toBeNull();
      expect(await answerTo(url, purging, 'DELETE FROM dedup')).toBe(appendOnly);
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

  it('has partitions made where they are due, and nowhere else', async () => {
    const [place] = await rowsOf<{ end: string }>(urls.run, 'SELECT event_partitions_end() AS "end"');
    const end = Number(place?.end);
    const size = 50_000_000;
    const due = `SELECT make_event_partition(${end}, ${end + size})`;
    expect(await answerTo(urls.run, due)).toBeNull();
    for (const text of [
      `SELECT make_event_partition(${end}, ${end + 1})`,
      `SELECT bound_stray_events(${end}, ${end + 1})`,
      `SELECT bound_stray_events(0, ${end + size})`,
    ]) {
      expect([text, await answerTo(urls.run, text)]).toEqual([text, '22023']);
    }
    expect(await rowsOf(urls.run, `SELECT make_event_partition(${end + size}, ${end + 2 * size}) AS made`)).toEqual([
      { made: false },
    ]);
    expect(await answerTo(urls.run, `SELECT adopt_stray_events(${end}, ${end + size})`)).toBe('55000');
  });

  it('has what it needs and no more, and says what it lacks or has too much', async () => {
    const inspect = (): ReturnType<typeof inspectRole> => withRole('run', inspectRole);
    const name = roleName('run');
    expect(await inspect()).toEqual({ name, isOwner: false, mayRetain: false, lacks: [], exceeds: [] });
    await rowsOf(test.ownerUrl, `REVOKE INSERT ON lane FROM ${name}`);
    await rowsOf(test.ownerUrl, `REVOKE INSERT (due_at) ON lane FROM ${name}`);
    await rowsOf(test.ownerUrl, `GRANT DELETE ON intent TO ${name}`);
    await rowsOf(test.ownerUrl, `GRANT UPDATE ON intent_event_p1 TO ${name}`);
    const { lacks, exceeds } = await inspect();
    expect(lacks).toContain('INSERT (due_at) ON lane');
    expect(exceeds).toEqual(expect.arrayContaining(['DELETE ON intent', 'UPDATE (pos) ON intent_event_p1']));
    await rowsOf(test.ownerUrl, `REVOKE ALL ON intent_event_p1 FROM ${name}`);
    await grantRoles(owner.database, grants());
    expect(await inspect()).toMatchObject({ lacks: [], exceeds: [] });
    expect(await inspectRole(owner.database)).toMatchObject({ isOwner: true });
  });
});

describe('the retaining role', () => {
  it('lets leave what an archive and a checkpoint cover, and nothing else', async () => {
    const count = 'SELECT count(*)::int AS left FROM intent';
    expect(await rowsOf(urls.retain, 'SELECT intents FROM purge_covered(1, 1)')).toEqual([{ intents: 0 }]);
    expect(await rowsOf(urls.retain, count)).toEqual([{ left: 1 }]);
    await rowsOf(urls.retain, "INSERT INTO lane_archive VALUES (1, 1, '{1}', '{}')");
    expect(await answerTo(urls.retain, 'SELECT purge_covered(1, 1)')).toBe(appendOnly);
    for (const table of ['intent', 'intent_event', 'dedup', 'archive', 'lane_archive', 'lane_checkpoint']) {
      expect([table, await answerTo(urls.retain, `DELETE FROM ${table}`)]).toEqual([table, refused]);
    }
  });

  it('puts nothing of its own in the place of our tables', async () => {
    // It finds its own temporary table first, unless the function says otherwise.
    const mine = 'CREATE TEMPORARY TABLE lane_archive (lane_id bigint, archive_id int, seqs int[], cancelled int[])';
    const covered = "INSERT INTO pg_temp.lane_archive VALUES (1, 1, '{1}', '{}')";
    const checkpoint = 'CREATE TEMPORARY TABLE lane_checkpoint (lane_id bigint, version int)';
    const reached = 'INSERT INTO pg_temp.lane_checkpoint VALUES (1, 99)';
    expect(await answerTo(urls.retain, mine, covered, checkpoint, reached, 'SELECT purge_covered(1, 1)')).toBe(
      appendOnly,
    );
  });

  it('puts no copy in the place of a partition that may get events, or that was not copied whole', async () => {
    expect(await answerTo(urls.retain, "SELECT begin_partition_copy('intent_event_p1')")).toBe('55000');
    expect(await answerTo(urls.retain, "SELECT begin_partition_copy('member')")).toBe('55000');
    await rowsOf(test.ownerUrl, 'CREATE TABLE intent_event_p1_copy (LIKE intent_event)');
    try {
      for (const text of ["copy_partition_pages('intent_event_p1', 1)", "swap_partition('intent_event_p1')"]) {
        expect([text, await answerTo(urls.retain, `SELECT ${text}`)]).toEqual([text, '55000']);
      }
      for (const text of ["sum_partition_pages('member_key', 0, 1)", "measure_partition('member_key')"]) {
        expect([text, await answerTo(urls.retain, `SELECT ${text}`)]).toEqual([text, '22023']);
      }
    } finally {
      await rowsOf(test.ownerUrl, 'DROP TABLE intent_event_p1_copy');
    }
    // Begun, and nothing of it copied: the partition has no room for further events.
    const full = "SELECT setval('event_pos_seq', 60000000)";
    const begin = "SELECT begin_partition_copy('intent_event_p1')";
    const swap = "SELECT swap_partition('intent_event_p1')";
    expect(await answerTo(test.ownerUrl, full, begin, swap)).toBe('55000');
    const copied = "SELECT copy_partition_pages('intent_event_p1', 100)";
    expect(await answerTo(test.ownerUrl, full, begin, copied, swap)).toBeNull();
  });

  it('reads no key', async () => {
    for (const table of ['member_key', 'installation']) {
      expect(await answerTo(urls.retain, `SELECT * FROM ${table}`)).toBe(refused);
    }
    expect([await withRole('retain', mayRetain), await withRole('run', mayRetain)]).toEqual([true, false]);
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

  it('writes nothing, and has nothing done for it', async () => {
    for (const table of ourTables.filter((name) => name !== 'intent_history')) {
      expect([table, await answerTo(urls.read, `DELETE FROM ${table}`)]).toEqual([table, refused]);
      expect([table, await answerTo(urls.read, `INSERT INTO ${table} DEFAULT VALUES`)]).toEqual([table, refused]);
    }
    for (const text of ['make_event_partition(0, 1)', 'purge_covered(1, 1)', "measure_partition('intent_event_p1')"]) {
      expect([text, await answerTo(urls.read, `SELECT ${text}`)]).toEqual([text, refused]);
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
    const name = roleName('retain');
    await grantRoles(owner.database, { run: name });
    try {
      expect(await withRole('retain', mayRetain)).toBe(false);
      expect(await answerTo(urls.retain, 'DELETE FROM job')).toBe(refused);
      expect(await answerTo(urls.retain, "INSERT INTO lane (lane_id, program_id) VALUES (2, 'club')")).toBeNull();
    } finally {
      await grantRoles(owner.database, grants());
    }
    expect(await withRole('retain', mayRetain)).toBe(true);
    expect(await answerTo(urls.retain, "INSERT INTO lane (lane_id, program_id) VALUES (2, 'club')")).toBe(refused);
  });

  it('refuse a role that is not there or may do everything anyway, and change nothing', async () => {
    const [ownerName, adminName] = [test.ownerUrl, test.adminUrl].map((url) => new URL(url).username);
    await expect(grantRoles(owner.database, { run: 'nobody at all' })).rejects.toThrow(
      'there is no role nobody at all: create it',
    );
    for (const name of [ownerName ?? '', adminName ?? '']) {
      await expect(grantRoles(owner.database, { retain: name })).rejects.toThrow(
        'may do everything whatever is granted',
      );
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

it('functions that run as the owner look for our tables where they are, and are for nobody in general', async () => {
  const functions = await rowsOf<{ name: string; path: string | null; isPublic: boolean }>(
    test.ownerUrl,
    `SELECT proname AS name, array_to_string(proconfig, ' ') AS path,
       proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0) AS "isPublic"
     FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY proname`,
  );
  expect(functions.length).toBeGreaterThan(10);
  for (const found of functions) {
    expect(found).toEqual({ name: found.name, path: 'search_path=public, pg_temp', isPublic: false });
  }
});
