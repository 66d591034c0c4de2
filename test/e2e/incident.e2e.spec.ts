import type { AuditPage, GroupList, JobItemsPage, JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import type { LedgerEntry } from './partner.js';
import { createAttribute, readLedger } from './partner.js';
import { endLeases } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, produce, purchased, refunded } from './traffic.js';

const memberCount = 600;
const purchasesPerMember = 4;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
const ratePerSecond = 200;
const patient = { timeoutMs: 240_000, intervalMs: 100 };

/** Refunds carry an attribute that the partner does not know. The pause that this would cause is left out on purpose. */
const programs = `${programsFile.replace('of: purchaseId }', 'of: purchaseId, cause: reason }')}    autoPause: { sameRefusals: 1000000 }\n`;

/** Three thousand transactions, a fifth of them refunds, in an order that differs from member to member. */
function traffic(): Emission[] {
  const rounds = Array.from({ length: purchasesPerMember }, (_, round) =>
    members.flatMap((memberId, index) => {
      const purchase = purchased(memberId, `${memberId}-p${round}`);
      const refund = refunded(memberId, `${memberId}-p0`, `${memberId}-r`);
      return index % purchasesPerMember === round ? [purchase, refund] : [purchase];
    }),
  );
  return [...members.map(enrolled), ...rounds.flat()];
}

function transactionsOf(ledger: readonly LedgerEntry[]): Map<string, string[]> {
  const transactions = ledger.filter(({ operation }) => operation === 'transaction');
  const byMember = Map.groupBy(transactions, ({ uniqueId }) => uniqueId ?? '?');
  return new Map([...byMember].map(([memberId, entries]) => [memberId, entries.map(({ key }) => key ?? '?')]));
}

describe('an incident: the partner refuses one kind of transaction', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(programs);
    await start();
  });

  afterAll(async () => {
    await harness.close();
  });

  async function start(): Promise<void> {
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
  }

  async function replayAsk(path: string, body: object): Promise<JobView> {
    const answer = await operator.post(`/jobs${path}`, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as JobView;
  }

  async function awaitReplay(id: string, isThere: (replay: JobView) => boolean, what: string): Promise<JobView> {
    const look = async (): Promise<JobView | undefined> => {
      const replay = (await operator.get(`/jobs/${id}`)).body as JobView;
      return isThere(replay) ? replay : undefined;
    };
    return waitUntil(look, { what, ...patient });
  }

  /** How often each intent was put back by an operator. */
  async function replaysPerIntent(): Promise<number[]> {
    const rows = await queryOnce<{ times: string }>(
      harness.database.url,
      `SELECT count(*) AS times FROM intent_history WHERE type = 'IntentReplayed' GROUP BY lane_id, seq`,
    );
    return rows.map(({ times }) => Number(times));
  }

  it('is found, tried with a canary, mended and put right, once each and in order, though a daemon is killed', async () => {
    await produce(harness.broker, harness.topics, traffic());
    const findGroup = async (): Promise<GroupList['items'][number] | undefined> => {
      const { items } = (await operator.get('/groups')).body as GroupList;
      return items.find(({ intents }) => intents === memberCount);
    };
    const group = await waitUntil(findGroup, { what: 'the group of all refusals', ...patient });
    expect(group).toMatchObject({
      operation: 'transaction',
      reason: 'rejected',
      code: 'refused',
      members: memberCount,
    });
    expect(group.money).toEqual([{ currency: 'EUR', minor: 250 * memberCount, digits: 2 }]);

    const job = {
      kind: 'replay',
      id: 'refunds',
      query: group.query,
      reason: 'try whether it is mended',
      ratePerSecond,
    };
    const planned = await replayAsk('', { ...job, dryRun: true });
    expect(planned).toMatchObject({ state: 'planned', selection: { byForecast: { 'was-refused': memberCount } } });
    await replayAsk('/refunds/start', { reason: job.reason });
    const stopped = await awaitReplay('refunds', ({ state }) => state === 'stopped', 'the canary to stop');
    expect(stopped).toMatchObject({ selection: { byState: { parked: 1, waiting: memberCount - 1 } } });

    await createAttribute(harness.sandboxUrl, 32, 'cause');
    await replayAsk('/refunds/resume', { reason: 'the partner has created the attribute' });
    await awaitReplay(
      'refunds',
      ({ selection }) => (selection?.byState['delivered'] ?? 0) > memberCount / 3,
      'a third',
    );
    daemon.kill('SIGKILL');
    await daemon.exited;
    await endLeases(harness.database.url);
    await start();
    const done = await awaitReplay('refunds', ({ state }) => state === 'done', 'the replay to be done');
    expect(done.selection?.byState).toEqual({ delivered: memberCount - 1, parked: 1 });

    await replayAsk('', { ...job, id: 'the-canary', reason: 'the one that the canary tried' });
    await awaitReplay('the-canary', ({ selection }) => selection?.byState['delivered'] === 1, 'the last one');
    const { items } = (await operator.get('/jobs/refunds/items?state=parked')).body as JobItemsPage;
    expect(items).toHaveLength(1);
    expect((await replaysPerIntent()).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(memberCount - 1).fill(1),
      2,
    ]);

    const transactions = transactionsOf(await readLedger(harness.sandboxUrl));
    for (const [index, memberId] of members.entries()) {
      const purchases = Array.from({ length: purchasesPerMember }, (_, round) => `${memberId}-p${round}`);
      const sent = transactions.get(memberId) ?? [];
      expect(sent.filter((key) => key !== `${memberId}-r`)).toEqual(purchases);
      expect([index, sent.filter((key) => key === `${memberId}-r`).length]).toEqual([index, 1]);
    }
    const { items: trace } = (await operator.get('/audit')).body as AuditPage;
    expect(trace.map(({ action, actor, reason }) => [action, actor, reason])).toEqual([
      ['replay.start', 'operator', 'the one that the canary tried'],
      ['replay.resume', 'operator', 'the partner has created the attribute'],
      ['replay.start', 'operator', job.reason],
      ['replay.plan', 'operator', job.reason],
    ]);
  });
});
