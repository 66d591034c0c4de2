import { readFileSync } from 'node:fs';

import pg from 'pg';

import { grantApplication, inspectRole } from '#intents';
import type { Database } from '#platform';
import { PostgresConnection } from '#platform';
import type { TestDatabase } from '#test-support';
import { createPlainUser, dropUser, testDatabase, withClient } from '#test-support';

const refused = '42501';
const appendOnly = '23000';

let test: TestDatabase;
let owner: PostgresConnection;
const urls = { run: '', read: '' };

const roleName = (which: string): string => `${new URL(test.url).pathname.slice(1)}_${which}`;

async function connect(url: string): Promise<PostgresConnection> {
  const settings = { url, poolSize: 2, ssl: false as const, applicationName: 'roles-spec', migrations: [] };
  const connection = new PostgresConnection({ ...settings, onPoolError: () => undefined });
  await connection.connect();
  return connection;
}

async function asApplication<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const connection = await connect(urls.run);
  try {
    return await work(connection.database);
  } finally {
    await connection.close();
  }
}

const readingRole = (name: string): string =>
  readFileSync('deploy/postgres/reading-role.sql', 'utf8').replaceAll('support', name);

const rowsOf = async <Row extends object>(url: string, text: string, ...values: readonly unknown[]): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query<Row>(text, [...values])).rows);

/** One of each role: it is asked hundreds of times. */
const sessions = new Map<string, pg.Client>();

async function sessionOf(url: string): Promise<pg.Client> {
  const known = sessions.get(url);
  if (known !== undefined) return known;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  sessions.set(url, client);
  return client;
}

/** SQLSTATE of what Postgres answers to the last of these, in one transaction; null: it does it. Nothing of it stays. */
async function answerTo(url: string, ...texts: readonly string[]): Promise<string | null> {
  const client = await sessionOf(url);
  await client.query('BEGIN');
  try {
    for (const text of texts) await client.query(text);
    return null;
  } catch (error) {
    return (error as pg.DatabaseError).code ?? String(error);
  } finally {
    await client.query('ROLLBACK');
  }
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
  urls.run = await createPlainUser(test.adminUrl, roleName('run'));
  urls.read = await createPlainUser(test.adminUrl, roleName('read'));
  owner = await connect(test.ownerUrl);
  await grantApplication(owner.database, roleName('run'));
  await withClient(test.ownerUrl, async (client) => {
    for (const text of [...seeds, readingRole(roleName('read'))]) await client.query(text);
  });
});

afterAll(async () => {
  for (const client of sessions.values()) await client.end();
  await owner.close();
  const server = new URL(test.adminUrl);
  const names = ['run', 'read'].map(roleName);
  await test.dispose();
  server.pathname = '/postgres';
  for (const name of names) await dropUser(server.href, name);
});

/** What of reading, adding, changing and deleting the application may do: every table and view of the schema. */
const rights: Readonly<Record<string, string>> = {
  anonymous_receipt: 'SIUD',
  cancel_mark: 'SIUD',
  daemon_process: 'SIUD',
  dead_letter_outbox: 'SIUD',
  dedup: 'SIU',
  digest_erasure: 'SIUD',
  pass_holder: 'SIUD',
  erasure: 'SIUD',
  installation: 'SIU',
  intent: 'SI',
  intent_event: 'SI',
  intent_history: 'S',
  intent_standing: 'SIUD',
  intent_tally: 'SIUD',
  job: 'SIU',
  job_gone: 'S',
  job_item: 'SIUD',
  job_line: 'SIUD',
  kafka_offset: 'SIU',
  lane: 'SIUD',
  lane_start: 'S',
  maintenance_run: 'S',
  member: 'SIU',
  member_key: 'SIUD',
  minute_checkpoint: 'SIUD',
  minute_tally: 'SIUD',
  notice: 'SIUD',
  notice_condition: 'SIUD',
  notice_look: 'SIUD',
  notice_told: 'SIUD',
  operator_action: 'SI',
  pause: 'SIUD',
  program_gate: 'SIUD',
  program_move: 'SIUD',
  programs_load: 'SIUD',
  programs_reload: 'SIUD',
  projection_checkpoint: 'SIUD',
  provisioned: 'SI',
  quarantine: 'SIU',
  quarantine_name: 'SIUD',
  quarantine_settlement: 'SIU',
  reconciliation: 'SIUD',
  reconciliation_seen: 'SIUD',
  recovery: 'SI',
  ownership: 'SI',
  replica: 'SIUD',
  retired_tally: 'S',
  schema_mark: 'S',
  schema_migration: 'S',
  settled_tally: 'SIUD',
  source_gap: 'SIU',
  tally_checkpoint: 'SIUD',
};

