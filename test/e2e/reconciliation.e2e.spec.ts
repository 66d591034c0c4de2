import type { JobView } from '#contracts';
import { waitUntil } from '#embedded';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens, awaitJob, linesOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { changePasses, doublePasses, issueAtPartner, losePasses, readLedger } from './partner.js';
import { awaitReports, readProgress } from './store.js';
import { enrolled, granted, produce, purchased } from './traffic.js';

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Two pages. */
const members = named('m', 2_050);
/** Kept apart from those who get live traffic. */
const lost = members.slice(0, 5);
const changed = members.slice(5, 10);
const doubled = members.slice(10, 13);
const strangers = named('stranger', 4);
/** Their enrolments were cancelled, and somebody else has issued their passes. */
const unknownHere = named('here', 3);
const busy = members.slice(500);
const patient = { timeoutMs: 240_000, intervalMs: 500 };

describe('reconciliation beside live traffic', () => {
  let harness: Harness;
  let operator: ApiClient;
  let isLive = true;
  let enrolledMeanwhile = 0;

  beforeAll(async () => {
    harness = await openHarness(programsFile);
    operator = new ApiClient(await harness.startDaemon({ OPS_TOKENS: apiTokens }), 'operator');
  });

  afterAll(async () => {
    isLive = false;
    await harness.close();
  });

  async function atRest(): Promise<void> {
    await waitUntil(async () => (await readProgress(harness.database.url)).moving === 0, {
      what: 'every lane to be idle',
      ...patient,
    });
  }

  async function cancelEnrolments(): Promise<void> {
    const pause = { program: 'coffee-club', operation: 'issue', reason: 'these are not to be sent' };
    await operator.post('/pauses', pause);
    await awaitReports(harness.database.url);
    await produce(harness.broker, harness.topics, unknownHere.map(enrolled));
    const found = async (memberId: string) =>
      (await operator.get(`/intents?memberId=${memberId}`)).body as { items: unknown[] };
    await waitUntil(async () => (await found(unknownHere.at(-1) ?? '')).items.length === 1, {
      what: 'them',
      ...patient,
    });
    for (const memberId of unknownHere) {
      const cancelled = await operator.post(`/intents/coffee-club~${memberId}~1/cancel`, {
        reason: 'somebody else does',
      });
      expect(cancelled.status).toBe(200);
    }
    await operator.delete('/pauses', pause);
  }

  /** Sales, rewards and newcomers, as long as it is asked for: no more than are delivered. */
  async function keepBusy(): Promise<void> {
    for (let round = 0; isLive; round += 1) {
      const some = busy.slice((round * 40) % busy.length).slice(0, 40);
      const newcomers = named(`new-${round}`, 5);
      enrolledMeanwhile += newcomers.length;
      await produce(harness.broker, harness.topics, [
        ...newcomers.map(enrolled),
        ...some.map((memberId) => purchased(memberId, `${memberId}-r${round}`)),
        ...some.slice(0, 10).map((memberId) => granted(memberId, `${memberId}-g${round}`)),
      ]);
      await waitUntil(async () => (await readProgress(harness.database.url)).moving < 100 || !isLive, {
        what: 'live traffic to be delivered',
        ...patient,
      });
    }
  }

  async function reconcile(id: string, repair: boolean): Promise<JobView> {
    await operator.post('/jobs', {
      kind: 'reconcile',
      id,
      program: 'coffee-club',
      reason: 'the monthly look',
      repair,
    });
    const done = await awaitJob(operator, id, ({ state }) => state === 'done');
    return done;
  }

  async function found(id: string): Promise<Record<string, string[]>> {
    const lines = await linesOf(operator, id);
    const kinds = Map.groupBy(lines, ({ kind }) => String(kind));
    return Object.fromEntries(
      [...kinds].map(([kind, own]) => [kind, own.map(({ memberId }) => String(memberId)).toSorted()]),
    );
  }

  const issues = async () => (await readLedger(harness.sandboxUrl)).filter(({ operation }) => operation === 'issue');

  it('finds what is planted and nothing else, repairs what can be, and repairs it once', async () => {
    await produce(harness.broker, harness.topics, members.map(enrolled));
    await waitUntil(async () => (await issues()).length === members.length, { what: 'the enrolments', ...patient });
    await atRest();
    await cancelEnrolments();
    const { sandboxDatabaseUrl: partner } = harness;
    await losePasses(partner, lost);
    await changePasses(partner, changed);
    const otherPasses = await doublePasses(partner, doubled);
    await issueAtPartner(harness.sandboxUrl, [...strangers, ...unknownHere]);
    // Whoever got a pass less than inFlightMs ago is judged by nobody.
    const [last] = await queryOnce<{ at: Date }>(harness.database.url, 'SELECT max(at) AS at FROM intent_history');
    await waitUntil(() => Date.now() > (last?.at.getTime() ?? 0) + 2_500, { what: 'inFlightMs', ...patient });

    const traffic = keepBusy();
    const seen = await reconcile('look', false);
    expect(await found('look')).toEqual({
      'missing-there': lost,
      'missing-here': unknownHere,
      differing: [...changed, ...doubled].toSorted(),
      'duplicate-there': doubled.toSorted(),
      'unknown-member': strangers,
    });
    expect(seen.report).toMatchObject({ findings: { unconfirmed: 0, withoutMemberId: 0 }, repaired: null });

    const mended = await reconcile('mend', true);
    expect(mended.report).toMatchObject({ repaired: { issuedAnew: lost.length, adopted: unknownHere.length } });
    await waitUntil(
      async () => (await issues()).filter(({ uniqueId }) => lost.includes(uniqueId ?? '')).length === 10,
      {
        what: 'the passes to be issued anew',
        ...patient,
      },
    );
    await reconcile('again', true);
    isLive = false;
    await traffic;
    const again = await found('again');
    expect(Object.keys(again).toSorted()).toEqual(['differing', 'duplicate-there', 'unknown-member']);
    await atRest();
    process.stderr.write(`live meanwhile: ${enrolledMeanwhile} enrolments\n`);

    const own = (await issues()).filter(({ uniqueId }) => !strangers.includes(uniqueId ?? ''));
    expect(own).toHaveLength(members.length + lost.length + unknownHere.length + enrolledMeanwhile);
    const audit = await operator.get('/audit?action=reconcile.reissue');
    expect((audit.body as { items: unknown[] }).items).toHaveLength(lost.length);
    const notes = { enforcesUniqueness: true, othersWrite: true, othersUseOurValues: false, hadPasses: true };
    const { violations, exposures, retailer } = await judgeHarness(harness, {
      notes: { partner: notes },
      known: { otherPasses },
    });
    expect(violations.slice(0, 5)).toEqual([]);
    expect(exposures).toMatchObject({ 'issued-anew': lost.length });
    // What was planted at the partner and no repair mends, and nothing else.
    const planted = { 'points-wrong': changed.length, 'pass-twice': doubled.length };
    expect([retailer.byRule, retailer.unbounded]).toEqual([planted, []]);
  }, 700_000);
});
