import type { Database, SqlSession } from '#platform';
import { statement } from './database.js';

/** Any number that no other program locks: two sandboxes starting on one database take turns. */
const schemaLock = 7_310_042_117;

const lockSchema = statement('lock_schema', `SELECT pg_advisory_xact_lock(${schemaLock})`);
const createSchema = statement('create_schema', `CREATE SCHEMA IF NOT EXISTS wallet_sandbox`);
const createVersions = statement(
  'create_versions',
  `CREATE TABLE IF NOT EXISTS wallet_sandbox.schema_version (version integer PRIMARY KEY)`,
);
const selectVersion = statement(
  'select_version',
  `SELECT coalesce(max(version), 0) AS version FROM wallet_sandbox.schema_version`,
);
const insertVersion = statement('insert_version', `INSERT INTO wallet_sandbox.schema_version (version) VALUES ($1)`);

/** Creates or brings up to date the schema `wallet_sandbox`, in one transaction. */
export async function prepareSchema(database: Database): Promise<void> {
  await database.transaction('prepare_schema', async (session) => {
    await session.query(lockSchema);
    await session.query(createSchema);
    await session.query(createVersions);
    const { rows } = await session.query<{ version: number }>(selectVersion);
    for (let version = rows[0]?.version ?? 0; version < schemaSteps.length; version += 1) {
      await applyStep(session, version);
    }
  });
}

async function applyStep(session: SqlSession, version: number): Promise<void> {
  for (const [index, text] of (schemaSteps[version] ?? []).entries()) {
    await session.query(statement(`schema_${version}_${index}`, text));
  }
  await session.query(insertVersion, [version + 1]);
}

/** Numbers start above the seed's own, so that an id never looks like a template's or a reward's. */
export const firstCounter = { lastId: 100_000, lastSeq: 0 };

/**
 * The sandbox's tables, one list of statements per version. Append-only: a released step is never changed.
 * `pass` has no unique key on its owner: uniqueness is the writer's decision, and a fault may switch it off.
 */
const schemaSteps: readonly (readonly string[])[] = [
  [
    `CREATE TABLE wallet_sandbox.counter (
      singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
      last_id bigint NOT NULL,
      last_seq bigint NOT NULL
    ) WITH (fillfactor = 10)`,
    `INSERT INTO wallet_sandbox.counter (last_id, last_seq) VALUES (${firstCounter.lastId}, ${firstCounter.lastSeq})`,
    `CREATE TABLE wallet_sandbox.signing_key (
      singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
      value bytea NOT NULL
    )`,
    `CREATE TABLE wallet_sandbox.person (
      person_id text PRIMARY KEY,
      brand_id text NOT NULL,
      unique_id text NOT NULL,
      attributes jsonb NOT NULL,
      UNIQUE (brand_id, unique_id)
    )`,
    `CREATE TABLE wallet_sandbox.pass (
      pass_id bigint PRIMARY KEY,
      brand_id text NOT NULL,
      program_id text NOT NULL,
      unique_id text NOT NULL,
      person_id text NOT NULL,
      serial_number text NOT NULL UNIQUE,
      template_id bigint NOT NULL,
      template_tier_id bigint,
      group_id text,
      current_message text,
      sms_subscription integer,
      ip_address text,
      passdata jsonb NOT NULL,
      status_code text NOT NULL,
      status integer NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    ) WITH (fillfactor = 80)`,
    `CREATE INDEX pass_owner ON wallet_sandbox.pass (unique_id, program_id, brand_id)`,
    `CREATE INDEX pass_person ON wallet_sandbox.pass (person_id)`,
    `CREATE TABLE wallet_sandbox.transaction (
      transaction_id bigint PRIMARY KEY,
      brand_id text NOT NULL,
      program_id text NOT NULL,
      transaction_type_id text NOT NULL,
      pass_id bigint NOT NULL,
      amount numeric NOT NULL,
      transaction_date text NOT NULL,
      attributes json NOT NULL
    )`,
    `CREATE TABLE wallet_sandbox.unique_value (
      value text,
      attribute text,
      transaction_type_id text,
      program_id text,
      brand_id text,
      PRIMARY KEY (value, attribute, transaction_type_id, program_id, brand_id)
    )`,
    `CREATE TABLE wallet_sandbox.ledger (
      seq bigint PRIMARY KEY,
      operation text NOT NULL,
      brand_id text NOT NULL,
      program_id text NOT NULL,
      unique_id text NOT NULL,
      pass_id bigint NOT NULL,
      target_id text,
      key text,
      request_id text NOT NULL,
      arrived_at timestamptz NOT NULL,
      applied_at timestamptz NOT NULL,
      body json
    )`,
    `CREATE INDEX ledger_unique_id ON wallet_sandbox.ledger (unique_id, seq)`,
  ],
  [
    // Effects on a brand, a template or a transaction type have no pass, some not even a program.
    `ALTER TABLE wallet_sandbox.ledger
       ALTER COLUMN program_id DROP NOT NULL, ALTER COLUMN unique_id DROP NOT NULL, ALTER COLUMN pass_id DROP NOT NULL`,
  ],
  [
    `CREATE TABLE wallet_sandbox.catalogue_change (
      version bigint PRIMARY KEY,
      change jsonb NOT NULL
    )`,
    `ALTER TABLE wallet_sandbox.counter ADD COLUMN catalogue_version bigint NOT NULL DEFAULT 0`,
    // What passes hold under unique brand attributes; a value may be on several passes of one cardholder.
    `CREATE TABLE wallet_sandbox.meta_data_value (
      value text,
      attribute text,
      brand_id text,
      pass_id bigint,
      unique_id text NOT NULL,
      PRIMARY KEY (value, attribute, brand_id, pass_id)
    )`,
    `CREATE INDEX meta_data_value_pass ON wallet_sandbox.meta_data_value (pass_id)`,
  ],
  [
    // A listing walks a program in order of pass id. None on updated_at: it would cost every update its place on the page.
    `CREATE INDEX pass_listing ON wallet_sandbox.pass (brand_id, program_id, pass_id)`,
    `CREATE INDEX pass_group ON wallet_sandbox.pass (brand_id, program_id, group_id, pass_id)
       WHERE group_id IS NOT NULL`,
  ],
  [
    `CREATE TABLE wallet_sandbox.schedule (
      schedule_id bigint PRIMARY KEY,
      brand_id text NOT NULL,
      program_id text NOT NULL,
      name text,
      due_at bigint NOT NULL,
      conditions jsonb NOT NULL,
      change jsonb NOT NULL,
      request_id text NOT NULL,
      arrived_at bigint NOT NULL,
      after_pass_id bigint NOT NULL DEFAULT 0,
      until_pass_id bigint,
      done_at bigint
    )`,
    `CREATE INDEX schedule_due ON wallet_sandbox.schedule (due_at, schedule_id) WHERE done_at IS NULL`,
  ],
  [
    // unique_id is the value in the metaData; what tells cardholders apart may be their e-mail address.
    `ALTER TABLE wallet_sandbox.pass ADD COLUMN identity text, ALTER COLUMN unique_id DROP NOT NULL`,
    `UPDATE wallet_sandbox.pass SET identity = unique_id`,
    `ALTER TABLE wallet_sandbox.pass ALTER COLUMN identity SET NOT NULL`,
    `CREATE INDEX pass_identity ON wallet_sandbox.pass (identity, program_id, brand_id)
       WHERE identity IS DISTINCT FROM unique_id`,
  ],
];
