import { migrations } from '#migrations';
import { createDataSource } from '#platform';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

let test: TestDatabase;
let source: ReturnType<typeof createDataSource>;

const at = '2026-11-21T09:00:00Z';
const seeds = {
  intent: `INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at,
    recorded_at, topic, partition, kafka_offset, programs_hash)
    VALUES (1, 1, 1, 'issue', '\\x01', '\\x02', 't', '${at}', '${at}', '${at}', 'topic', 0, 0, '\\x03')`,
  intent_event: `INSERT INTO intent_event (pos, lane_id, seq, version, attempt, epoch, type, at)
    VALUES (1, 1, 1, 2, 0, 0, 'PassFound', '${at}')`,
  dedup: `INSERT INTO dedup (key, kind, body_mac) VALUES ('\\x01', 'event', '\\x02')`,
} as const;

beforeAll(async () => {
  test = await testDatabase();
  source = createDataSource({
    url: test.ownerUrl,
    poolSize: 1,
    ssl: false,
    applicationName: 'schema-spec',
    migrations,
    onPoolError: () => undefined,
  });
  await source.initialize();
  for (const text of Object.values(seeds)) await source.query(text);
});

afterAll(async () => {
  await source.destroy();
  await test.dispose();
});

describe.each(['intent', 'intent_event', 'dedup'])('the truth table %s', (table) => {
  it.each([
    ['UPDATE', `UPDATE ${table} SET lane_id = lane_id`],
    ['DELETE', `DELETE FROM ${table}`],
    ['TRUNCATE', `TRUNCATE ${table}`],
  ])('refuses %s, even for its owner', async (verb, text) => {
    const [before] = await source.query<{ count: string }[]>(`SELECT count(*) FROM ${table}`);
    expect(before).not.toEqual({ count: '0' });
    await expect(source.query(text)).rejects.toThrow(new RegExp(`^${verb} on ${table}.*: this table is append-only$`));
    const [after] = await source.query<{ count: string }[]>(`SELECT count(*) FROM ${table}`);
    expect(after).toEqual(before);
  });

  it('gives no right to change it to others', async () => {
    const [row] = await source.query<{ has: boolean }[]>(
      `SELECT has_table_privilege('pg_monitor', '${table}', 'UPDATE, DELETE, TRUNCATE') AS has`,
    );
    expect(row).toEqual({ has: false });
  });
});

describe('the migrations', () => {
  it('have nothing left to run on a migrated database, and say what ran', async () => {
    const ran = await source.query<{ name: string }[]>('SELECT name FROM schema_migration ORDER BY timestamp');
    expect(ran[0]?.name).toBe('Baseline1798000000000');
    expect(await source.runMigrations()).toEqual([]);
  });
});
