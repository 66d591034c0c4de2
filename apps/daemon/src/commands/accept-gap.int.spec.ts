import pg from 'pg';

import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { runAcceptGap } from './accept-gap.js';
import { answerOf } from './testing/answer-of.js';

describe('loyaltyd accept-gap', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await testDatabase();
    client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    await client.query(`
      INSERT INTO source_gap (cluster_id, topic, incarnation, partition, stored_offset, oldest_offset, found_at)
      VALUES ('c', 'sales', 1, 3, 10, 25, clock_timestamp())`);
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await client.end();
    await database.dispose();
  });

  /** What the command answers: its exit code and what it writes. */
  async function answer(partition: string, url = database.url): Promise<[number, string]> {
    return answerOf(async () => runAcceptGap({ DATABASE_URL: url }, { partition, reason: 'drill' }));
  }

  it('accepts the gap that a partition stands at, once, and remembers who and why', async () => {
    expect(await answer('sales/3')).toEqual([0, expect.stringContaining('sales/3: the records from 10 up to 25')]);
    const { rows } = await client.query(
      'SELECT accepted_by IS NOT NULL AS who, accepted_reason AS why FROM source_gap',
    );
    expect(rows).toEqual([{ who: true, why: 'drill' }]);
    expect(await answer('sales/3')).toEqual([3, expect.stringContaining('stands at no gap')]);
  });

  it('finds nothing elsewhere', async () => {
    expect((await answer('sales/4'))[0]).toBe(3);
  });

  it('says that the database does not answer', async () => {
    const url = new URL(database.url);
    url.port = '1';
    expect(await answer('sales/3', url.href)).toEqual([1, expect.stringContaining('accept-gap failed: ')]);
  });
});
