import pg from 'pg';
import { Registry } from 'prom-client';

import { migrations } from '#migrations';
import { PostgresConnection, SystemClock } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import type { DatabaseFigures } from './database-metrics.js';
import { readDatabaseFigures, registerDatabaseMetrics } from './database-metrics.js';

const inTrouble = `
INSERT INTO intent_standing (lane_id, seq, status, since, recorded_at, program_id, operation)
VALUES (1, 1, 'unknown', now() - interval '1 hour', now(), 'tea', 'issue'),
  (1, 2, 'unknown', now(), now(), 'tea', 'issue'), (1, 3, 'parked', now() - interval '1 day', now(), 'tea', 'issue');
INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset) VALUES ('c', 't', 1, 0, 3);
INSERT INTO source_gap (cluster_id, topic, incarnation, partition, stored_offset, oldest_offset, found_at)
VALUES ('c', 't', 1, 0, 3, 9, now());
UPDATE maintenance_run SET ended_at = now() - interval '3 days'`;

describe('the metrics of the database itself', () => {
  let test: TestDatabase;
  let connection: PostgresConnection;
  let latest: DatabaseFigures | null = null;
  const registry = new Registry();

  beforeAll(async () => {
    test = await testDatabase();
    const settings = { poolSize: 2, ssl: false as const, applicationName: 'figures-spec', migrations };
    connection = new PostgresConnection({ url: test.url, ...settings, onPoolError: () => undefined });
    await connection.connect();
    registerDatabaseMetrics(registry, () => latest);
  });

  afterAll(async () => {
    await connection.close();
    await test.dispose();
  });

  async function read(): Promise<ReadonlyMap<string, number>> {
    latest = await readDatabaseFigures(connection.database, { clock: new SystemClock(), host: 'db.example' });
    const lines = (await registry.metrics()).matchAll(/^(loyaltyd_\S+) (\S+)$/gm);
    return new Map([...lines].map(([, series = '', value]) => [series, Number(value)]));
  }

  it('tell how full it is, and nothing that is not known', async () => {
    const values = await read();
    expect(values.get('loyaltyd_database_bytes')).toBeGreaterThan(1_000_000);
    expect(values.get('loyaltyd_database_connections')).toBeGreaterThan(0);
    expect(values.get('loyaltyd_database_connections_max')).toBeGreaterThan(
      values.get('loyaltyd_database_connections')!,
    );
    expect(values.get('loyaltyd_database_transaction_age')).toBeGreaterThan(0);
    expect(values.get('loyaltyd_maintenance_age_seconds')).toBeLessThan(3_600);
    expect(values.get('loyaltyd_source_gaps_open')).toBe(0);
    const names = [...values.keys()];
    expect(names.filter((name) => /disk|oldest_unknown/.test(name))).toEqual([]);
  });

  it('tell of a transaction that stays open, a gap, maintenance that is late and the oldest unknown outcome', async () => {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    try {
      await queryOnce(test.ownerUrl, inTrouble);
      await client.query('BEGIN');
      const openForMs = `extract(epoch FROM clock_timestamp() - now())::float8 AS seconds`;
      const { rows } = await client.query<{ seconds: number }>(`SELECT ${openForMs}, pg_sleep(0.05)`);
      const values = await read();
      expect(values.get('loyaltyd_database_horizon_seconds')).toBeGreaterThanOrEqual(rows[0]!.seconds);
      expect(values.get('loyaltyd_source_gaps_open')).toBe(1);
      expect(values.get('loyaltyd_maintenance_age_seconds')).toBeGreaterThanOrEqual(3 * 86_400);
      expect(values.get('loyaltyd_oldest_unknown_seconds{program="tea"}')).toBeGreaterThanOrEqual(3_595);
    } finally {
      await client.end();
    }
  });

  it('are absent while nothing recent is known', async () => {
    latest = null;
    expect((await registry.metrics()).split('\n').filter((line) => /^[^#]/.test(line))).toEqual([]);
  });
});
