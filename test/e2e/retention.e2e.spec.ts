import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitUntil } from '#embedded';
import { dayMs, rebuildLanes, retain } from '#intents';
import { createDataSource, SystemRandom, TypeormDatabase } from '#platform';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeHarness, outcomesPublished } from './judge-run.js';
import { awaitRest } from './store.js';
import { enrolled, granted, produce, purchased, refunded } from './traffic.js';

const members = Array.from({ length: 30 }, (_, index) => `m-${index}`);

describe('retention', () => {
  let harness: Harness;
  let folder: string;

  beforeAll(async () => {
    harness = await openHarness();
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-archive-'));
  }, 180_000);

  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('takes what is settled out of a used database; the rest, a rebuild and the whole history stay right', async () => {
    const { broker, topics, database } = harness;
    const traffic = [
      ...members.map(enrolled),
      ...members.map((memberId) => granted(memberId, `g-${memberId}`)),
      ...members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    ];
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    await produce(broker, topics, traffic);
    await awaitRest(database.url, traffic.length);
    await waitUntil(async () => (await leave()).intents === 60 || undefined, {
      what: 'all to leave',
      timeoutMs: 30_000,
    });
    const viewer = new ApiClient(daemon, 'viewer');
    // The enrolment is not the first everywhere: topics are read beside each other.
    const [gone] = await queryOnce<{ id: string }>(
      database.url,
      `SELECT program_id || '~' || member_id || '~' || seqs[1] AS id FROM lane_archive JOIN member USING (lane_id) LIMIT 1`,
    );
    const answer = await viewer.get(`/intents/${gone?.id ?? ''}`);
    expect(answer).toMatchObject({ status: 410, body: { type: 'urn:loyaltyd:problem:intent-archived' } });
    expect(answer.body).toMatchObject({
      detail: expect.stringMatching(/^It was delivered, and archived on .* in file intents-/) as string,
    });
    await produce(
      broker,
      topics,
      members.map((memberId) => refunded(memberId, `${memberId}-p`, `${memberId}-r`)),
    );
    await awaitRest(database.url, 2 * members.length);
    await outcomesPublished(database.url);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    const before = await queryOnce(database.url, lanesQuery);
    await withDatabase((store) => rebuildLanes(store, Date.now() + 200 * dayMs), harness.database.ownerUrl);
    expect(await queryOnce(database.url, lanesQuery)).toEqual(before);
    const { violations, retailer } = await judgeHarness(harness, { archiveFolder: folder });
    expect(violations).toEqual([]);
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: 4 * members.length } });
  }, 180_000);

  /** As in half a year. */
  async function leave(): Promise<{ readonly intents: number }> {
    const days = { intentDays: 100, dedupDays: 400, quarantineDays: 0, jobDays: 0 };
    const policy = { ...days, hasDeadLetters: true, archiveFolder: folder };
    const clock = { now: () => Date.now() + 200 * dayMs };
    const report = await withDatabase((store) =>
      retain({ database: store, clock, random: new SystemRandom() }, policy, 0),
    );
    left += report?.intents ?? 0;
    return { intents: left };
  }

  let left = 0;

  async function withDatabase<T>(
    use: (store: TypeormDatabase) => Promise<T>,
    url: string = harness.database.url,
  ): Promise<T> {
    const settings = { poolSize: 2, ssl: false as const, applicationName: 'retention', migrations: [] };
    const source = createDataSource({ url, ...settings, onPoolError: () => undefined });
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
