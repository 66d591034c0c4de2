import type { JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { createAttribute, readLedger } from './partner.js';
import { endLeases } from './store.js';
import { enrolled, produce, purchased } from './traffic.js';

const memberCount = 400;
const purchasesPerMember = 4;
const itemCount = memberCount * purchasesPerMember;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
const patient = { timeoutMs: 180_000, intervalMs: 100 };

/** No purchase is taken; the pause that this would cause is left out on purpose. */
const programs = `${programsFile.replace('store: storeId', 'store: storeId, shop: storeId')}    autoPause: { sameRefusals: 1000000 }\n`;

describe('a replay of sixteen hundred items whose daemon is killed in the middle', () => {
  let harness: Harness;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(programs);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function start(): Promise<RunningProcess> {
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
    return daemon;
  }

  async function awaitReplay(isThere: (replay: JobView) => boolean, what: string): Promise<JobView> {
    const look = async (): Promise<JobView | undefined> => {
      const replay = (await operator.get('/jobs/all')).body as JobView;
      return isThere(replay) ? replay : undefined;
    };
    return waitUntil(look, { what, ...patient });
  }

  async function parkedCount(): Promise<number> {
    const [row] = await queryOnce<{ parked: number }>(
      harness.database.url,
      `SELECT count(*)::int AS parked FROM intent_standing WHERE status = 'parked'`,
    );
    return row?.parked ?? 0;
  }

  it('goes on in another daemon: every item has exactly one result, and takes effect once, in order', async () => {
    const first = await start();
    const rounds = Array.from({ length: purchasesPerMember }, (_, round) =>
      members.map((memberId) => purchased(memberId, `${memberId}-p${round}`)),
    );
    await produce(harness.broker, harness.topics, [...members.map(enrolled), ...rounds.flat()]);
    await waitUntil(async () => (await parkedCount()) === itemCount, { what: 'all to be parked', ...patient });
    await createAttribute(harness.sandboxUrl, 31, 'shop');
    const job = {
      kind: 'replay',
      id: 'all',
      query: 'status=parked',
      reason: 'the attribute is there',
      ratePerSecond: 1_000,
    };
    expect(await operator.post('/jobs', job)).toMatchObject({ status: 200 });
    await awaitReplay(({ selection }) => (selection?.byState['delivered'] ?? 0) > itemCount / 4, 'a quarter');
    first.kill('SIGKILL');
    await first.exited;
    await endLeases(harness.database.url);
    await start();
    const done = await awaitReplay(({ state }) => state === 'done', 'the replay to be done');

    expect(done.selection?.byState).toEqual({ delivered: itemCount });
    const [replays] = await queryOnce<{ intents: number; replays: number }>(
      harness.database.url,
      `SELECT count(DISTINCT (lane_id, seq))::int AS intents, count(*)::int AS replays
       FROM intent_history WHERE type = 'IntentReplayed'`,
    );
    expect(replays).toEqual({ intents: itemCount, replays: itemCount });
    const transactions = (await readLedger(harness.sandboxUrl)).filter(({ operation }) => operation === 'transaction');
    const byMember = Map.groupBy(transactions, ({ uniqueId }) => uniqueId);
    for (const memberId of members) {
      const sent = (byMember.get(memberId) ?? []).map(({ key }) => key);
      expect(sent).toEqual(rounds.map((_, round) => `${memberId}-p${round}`));
    }
  });
});
