import pg from 'pg';

import type { IntentPage } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { enrolled, produce, purchased } from './traffic.js';

const patient = { timeoutMs: 60_000, intervalMs: 50 };
/** More than the connections of the process, of whatever pool. */
const questions = 24;
const reason = 'it must be';

describe('readers whose questions do not end', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  /** Holds what a question reads. */
  let holder: pg.Client;
  let asked: Promise<{ readonly status: number; readonly body: unknown }[]>;

  beforeAll(async () => {
    harness = await openHarness();
    daemon = await harness.startDaemon({
      OPS_TOKENS: apiTokens,
      DATABASE_POOL_SIZE: '2',
      DATABASE_READING_POOL_SIZE: '2',
      DATABASE_READING_STATEMENT_MS: '30000',
    });
    const { broker, topics } = harness;
    await produce(broker, topics, [enrolled('m-1')]);
    await waitUntil(async () => (await countOf('delivered')) === 1, { what: 'the card', ...patient });
    holder = new pg.Client({ connectionString: harness.database.ownerUrl });
    await holder.connect();
    // Of the minutes nothing else is asked than by readers.
    await holder.query('BEGIN; LOCK TABLE minute_tally IN ACCESS EXCLUSIVE MODE');
    const at = (ms: number): string => new Date(ms).toISOString();
    const now = Date.now();
    const ask = (): Promise<{ status: number; body: unknown }> =>
      new ApiClient(daemon, 'viewer').get(`/series?from=${at(now - 3_600_000)}&to=${at(now)}`);
    asked = Promise.all(Array.from({ length: questions }, ask));
    await waitUntil(async () => (await held()) >= 2, { what: 'connections that readers hold', ...patient });
  });

  afterAll(async () => {
    await holder.end();
    await harness.close();
  });

  async function countOf(status: string): Promise<number> {
    const { body } = await new ApiClient(daemon, 'admin').get(`/intents?status=${status}`);
    return (body as IntentPage).items.length;
  }

  /** Connections on which a question waits; asked on a connection of its own, for a transaction sees how it was at first. */
  async function held(): Promise<number> {
    const [row] = await queryOnce<{ count: number }>(
      harness.database.ownerUrl,
      `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'minute_tally'::regclass AND mode = 'AccessShareLock' AND NOT granted`,
    );
    return row?.count ?? 0;
  }

  it('hold up neither probes, nor metrics, nor a sale on its way, nor a deed', async () => {
    const { operations } = daemon.ready as unknown as { readonly operations: string };
    for (const path of ['/health/ready', '/health/live', '/metrics']) {
      expect([path, (await fetch(`${operations}${path}`)).status]).toEqual([path, 200]);
    }
    await produce(harness.broker, harness.topics, [purchased('m-1', 'p-1')]);
    const delivered = async (): Promise<boolean> => {
      const { rows } = await holder.query(`SELECT FROM lane WHERE tail_seq = 2 AND cur_seq > tail_seq`);
      return rows.length === 1;
    };
    await waitUntil(delivered, { what: 'the sale', ...patient });
    const operator = new ApiClient(daemon, 'operator');
    expect(await operator.post('/pauses', { program: 'coffee-club', operation: 'reward', reason })).toMatchObject({
      status: 200,
    });
    // All the while.
    expect(await held()).toBe(2);
  });

  it('are answered when it ends, or that too many asked', async () => {
    await holder.query('COMMIT');
    const answers = await asked;
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
    for (const { status, body } of answers) {
      if (status !== 200) expect(body).toMatchObject({ type: 'urn:loyaltyd:problem:too-many-questions' });
    }
    expect(await new ApiClient(daemon, 'viewer').get('/pauses')).toMatchObject({ status: 200 });
  });
});
