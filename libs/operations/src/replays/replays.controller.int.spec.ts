import type { ReplayView } from '#contracts';
import { replayRequestSchema } from '#contracts';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { Actor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { ZodPipe } from '../requests/read-request.js';
import { listGroups } from '../groups/list-groups.js';
import { sumValueAtRisk } from '../stats/overview.js';
import { JobFixture } from '../testing/job-fixture.js';
import { purchase } from '../testing/sample-records.js';
import { ReplaysController } from './replays.controller.js';

const ada: Actor = { name: 'ada', role: 'operator', programs: null, address: '10.0.0.1' };
const bob: Actor = { name: 'bob', role: 'operator', programs: null, address: '10.0.0.2' };
const eve: Actor = { name: 'eve', role: 'admin', programs: null, address: '10.0.0.3' };
const plan = { id: 'incident', query: 'status=parked operation=transaction', reason: 'a look first' };
const dry = { ...plan, dryRun: true };
const start = { ...plan, reason: 'it is mended', dryRun: false };

describe('replays, asked for by id', () => {
  let test: TestDatabase;
  let fixture: JobFixture;
  let controller: ReplaysController;

  beforeEach(async () => {
    test = await testDatabase();
    fixture = await JobFixture.open(test.url);
    const { database, clock, random, keys } = fixture;
    const settings = { database, clock, random, keys } as unknown as ApiSettings;
    controller = new ReplaysController(settings);
    await fixture.record([purchase('p-1', 'm-1'), purchase('p-2', 'm-2')]);
    await fixture.deliverDue(() => true);
  });

  afterEach(async () => {
    await fixture.close();
    await test.dispose();
  });

  const create = async (body: object, actor: Actor = ada): Promise<ReplayView> =>
    controller.create(new ZodPipe(replayRequestSchema).transform(body), actor);
  const actions = (): Promise<object[]> => fixture.sql('SELECT action, actor FROM operator_action ORDER BY action_id');

  /** What the refusal says. */
  async function refusal(asked: Promise<ReplayView>): Promise<string> {
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
    const started = await create({ ...start, ratePerSecond: 20, canary: false }, bob);
    expect(started).toMatchObject({
      ...{ state: 'running', ratePerSecond: 20, canary: false, items: 2, createdBy: 'ada', reason: plan.reason },
      ...{ startedBy: 'bob', startReason: start.reason, startedAt: new Date(fixture.clock.at).toISOString() },
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
    expect(await create(dry)).toMatchObject(counted);
    const { items } = await controller.items('incident', { limit: 2, requests: false }, ada);
    expect(items.map(({ intent }) => intent)).toEqual([
      expect.stringMatching(/~m-1~1$/),
      expect.stringMatching(/~m-1~2$/),
    ]);
    // Which one each is, as people know it.
    const known = {
      operation: 'transaction',
      storeId: 'berlin-07',
      amount: { minor: 5_999, currency: 'EUR', digits: 2 },
    };
    expect(items).toMatchObject(['p-1', 'p-3'].map((purchaseId) => ({ ...known, purchaseId })));
  });

  it('regression: sum amounts of one currency exactly, whatever digits their events give them', async () => {
    const amounts = ['59.999', '0.1', '900719925474.91'];
    await fixture.record(amounts.map((amount, index) => purchase(`d-${index}`, `d-${index}`, amount)));
    await fixture.deliverDue(() => true);
    const { items, money } = await create(dry);
    const sum = { currency: 'EUR', minor: 900_719_925_654_989, digits: 3 };
    expect([items, money]).toEqual([5, [sum]]);
    const { database } = fixture;
    expect((await listGroups(database, { programs: null, now: fixture.clock.at })).map((group) => group.money)).toEqual(
      [[sum]],
    );
    expect(await sumValueAtRisk(database)).toMatchObject([sum]);
    const shown = (await controller.items('incident', { limit: 5, requests: false }, ada)).items;
    expect(shown.map(({ amount }) => amount)).toContainEqual({ currency: 'EUR', minor: 59_999, digits: 3 });
  });

  it('start it at the rate that it was planned with where none is said', async () => {
    await create({ ...dry, ratePerSecond: 3, canary: false });
    expect(await create(start)).toMatchObject({ state: 'running', ratePerSecond: 3, canary: false });
  });

  it('answer the same request with the same, however often and at once, and start once', async () => {
    await create(dry);
    expect(await create(dry)).toMatchObject({ state: 'planned' });
    const asked = { ...start, ratePerSecond: 20 };
    const views = await Promise.all([create(asked), create(asked, bob), create(asked)]);
    expect(new Set(views.map(({ startedBy }) => startedBy)).size).toBe(1);
    expect(await create(asked)).toEqual(views[0]);
    expect(await create(dry)).toMatchObject({ state: 'running', ratePerSecond: 20 });
    expect(await actions()).toHaveLength(2);
  });

  it.each([
    ['another query', { query: 'operation=reward' }, 'query.operation'],
    ['a narrower query', { query: `${plan.query} memberId=m-1` }, 'query.memberId'],
    ['a later time', { query: `${plan.query} from=2026-11-21T08:00:00Z` }, 'query.from'],
  ])('refuse %s, and start nothing', async (_what, change, named) => {
    await create(dry);
    for (const body of [dry, start]) {
      const refused = await refusal(create({ ...body, ...change }));
      expect(refused).toMatch(/^409 replay-differs: incident differs in /);
      expect(refused).toContain(named);
      expect(refused).not.toMatch(/m-1|reward/);
    }
    expect(await controller.one('incident', ada)).toMatchObject({ state: 'planned' });
    expect(await actions()).toHaveLength(1);
  });

  it('refuse another pace for what was started already', async () => {
    await create({ ...start, ratePerSecond: 5 });
    expect(await refusal(create({ ...start, ratePerSecond: 50, canary: false }))).toBe(
      '409 replay-differs: incident differs in ratePerSecond (5 there), canary (true there). Ask for what it is, or take another id.',
    );
    expect(await create(start)).toMatchObject({ ratePerSecond: 5 });
  });

  it('do not say that a plan runs which was cancelled', async () => {
    await create(dry);
    await controller.cancel('incident', { reason: 'not wanted' }, ada);
    expect(await refusal(create(start))).toBe('409 replay-state: It is cancelled.');
    expect(await create(dry)).toMatchObject({ state: 'cancelled' });
  });

  it('are not let go by an operator where an admin has planned them, nor cancelled where an admin has started them', async () => {
    await create(dry, eve);
    expect(await refusal(create(start, bob))).toMatch(/^403 role:/);
    expect(await refusal(controller.cancel('incident', { reason: 'not wanted' }, bob))).toMatch(/^403 role:/);
    expect(await create(start, eve)).toMatchObject({ state: 'running', startedBy: 'eve' });
    expect(await create(start, bob)).toMatchObject({ state: 'running', startedBy: 'eve' });
    await create({ ...dry, id: 'second' }, bob);
    await create({ ...start, id: 'second' }, eve);
    expect(await refusal(controller.cancel('second', { reason: 'not wanted' }, bob))).toMatch(/^403 role:/);
    expect(await controller.pause('second', { reason: 'wait' }, bob)).toMatchObject({ state: 'paused' });
    expect(await refusal(controller.resume('second', { reason: 'go on' }, bob))).toMatch(/^403 role:/);
    expect(await controller.cancel('second', { reason: 'not wanted' }, eve)).toMatchObject({ state: 'cancelled' });
  });

  it('of a time when roles were not kept take an admin; anybody who acts may pause them', async () => {
    await create(start, bob);
    await fixture.sql('UPDATE job SET needs_role = NULL');
    expect(await controller.pause('incident', { reason: 'wait' }, bob)).toMatchObject({ state: 'paused' });
    expect(await refusal(controller.resume('incident', { reason: 'go on' }, bob))).toMatch(/^403 role:/);
    expect(await refusal(controller.pause('incident', { reason: 'wait' }, bob))).toMatch(/^409 replay-state:/);
    expect(await controller.resume('incident', { reason: 'go on' }, eve)).toMatchObject({ state: 'running' });
  });

  describe('that are forced', () => {
    it('are started by an admin only, who says so', async () => {
      await create({ ...dry, force: true }, eve);
      expect(await refusal(create(start, bob))).toMatch(/^403 role:/);
      expect(await refusal(create({ ...start, force: true }, bob))).toMatch(/^403 role:/);
      expect(await refusal(create(start, eve))).toMatch(
        /^409 replay-differs: incident differs in force \(true there\)/,
      );
      expect(await controller.one('incident', ada)).toMatchObject({ state: 'planned' });
      expect(await create({ ...start, force: true }, eve)).toMatchObject({ state: 'running', force: true });
    });

    it('do not become so by being started', async () => {
      await create(dry);
      expect(await refusal(create({ ...start, force: true }, eve))).toMatch(/force \(false there\)/);
    });

    it('are resumed and cancelled by an admin only; anybody who acts may pause them', async () => {
      const said = { reason: 'wait' };
      await create({ ...start, force: true }, eve);
      expect(await controller.pause('incident', said, bob)).toMatchObject({ state: 'paused' });
      expect(await refusal(controller.resume('incident', said, bob))).toMatch(/^403 role:/);
      expect(await controller.one('incident', ada)).toMatchObject({ state: 'paused' });
      expect(await controller.resume('incident', said, eve)).toMatchObject({ state: 'running' });
      expect(await refusal(controller.cancel('incident', said, bob))).toMatch(/^403 role:/);
      expect(await controller.cancel('incident', said, eve)).toMatchObject({ state: 'cancelled' });
    });
  });
});
