import { waitUntil } from '#embedded';
import { dayMs, maintain, rebuildLanes } from '#intents';
import { createDataSource, TypeormDatabase } from '#platform';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeAsRetailer, judgeHarness, outcomesPublished } from './judge-run.js';
import { awaitRest } from './store.js';
import { enrolled, granted, produce, purchased, refunded } from './traffic.js';

const members = Array.from({ length: 30 }, (_, index) => `m-${index}`);

describe('retention', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  it('takes what is settled out of a used database; the rest, a rebuild and what comes later stay right', async () => {
    const { broker, topics, database } = harness;
    const traffic = [
      ...members.map(enrolled),
      ...members.map((memberId) => granted(memberId, `g-${memberId}`)),
      ...members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    ];
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    await produce(broker, topics, traffic);
    await awaitRest(database.url, traffic.length);
    const { violations } = await judgeHarness(harness);
    expect(violations).toEqual([]);
    // The enrolment is not the first everywhere: topics are read beside each other.
    const [settled] = await queryOnce<{ id: string }>(
      database.url,
      `SELECT program_id || '~' || member_id || '~' || seq AS id FROM intent JOIN member USING (lane_id)
       WHERE operation = 'transaction' LIMIT 1`,
    );
    await waitUntil(async () => (await leave()) === 60 || undefined, { what: 'all to leave', timeoutMs: 30_000 });
    const viewer = new ApiClient(daemon, 'viewer');
    expect(await viewer.get(`/intents/${settled?.id ?? ''}`)).toMatchObject({ status: 404 });
    // What is known is not sent again, and its refund is.
    await produce(broker, topics, [
      ...members.map((memberId) => purchased(memberId, `${memberId}-p`)),
      ...members.map((memberId) => refunded(memberId, `${memberId}-p`, `${memberId}-r`)),
    ]);
    await awaitRest(database.url, 2 * members.length);
    await outcomesPublished(database.url);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    const before = await queryOnce(database.url, lanesQuery);
    await withDatabase((store) => rebuildLanes(store, Date.now() + 200 * dayMs));
    expect(await queryOnce(database.url, lanesQuery)).toEqual(before);
    const retailer = await judgeAsRetailer(harness);
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: 5 * members.length } });
  });

  /** As in half a year. @returns how many intents have left so far */
  async function leave(): Promise<number> {
    const policy = {
      intentDays: 100,
      dedupDays: 400,
      quarantineDays: 0,
      jobDays: 0,
      auditDays: 0,
      hasDeadLetters: true,
    };
    const clock = { now: () => Date.now() + 200 * dayMs };
    left += (await withDatabase((database) => maintain({ database, clock }, policy))).intents;
    return left;
  }

  let left = 0;

  async function withDatabase<T>(use: (store: TypeormDatabase) => Promise<T>): Promise<T> {
    const settings = { poolSize: 2, ssl: false as const, applicationName: 'retention', migrations: [] };
    const source = createDataSource({ url: harness.database.ownerUrl, ...settings, onPoolError: () => undefined });
    await source.initialize();
    try {
      return await use(new TypeormDatabase(source));
    } finally {
      await source.destroy();
    }
  }
});

const lanesQuery = `
SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state
FROM lane ORDER BY lane_id`;
