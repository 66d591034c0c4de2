import type { IntentDetails, JobView, MemberView, PauseList, StatsView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

import { ApiClient, apiTokens, awaitJob } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { HollowPartner } from './stand-in-partner.js';
import { enrolled, produce, purchased } from './traffic.js';

const sameRefusals = 5;
const concurrency = 4;
const members = Array.from({ length: 40 }, (_, index) => `m-${index}`);
const soon = { timeoutMs: 60_000, intervalMs: 100 };
const reason = 'transactions are answered without an id';

/** Whatever is in doubt may be sent again, as far as the programs file goes. */
const programs = (dialect: string): string => `
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: { via: issue }
    update: { via: none }
    purchases:
      completed: { transactionTypeId: "33", attributes: { receipt: purchaseId } }
    rewards: {}
    inFlightMs: 500
    onUnknown: { transaction: resend }
    autoPause: { sameRefusals: ${sameRefusals} }
    limits: { concurrency: ${concurrency} }
    dialect: ${dialect}
`;

describe('a partner that answers a whole backlog with 200 {}', () => {
  let harness: Harness;
  let partner: HollowPartner;
  let daemon: RunningProcess;
  let operator: ApiClient;

  beforeAll(async () => {
    [harness, partner] = await Promise.all([openHarness(programs('{}')), HollowPartner.start()]);
    daemon = await harness.startDaemon({ ...partner.environment, OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
  });

  afterAll(async () => {
    await harness.close();
    await partner.close();
  });

  const sent = (): number => partner.writes.filter((write) => write === 'POST transactions').length;

  async function intents(status: string): Promise<number> {
    const { body } = await operator.get('/stats');
    return (body as StatsView).intents
      .filter((row) => row.status === status && row.operation === 'transaction')
      .reduce((sum, row) => sum + row.intents, 0);
  }

  async function metric(name: string): Promise<number> {
    const { operations } = daemon.ready as unknown as { readonly operations: string };
    const text = await (await fetch(`${operations}/metrics`)).text();
    return Number(
      new RegExp(`^${name}\\{program="coffee-club",operation="transaction"\\} (\\d+)$`, 'm').exec(text)?.[1],
    );
  }

  it('delivers nothing, stops by itself after so many members, and sends none of it twice', async () => {
    await produce(
      harness.broker,
      harness.topics,
      members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    );
    const pause = await waitUntil(
      async () => ((await operator.get('/pauses')).body as PauseList).items.find(({ automatic }) => automatic),
      { what: 'the automatic pause', ...soon },
    );
    expect(pause).toMatchObject({ program: 'coffee-club', operation: 'transaction' });
    expect(pause.reason).toContain('proves nothing (unproven-200)');
    await waitUntil(async () => (await intents('parked')) === sent(), { what: 'what was sent to be parked', ...soon });
    expect(sent()).toBeGreaterThanOrEqual(sameRefusals);
    expect(sent()).toBeLessThan(sameRefusals + 2 * concurrency);
    expect(await intents('delivered')).toBe(0);
    await waitUntil(async () => (await metric('loyaltyd_unproven_answers_total')) === sent(), {
      what: 'the metric',
      ...soon,
    });
  });

  it('is settled by a dialect that knows the answer, without one more call, and then goes on', async () => {
    const [inDoubt, calls] = [sent(), partner.calls];
    const plan = { kind: 'replay', id: 'dry', query: 'status=parked', reason, dryRun: true };
    expect((await operator.post('/jobs', plan)).body).toMatchObject({
      selection: { byForecast: { 'answered-yes': inDoubt } },
    });

    const job = async (id: string, rest: object = {}): Promise<JobView> => {
      const begun = await operator.post('/jobs', { kind: 'reread', id, program: 'coffee-club', reason, ...rest });
      expect(begun.status).toBe(200);
      return awaitJob(operator, id, ({ state }) => state === 'done');
    };
    expect((await job('by-the-old-dialect')).report).toEqual({ read: inDoubt, stillUnproven: inDoubt });

    await harness.writePrograms(programs('{ success: { proof: { transaction: object } } }'));
    expect((await operator.post('/reload', { reason })).status).toBe(200);
    let tries = 0;
    await waitUntil(
      async () => {
        tries += 1;
        const { report } = await job(`look-${tries}`, { dryRun: true });
        return (report as { readonly proven?: number }).proven === inDoubt;
      },
      { what: 'the new dialect to be in force', ...soon },
    );
    expect(await intents('parked')).toBe(inDoubt);
    expect((await job('settle')).report).toEqual({ read: inDoubt, settled: inDoubt });
    await waitUntil(async () => (await intents('delivered')) === inDoubt, { what: 'them to be delivered', ...soon });
    expect([sent(), partner.calls]).toEqual([inDoubt, calls]);

    await operator.delete('/pauses', { program: 'coffee-club', operation: 'transaction', reason });
    await waitUntil(async () => (await intents('delivered')) === members.length, { what: 'the rest', ...soon });
    expect(sent()).toBe(members.length);
  });

  it("never tells of another member's pass that an enrolment was answered with: it is looked up", async () => {
    partner.issuedTo = () => 'somebody-else';
    await produce(harness.broker, harness.topics, [enrolled('m-new')]);
    const details = await waitUntil(
      async () => {
        const { status, body } = await operator.get('/intents/coffee-club~m-new~1');
        return status === 200 && (body as IntentDetails).status === 'delivered' ? (body as IntentDetails) : undefined;
      },
      { what: 'the enrolment to be delivered', ...soon },
    );
    const events = details.events.map(({ type }) => type);
    expect(events).toEqual(expect.arrayContaining(['AttemptUnknown', 'VerifiedApplied']));
    const member = (await operator.get('/members/coffee-club/m-new')).body as MemberView;
    expect(JSON.stringify(member)).toContain('serial-of-m-new');
    expect(JSON.stringify(member)).not.toContain('somebody-else');
    expect(partner.writes.filter((write) => write === 'POST issue-wallet')).toHaveLength(1);
  });
});
