import { readFile } from 'node:fs/promises';

import pg from 'pg';

import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { describeSchema, lineDifference } from './describe-schema.js';

let test: TestDatabase;

beforeEach(async () => {
  test = await testDatabase();
});

afterEach(async () => {
  await test.dispose();
});

async function change(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: test.ownerUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}

const committed = await readFile(new URL('../schema.sql', import.meta.url), 'utf8');

describe('test/schema.sql', () => {
  it('is what the migrations make of an empty database', async () => {
    expect(lineDifference(committed, await describeSchema(test.ownerUrl))).toBe('');
  });

  it.each([
    ['a column', 'ALTER TABLE member ADD COLUMN nick text', '+   nick text'],
    ['a type', 'ALTER TABLE quarantine ALTER COLUMN value_bytes TYPE bigint', '-   value_bytes integer NOT NULL'],
    [
      'a default',
      "ALTER TABLE lane ALTER COLUMN pass SET DEFAULT 'known'",
      "+   pass text NOT NULL DEFAULT 'known'::text",
    ],
    ['an index', 'DROP INDEX lane_due', '- CREATE INDEX lane_due'],
    ['a check', 'ALTER TABLE lane DROP CONSTRAINT lane_state_check', '-   CONSTRAINT lane_state_check'],
    ['a trigger', 'DROP TRIGGER intent_append_only ON intent', '- CREATE TRIGGER intent_append_only'],
    ['a storage option', 'ALTER TABLE lane SET (fillfactor = 90)', '+ ) WITH ('],
    ['a table', 'DROP TABLE lane_start', '- CREATE TABLE lane_start'],
    ['a sequence', 'CREATE SEQUENCE another_seq', '+ CREATE SEQUENCE another_seq'],
    ['a view', 'CREATE VIEW seen AS SELECT key FROM dedup', '+ CREATE VIEW seen'],
    ['a right', 'GRANT UPDATE ON intent TO PUBLIC', '+ GRANT UPDATE ON intent TO PUBLIC;'],
    [
      'a function',
      "CREATE OR REPLACE FUNCTION lane_settled_redo(cur int, redo int[]) RETURNS int[] LANGUAGE sql AS $$ SELECT '{}'::int[] $$",
      "+ AS $function$ SELECT '{}'::int[] $function$",
    ],
  ])('shows when %s drifts', async (_name, text, line) => {
    await change(text);
    const difference = lineDifference(committed, await describeSchema(test.ownerUrl)).split('\n');
    expect(difference.filter((shown) => shown.startsWith(line))).not.toEqual([]);
  });
});
