import type { Database, SqlSession } from '#platform';
import { schemaSteps } from './schema-steps.js';
import { statement } from './statement.js';

/** Any number that nobody else locks: two sandboxes starting on one database take turns. */
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