const verbs = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

async function tables(): Promise<string[]> {
  const text = `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')`;
  return (await rowsOf<{ name: string }>(test.ownerUrl, text)).map(({ name }) => name);
}

describe('the application', () => {
  it('may read, add, change and delete, table by table', async () => {
    const found: Record<string, string> = {};
    for (const table of await tables()) {
      const held = verbs.map((verb) => {
        const of = verb === 'INSERT' ? 'has_any_column_privilege' : 'has_table_privilege';
        return `${of}('${table}', '${verb}') AS "${verb}"`;
      });
      const may = `SELECT ${held.join(', ')}`;
      const [row] = await rowsOf<Record<string, boolean>>(urls.run, may);
      found[table] = verbs
        .filter((verb) => row?.[verb])
        .map((verb) => verb.slice(0, 1))
        .join('');
    }
    expect(found).toEqual(rights);
  });

  it('alters, drops and empties none', async () => {
    for (const table of (await tables()).filter((name) => name !== 'intent_history')) {
      for (const text of [
        `TRUNCATE ${table}`,
        `DROP TABLE ${table} CASCADE`,
        `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
        `CREATE TRIGGER mine BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
        `CREATE RULE mine AS ON INSERT TO ${table} DO INSTEAD NOTHING`,
        `ALTER TABLE ${table} ADD COLUMN mine int`,
        `ALTER TABLE ${table} OWNER TO CURRENT_USER`,
        `ALTER TABLE ${table} RENAME TO elsewhere`,
      ]) {
        expect([text, await answerTo(urls.run, text)]).toEqual([text, refused]);
      }
    }
  });

  it.each(['intent', 'intent_event', 'dedup'])(
    'deletes nothing of %s, and gets nothing by saying that it retires',
    async (table) => {
      const retiring = "SELECT set_config('loyaltyd.retire', 'on', true)";
      expect(await answerTo(urls.run, `DELETE FROM ${table}`)).toBe(refused);
      expect(await answerTo(urls.run, retiring, `DELETE FROM ${table}`)).toBe(refused);
      // As an administrator may have done by mistake.
      await rowsOf(test.ownerUrl, `GRANT DELETE ON ${table} TO ${roleName('run')}`);
      try {
        expect(await answerTo(test.ownerUrl, retiring, `DELETE FROM ${table}`)).toBeNull();
        expect(await answerTo(urls.run, retiring, `DELETE FROM ${table}`)).toBe(appendOnly);
      } finally {
        await rowsOf(test.ownerUrl, `REVOKE DELETE ON ${table} FROM ${roleName('run')}`);
      }
    },
  );

  it("gives no number that is the database's: none is taken in advance, so that what comes next finds it used", async () => {
    const columns = await rowsOf<{ table: string; column: string }>(
      test.ownerUrl,
      `SELECT c.relname AS "table", a.attname AS "column" FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'schema_migration'
         AND (a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval%') ORDER BY 1, 2`,
    );
    expect(columns.map(({ table, column }) => `${table}.${column}`)).toEqual([
      'intent.pos',
      'intent_event.pos',
      'member.lane_id',
      'operator_action.action_id',
      'pause.pause_id',
      'programs_load.load_id',
      'programs_reload.reload_id',
      'quarantine.quarantine_id',
      'reconciliation.reconciliation_id',
    ]);
    for (const { table, column } of columns) {
      const text = `INSERT INTO ${table} (${column}) OVERRIDING SYSTEM VALUE VALUES (1000)`;
      expect([text, await answerTo(urls.run, text)]).toEqual([text, refused]);
    }
    for (const name of [
      'event_pos_seq',
      'lane_id_seq',
      'quarantine_quarantine_id_seq',
      'operator_action_action_id_seq',
    ]) {
      expect([name, await answerTo(urls.run, `SELECT setval('${name}', 1)`)]).toEqual([name, refused]);
    }
    const action = `INSERT INTO operator_action (at, actor, action, reason) VALUES (${at}, 'ada', 'pause', 'why')`;
    expect(await answerTo(urls.run, action)).toBeNull();
  });

  it.each(['IntentParked', 'IntentReplayed', 'VerifiedAbsent', 'AttemptUnknown'])(
    'has no delivered sale sent once more by a forged %s',
    async (type) => {
      const sale = `INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at,
          recorded_at, topic, partition, kafka_offset, programs_hash)
        VALUES (1, 2, 3, 'transaction', '\\x01', '\\x02', 't', ${at}, ${at}, ${at}, 'topic', 0, 1, '\\x03')`;
      const told = (what: string, data: string): string =>
        `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data) VALUES (1, 2, 4, 1, 0, '${what}', ${at}, '${data}')`;
      const forged = told(type, '{"reason":"held","heldUntil":0,"lane":"continue"}');
      expect(await answerTo(urls.run, sale, forged)).toBeNull();
      for (const proof of [
        told('AttemptApplied', '{}'),
        told('VerifiedApplied', '{}'),
        told('IntentResolved', '{"as":"delivered"}'),
      ]) {
        expect(await answerTo(urls.run, sale, proof, forged)).toBe(appendOnly);
      }
    },
  );

  it('takes no settlement of a quarantined record back, and changes nothing of it', async () => {
    expect(await answerTo(urls.run, 'DELETE FROM quarantine_settlement')).toBe(refused);
    expect(await answerTo(urls.run, `UPDATE quarantine_settlement SET result = 'ignored'`)).toBe(appendOnly);
    expect(await answerTo(urls.run, 'UPDATE quarantine_settlement SET sealed_correction = NULL')).toBeNull();
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
      'SELECT tgname AS name, tgrelid::regclass::text AS "table" FROM pg_trigger WHERE NOT tgisinternal',
    );
    expect(triggers.length).toBeGreaterThan(8);
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

  it('has what it needs and no more, and says what it lacks or has too much', async () => {
    const name = roleName('run');
    expect(await asApplication(inspectRole)).toEqual({ name, isOwner: false, lacks: [], exceeds: [] });
    await rowsOf(test.ownerUrl, `REVOKE INSERT ON lane FROM ${name}`);
    await rowsOf(test.ownerUrl, `GRANT DELETE ON intent TO ${name}`);
    const found = await asApplication(inspectRole);
    expect(found).toMatchObject({ lacks: ['INSERT ON lane'], exceeds: ['DELETE ON intent'] });
    await grantApplication(owner.database, name);
    expect(await asApplication(inspectRole)).toMatchObject({ lacks: [], exceeds: [] });
    expect(await inspectRole(owner.database)).toMatchObject({ isOwner: true });
  });

  it('is no role that is not there or may do everything anyway, and grants itself nothing', async () => {
    await expect(grantApplication(owner.database, 'nobody at all')).rejects.toThrow(
      'there is no role nobody at all: create it',
    );
    for (const url of [test.ownerUrl, test.adminUrl]) {
      await expect(grantApplication(owner.database, new URL(url).username)).rejects.toThrow(
        'may do everything whatever is granted',
      );
    }
    await asApplication(async (database) => {
      await expect(grantApplication(database, roleName('run'))).rejects.toThrow('can grant rights on them');
    });
  });

  it('has a name of any spelling', async () => {
    const name = `${roleName('run')} "Odd' -- one`;
    await createPlainUser(test.adminUrl, name);
    try {
      await grantApplication(owner.database, name);
      expect(await rowsOf(test.ownerUrl, "SELECT has_table_privilege($1, 'member', 'SELECT') AS may", name)).toEqual([
        { may: true },
      ]);
    } finally {
      await rowsOf(test.adminUrl, `DROP OWNED BY ${pg.escapeIdentifier(name)}`);
      await dropUser(test.adminUrl, name);
    }
  });
});

describe('the reading role', () => {
  it('reads what is in the clear, and nothing that is sealed, a key or a digest', async () => {
    const columns = await rowsOf<{ table: string; column: string; isHidden: boolean }>(
      test.ownerUrl,
      `SELECT c.relname AS "table", a.attname AS "column",
         a.atttypid = 'bytea'::regtype AND a.attname <> 'programs_hash' AS "isHidden"
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')`,
    );
    for (const { table, column, isHidden } of columns) {
      const answer = await answerTo(urls.read, `SELECT "${column}" FROM ${table} LIMIT 1`);
      expect([table, column, answer]).toEqual([table, column, isHidden ? refused : null]);
    }
    const hidden = columns.filter((each) => each.isHidden).map(({ column }) => column);
    expect(hidden).toEqual(expect.arrayContaining(['payload', 'sealed', 'wrapped_key', 'sealed_value', 'body_mac']));
  });

  it('writes nothing', async () => {
    for (const table of (await tables()).filter((name) => name !== 'intent_history')) {
      expect([table, await answerTo(urls.read, `DELETE FROM ${table}`)]).toEqual([table, refused]);
      expect([table, await answerTo(urls.read, `INSERT INTO ${table} DEFAULT VALUES`)]).toEqual([table, refused]);
    }
  });
});
