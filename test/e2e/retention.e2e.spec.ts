import { waitUntil } from '#embedded';
import { dayMs, rebuildLanes } from '#intents';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeAsRetailer, judgeHarness, outcomesPublished } from './judge-run.js';
import { asOwner, awaitRest, retireSettled } from './store.js';
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
    let left = 0;
    await waitUntil(async () => (left += await retireSettled(database)) === 60 || undefined, {
      what: 'all to leave',
      timeoutMs: 30_000,
    });
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
    await asOwner(database, (store) => rebuildLanes(store, Date.now() + 200 * dayMs));
    expect(await queryOnce(database.url, lanesQuery)).toEqual(before);
    const retailer = await judgeAsRetailer(harness);
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: 5 * members.length } });
  });
});

const lanesQuery = `
SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state
FROM lane ORDER BY lane_id`;
