import type { JobView } from '#contracts';
import { jobRequestSchema } from '#contracts';
import { IngestKeys, MemberKeys, IntentActionRepository } from '#intents';
import { Clock, Database } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { Actor } from '../../../access/operator.js';
import { PlannedActions } from '../../../intents/planned-actions.js';
import { JobItems, JobRequests, JobService } from '../../job-service.js';
import type { JobSteering } from '../../job-repository.js';
import { ZodPipe } from '../../../requests/read-request.js';
import { FailureGroupRepository } from '../../../groups/list-groups.js';
import { JobFixture } from '../../../testing/job-fixture.js';
import { noPrograms, overviewsOf, servicesOver } from '../../../testing/ports.js';
import { purchase, reward } from '../../../testing/sample-records.js';
import { ReplayWork } from './replay-work.js';

const ada: Actor = { name: 'ada', role: 'operator', programs: null, address: '10.0.0.1' };
const bob: Actor = { name: 'bob', role: 'operator', programs: null, address: '10.0.0.2' };
const eve: Actor = { name: 'eve', role: 'admin', programs: null, address: '10.0.0.3' };
const plan = { kind: 'replay', id: 'incident', query: 'status=parked operation=transaction', reason: 'a look first' };
const dry = { ...plan, dryRun: true };
const mended = { reason: 'it is mended' };

