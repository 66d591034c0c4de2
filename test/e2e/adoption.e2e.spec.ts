import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens, awaitJob } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness, outcomesPublished } from './judge-run.js';
import { issueAtPartner, readLedger } from './partner.js';
import { endLeases } from './store.js';
import { enrolled, produce, purchased } from './traffic.js';

/** Three pages. */
const memberCount = 4_100;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
const buyers = members.filter((_, index) => index % 10 === 0);
/** A tenth of it is left to the job: a page every four seconds, time enough to kill it in between. */
const slow = `${programsFile}    limits: { requestsPerSecond: 2.5 }\n`;
const patient = { timeoutMs: 120_000, intervalMs: 200 };
const job = 'all';

describe('adoption of members who had passes before us', () => {
  let harness: Harness;
  let operator: ApiClient;

  beforeAll(async () => {
    harness = await openHarness(slow);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function start(): Promise<RunningProcess> {
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    operator = new ApiClient(daemon, 'operator');
    return daemon;
  }

  async function adoptedLanes(): Promise<{ readonly lanes: number; readonly events: number }> {
    const [row] = await queryOnce<{ lanes: number; events: number }>(
      harness.database.url,
      `SELECT count(DISTINCT lane_id)::int AS lanes, count(*)::int AS events FROM intent_history WHERE type = 'PassAdopted'`,
    );
    return row ?? { lanes: 0, events: 0 };
  }

  it('survives a kill, records each once, and their purchases need not wait', async () => {
    await issueAtPartner(harness.sandboxUrl, members);
    const first = await start();
    const order = { id: job, program: 'coffee-club', reason: 'the club is older than we are' };
    const unknown = { ...order, program: 'tea-club' };
    expect(await operator.post('/jobs', { kind: 'reconcile', adopt: true, ...unknown })).toMatchObject({ status: 400 });
    expect(await operator.post('/jobs', { kind: 'reconcile', adopt: true, ...order })).toMatchObject({
      status: 200,
      body: { state: 'waiting' },
    });
    await awaitJob(operator, job, ({ progress }) => (progress['pages'] ?? 0) >= 1);
    first.kill('SIGKILL');
    await first.exited;
    await endLeases(harness.database.url);
    expect(await adoptedLanes()).toEqual({ lanes: 2_000, events: 2_000 });

    await harness.writePrograms(programsFile);
    const second = await start();
    const done = await awaitJob(operator, job, ({ state }) => state === 'done');
    expect(done.progress).toEqual({ pages: 3, rows: memberCount, totalCount: memberCount, adopted: memberCount });
    expect(done.report).toMatchObject({ agrees: true });
    expect(await adoptedLanes()).toEqual({ lanes: memberCount, events: memberCount });

    await produce(
      harness.broker,
      harness.topics,
      buyers.map((memberId) => purchased(memberId, `p-${memberId}`)),
    );
    const applied = `SELECT FROM intent_history WHERE type = 'AttemptApplied'`;
    await waitUntil(async () => (await queryOnce(harness.database.url, applied)).length === buyers.length, {
      what: 'the purchases',
      ...patient,
    });
    const types = await queryOnce<{ type: string }>(
      harness.database.url,
      'SELECT DISTINCT type FROM intent_history ORDER BY 1',
    );
    expect(types.map(({ type }) => type)).toEqual(['AttemptApplied', 'AttemptBegun', 'PassAdopted']);
    const member = await operator.get(`/members/coffee-club/${buyers[0]}`);
    expect(member.body).toMatchObject({ passKnown: 'known', pass: { statusCode: 'ACTIVE' } });

    // Their enrolments come after all: each finds the pass, and what it says is told to that.
    const late = members.slice(0, 10);
    await produce(harness.broker, harness.topics, late.map(enrolled));
    const proven = async () =>
      queryOnce(harness.database.url, `SELECT FROM intent_history WHERE type = 'VerifiedApplied'`);
    await waitUntil(async () => (await proven()).length === late.length, { what: 'enrolments', ...patient });
    await waitUntil(
      async () => (await queryOnce(harness.database.url, applied)).length === buyers.length + late.length,
      {
        what: 'their updates',
        ...patient,
      },
    );
    const effects = Map.groupBy(await readLedger(harness.sandboxUrl), ({ operation }) => operation);
    expect(effects.get('issue')).toHaveLength(memberCount);
    expect(
      effects
        .get('transaction')
        ?.map(({ key }) => key)
        .toSorted(),
    ).toEqual(buyers.map((id) => `p-${id}`).toSorted());

    // Whoever stops leaves what it has not told to the next one.
    await outcomesPublished(harness.database.url);
    expect(await second.stop()).toMatchObject({ code: 0 });
    const partner = { enforcesUniqueness: true, othersWrite: false, othersUseOurValues: false, hadPasses: true };
    const verdict = await judgeHarness(harness, { notes: { partner } });
    expect(verdict.violations.slice(0, 5)).toEqual([]);
    const records = buyers.length + late.length;
    expect(verdict.retailer).toMatchObject({ first: [], unbounded: [], judged: { records, members: late.length } });
  });
});
