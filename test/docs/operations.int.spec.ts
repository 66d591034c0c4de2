import { readFileSync } from 'node:fs';

import pg from 'pg';

import { TRANSITIONS } from '#intents/core';
import type { TestDatabase } from '#test-support';
import { createPlainUser, dropUser, queryOnce, testDatabase } from '#test-support';
import { allPages, codeBlocks } from './markdown.js';

const pages = allPages().filter(({ path }) => path.startsWith('docs/operations/'));
const values: Readonly<Record<string, string>> = {
  program: 'coffee-club',
  member: 'm_1',
  purchase: 'B-2',
  lane: '1',
  seq: '1',
};

/** What psql makes of `:'name'` and `:name`. */
function withVariables(sql: string): string {
  return sql
    .replace(/(?<!:):'(\w+)'/g, (_all, name: string) => pg.escapeLiteral(values[name] ?? ''))
    .replace(/(?<![:\w]):([a-z]+)\b/g, (_all, name: string) => String(Number(values[name])));
}

/** A member whose enrolment is parked and holds a purchase. */
const blockedLane = `
INSERT INTO member (lane_id, program_id, member_id, created_at) VALUES (1, 'coffee-club', 'm_1', now());
INSERT INTO lane (lane_id, program_id, version, tail_seq, state) VALUES (1, 'coffee-club', 3, 2, 'blocked');
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, purchase_id, amount, currency,
  event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
SELECT 1, seq, seq, operation, '', '', purchase_id, 1.00, 'EUR', '', now(), now(), now(), 't', 0, seq, ''
FROM (VALUES (1, 'issue', NULL), (2, 'transaction', 'B-2')) AS w (seq, operation, purchase_id);
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
VALUES (1, 1, 3, 0, 1, 'IntentParked', now(), '{"reason": "unknown-outcome", "lane": "block"}');
INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, value_bytes, broker_at, recorded_at)
VALUES ('t', 0, 1, 'invalid', 'data.total: required', '', 0, now(), now());
INSERT INTO pause (program_id, since, set_by, reason, automatic) VALUES ('tea-club', now(), 'ann', 'stocktaking', false);
INSERT INTO source_gap (cluster_id, topic, incarnation, partition, stored_offset, oldest_offset, found_at)
VALUES ('c', 't', 1, 0, 3, 9, now());
INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset) VALUES ('c', 't', 1, 0, 3);`;

describe('docs/operations/ and the runbooks', () => {
  let database: TestDatabase;
  let client: pg.Client;

  const reader = `support_${process.pid}`;

  /** People ask as the reading role: what is sealed is not for them. */
  beforeAll(async () => {
    database = await testDatabase();
    await queryOnce(database.ownerUrl, blockedLane);
    const url = await createPlainUser(database.adminUrl, reader);
    await queryOnce(
      database.ownerUrl,
      readFileSync('deploy/postgres/reading-role.sql', 'utf8').replaceAll('support', reader),
    );
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    const server = new URL(database.adminUrl);
    await database.dispose();
    server.pathname = '/postgres';
    await dropUser(server.href, reader);
  });

  const questions = pages.flatMap((page) => codeBlocks(page, 'sql'));

  it('asks ten questions or more', () => {
    expect(questions.length).toBeGreaterThanOrEqual(10);
  });

  it.each(questions.map((sql) => [sql.split('\n', 1)[0], sql]))('gets an answer to: %s', async (_title, sql) => {
    const { rowCount } = await client.query(withVariables(sql));
    const isAboutOthers = sql.includes('AttemptUnknown') || sql.includes('pg_stat_activity');
    if (!isAboutOthers) expect(rowCount).toBeGreaterThan(0);
  });

  it('passes over what changes no status, where it asks how an intent stands', () => {
    const silent = Object.entries(TRANSITIONS).filter(([, rows]) => rows.every(({ status }) => status === undefined));
    const ofIntents = silent.map(([type]) => type).filter((type) => type !== 'PassAdopted');
    const lists = questions.flatMap((sql) => sql.match(/(?<=<> ALL \('\{)[^}]+/g) ?? []);
    expect(lists).toHaveLength(2);
    for (const list of lists) expect(list.split(',').toSorted()).toEqual(ofIntents.toSorted());
  });

  const runbooks = allPages().filter(({ path }) => path.startsWith('docs/runbooks/'));
  const looks = runbooks.flatMap((page) => codeBlocks(page, 'sql').map((sql): [string, string] => [page.path, sql]));

  it.each(looks)('can be asked: %s', async (_path, sql) => {
    const { fields } = await client.query(sql);
    expect(fields.length).toBeGreaterThan(0);
  });
});