describe('replays, asked for by id', () => {
  let test: TestDatabase;
  let fixture: JobFixture;
  let jobs: JobService;
  let requests: JobRequests;
  let jobItems: JobItems;

  beforeEach(async () => {
    test = await testDatabase();
    fixture = await JobFixture.open(test.url);
    const { database, clock, keys, ingestKeys } = fixture;
    const services = await servicesOver([
      [Clock, clock],
      [Database, database],
      [IngestKeys, ingestKeys],
      [MemberKeys, keys],
    ]);
    jobs = services.get(JobService);
    requests = services.get(JobRequests);
    jobItems = services.get(JobItems);
    await fixture.record([purchase('p-1', 'm-1'), purchase('p-2', 'm-2')]);
    await fixture.deliverDue(() => true);
  });

  afterEach(async () => {
    await fixture.close();
    await test.dispose();
  });

  const create = async (body: object, actor: Actor = ada): Promise<JobView> =>
    requests.create(new ZodPipe(jobRequestSchema).transform(body), actor);
  const start = async (change: object = {}, actor: Actor = ada, id = 'incident'): Promise<JobView> =>
    jobs.start(id, { ...mended, ...change }, actor);
  const steer = async (id: string, steering: JobSteering, actor: Actor): Promise<JobView> =>
    jobs.steer(id, steering, { actor, reason: 'for now' });
  const items = (limit: number): ReturnType<JobItems['list']> =>
    jobItems.list('incident', { limit, requests: false }, ada);
  const actions = (): Promise<object[]> => fixture.sql('SELECT action, actor FROM operator_action ORDER BY action_id');

  /** What the refusal says. */
  async function refusal(asked: Promise<JobView>): Promise<string> {
    const problem: unknown = await asked.then(
      () => 'done',
      (error: unknown) => error,
    );
    const { options } = problem as { readonly options: { status: number; code: string; detail?: string } };
    return `${options.status} ${options.code}: ${options.detail ?? ''}`;
  }

  it('start a dry run at the rate, and with the canary, that are asked for then, in the name of who starts it', async () => {
    expect(await create(dry)).toMatchObject({
      ...{ state: 'planned', ratePerSecond: 10, startedBy: null },
      ...{ canary: true, canaryProgress: { settled: 0, failed: 0 } },
    });
    expect(await start({ ratePerSecond: 20, canary: false }, bob)).toMatchObject({
      ...{ state: 'waiting', ratePerSecond: 20, canary: false, canaryProgress: null },
      ...{ selection: { items: 2, byState: { waiting: 2 } }, createdBy: 'ada', reason: plan.reason },
      ...{ startedBy: 'bob', startReason: mended.reason, startedAt: new Date(fixture.clock.at).toISOString() },
    });
    expect(await actions()).toEqual([
      { action: 'replay.plan', actor: 'ada' },
      { action: 'replay.start', actor: 'bob' },
    ]);
  });

  it('count what a dry run would send, and of how many members, before anything is sent', async () => {
    await fixture.record([purchase('p-3', 'm-1')]);
    await fixture.deliverDue(() => true);
    const counted = { items: 3, members: 2, byState: { waiting: 3 }, byForecast: { 'was-refused': 3 } };
    expect((await create(dry)).selection).toMatchObject(counted);
    const { items: shown } = await items(2);
    expect(shown.map(({ intent }) => intent)).toEqual([
      expect.stringMatching(/~m-1~1$/),
      expect.stringMatching(/~m-1~2$/),
    ]);
    // Which one each is, as people know it.
    const known = {
      operation: 'transaction',
      storeId: 'berlin-07',
      amount: { minor: 5_999, currency: 'EUR', digits: 2 },
    };
    expect(shown).toMatchObject(['p-1', 'p-3'].map((purchaseId) => ({ ...known, purchaseId })));
  });

  it('regression: sum amounts of one currency exactly, whatever digits their events give them', async () => {
    const amounts = ['59.999', '0.1', '900719925474.91'];
    await fixture.record(amounts.map((amount, index) => purchase(`d-${index}`, `d-${index}`, amount)));
    await fixture.deliverDue(() => true);
    const { selection } = await create(dry);
    const sum = { currency: 'EUR', minor: 900_719_925_654_989, digits: 3 };
    expect([selection?.items, selection?.money]).toEqual([5, [sum]]);
    const { database } = fixture;
    expect(
      (await new FailureGroupRepository(database).list({ programs: null, now: fixture.clock.at })).map(
        (group) => group.money,
      ),
    ).toEqual([[sum]]);
    expect(await overviewsOf(database).sumValueAtRisk()).toMatchObject([sum]);
    expect((await items(5)).items.map(({ amount }) => amount)).toContainEqual({
      ...{ currency: 'EUR', minor: 59_999, digits: 3 },
    });
  });

  it('say what is over by then, and leave it as it is', async () => {
    const at = (ms: number): string => new Date(fixture.clock.at + ms).toISOString();
    await fixture.record([reward('g-1', 'm-1', at(0)), reward('g-2', 'm-2', at(60_000))]);
    await fixture.deliverDue(() => true);
    const rewards = { ...dry, id: 'rewards', query: 'operation=reward' };
    expect((await create(rewards)).selection?.byForecast).toEqual({ expired: 1, 'was-refused': 1 });
    await start({ canary: false }, ada, 'rewards');
    const observer = { written: () => undefined, jobItems: () => undefined };
    const actions = new PlannedActions(new IntentActionRepository(fixture.database, fixture.keys), noPrograms);
    await fixture.turn(new ReplayWork(fixture.database, fixture.clock, observer, actions));
    const done = await jobItems.list('rewards', { limit: 2, requests: false }, ada);
    expect(done.items.map(({ forecast, state, detail }) => [forecast, state, detail])).toEqual([
      ['expired', 'refused', 'expired'],
      ['was-refused', 'sent', null],
    ]);
  });

  it('start it at the rate that it was planned with where none is said', async () => {
    await create({ ...dry, ratePerSecond: 3, canary: false });
    expect(await start()).toMatchObject({ state: 'waiting', ratePerSecond: 3, canary: false });
  });

  it('answer the same request with the same, however often and at once, and start once', async () => {
    await create(dry);
    expect(await create(dry)).toMatchObject({ state: 'planned' });
    const asked = { ratePerSecond: 20 };
    const views = await Promise.all([start(asked), start(asked, bob), start(asked)]);
    expect(new Set(views.map(({ startedBy }) => startedBy)).size).toBe(1);
    expect(await start(asked)).toEqual(views[0]);
    expect(await create(dry)).toMatchObject({ state: 'waiting', ratePerSecond: 20 });
    expect(await actions()).toHaveLength(2);
  });

  it.each([
    ['another query', { query: 'operation=reward' }, 'query.operation'],
    ['a narrower query', { query: `${plan.query} memberId=m-1` }, 'query.memberId'],
    ['a later time', { query: `${plan.query} from=2026-11-21T08:00:00Z` }, 'query.from'],
    ['another program', { query: `${plan.query} program=coffee-club` }, 'program, query.program'],
  ])('refuse %s, and start nothing', async (_what, change, named) => {
    await create(dry);
    for (const dryRun of [true, false]) {
      const refused = await refusal(create({ ...plan, ...change, dryRun }));
      expect(refused).toMatch(/^409 id-taken: /);
      expect(refused).toContain(`it differs in ${named}.`);
      expect(refused).not.toMatch(/m-1|reward/);
    }
    expect(await jobs.one('incident', ada)).toMatchObject({ state: 'planned' });
    expect(await actions()).toHaveLength(1);
  });

  it('does not start what was planned by being asked for once more', async () => {
    await create(dry);
    expect(await create({ ...plan, dryRun: false })).toMatchObject({ state: 'planned' });
  });

  it('refuse another pace for what was started already', async () => {
    await create({ ...plan, ratePerSecond: 5 });
    const problem = '409 job-state: ratePerSecond is 5, canary is true.';
    expect(await refusal(start({ ratePerSecond: 50 }))).toBe(problem);
    expect(await refusal(start({ canary: false }))).toBe(problem);
    expect(await start()).toMatchObject({ ratePerSecond: 5, startedBy: 'ada', startReason: plan.reason });
  });

  it('do not say that a plan runs which was cancelled', async () => {
    await create(dry);
    await steer('incident', 'cancel', ada);
    expect(await refusal(start())).toBe('409 job-state: It is cancelled.');
    expect(await create(dry)).toMatchObject({ state: 'cancelled' });
  });

  it('are not let go by an operator where an admin has planned them, nor cancelled where an admin has started them', async () => {
    await create(dry, eve);
    expect(await refusal(start({}, bob))).toMatch(/^403 role:/);
    expect(await refusal(steer('incident', 'cancel', bob))).toMatch(/^403 role:/);
    expect(await start({}, eve)).toMatchObject({ state: 'waiting', startedBy: 'eve' });
    expect(await start({}, bob)).toMatchObject({ state: 'waiting', startedBy: 'eve' });
    await create({ ...dry, id: 'second' }, bob);
    await start({}, eve, 'second');
    expect(await refusal(steer('second', 'cancel', bob))).toMatch(/^403 role:/);
    expect(await steer('second', 'pause', bob)).toMatchObject({ state: 'paused' });
    expect(await refusal(steer('second', 'resume', bob))).toMatch(/^403 role:/);
    expect(await steer('second', 'cancel', eve)).toMatchObject({ state: 'cancelled' });
  });

  it('of a time when roles were not kept take an admin; anybody who acts may pause them', async () => {
    await create(plan, bob);
    await fixture.sql('UPDATE job SET needs_role = NULL');
    expect(await steer('incident', 'pause', bob)).toMatchObject({ state: 'paused' });
    expect(await refusal(steer('incident', 'resume', bob))).toMatch(/^403 role:/);
    expect(await refusal(steer('incident', 'pause', bob))).toMatch(/^409 job-state:/);
    expect(await steer('incident', 'resume', eve)).toMatchObject({ state: 'waiting' });
  });

  describe('that are forced', () => {
    const forced = { ...dry, force: true };

    it('are planned and started by an admin only', async () => {
      expect(await refusal(create(forced, bob))).toMatch(/^403 role:/);
      expect(await create(forced, eve)).toMatchObject({ state: 'planned', request: { force: true } });
      expect(await refusal(start({}, bob))).toMatch(/^403 role:/);
      expect(await jobs.one('incident', ada)).toMatchObject({ state: 'planned' });
      expect(await start({}, eve)).toMatchObject({ state: 'waiting' });
    });

    it('are not what was planned without', async () => {
      await create(dry);
      expect(await refusal(create(forced, eve))).toContain('it differs in force.');
    });

    it('are resumed and cancelled by an admin only; anybody who acts may pause them', async () => {
      await create({ ...plan, force: true }, eve);
      expect(await steer('incident', 'pause', bob)).toMatchObject({ state: 'paused' });
      expect(await refusal(steer('incident', 'resume', bob))).toMatch(/^403 role:/);
      expect(await jobs.one('incident', ada)).toMatchObject({ state: 'paused' });
      expect(await steer('incident', 'resume', eve)).toMatchObject({ state: 'waiting' });
      expect(await refusal(steer('incident', 'cancel', bob))).toMatch(/^403 role:/);
      expect(await steer('incident', 'cancel', eve)).toMatchObject({ state: 'cancelled' });
    });
  });
});
