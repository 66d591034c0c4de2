import type { IntentEvent } from '#intents/core';
import { createLogger } from '#platform';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { PlannedActions } from '../../../intents/planned-actions.js';
import type { PartnerJobTools } from '../../../partner-reading/partner-job-tools.js';
import { ProgramsControl } from '../../../reload/programs-control.js';
import { ManyFixture, refusalOf } from '../../../testing/many-fixture.js';
import { enrolment, recordedAt, reward } from '../../../testing/sample-records.js';
import { AskWork } from './ask-work.js';

const minute = 60_000;
const evidence = { request: { method: 'GET' }, response: null, durationMs: 1 };
const doubt = (at: number): IntentEvent[] => [
  { type: 'AttemptUnknown', at, attempt: 1, code: 'timeout', checkAt: null },
  { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' },
];

/** What the partner shows of whom. */
type Shown = Readonly<Record<string, object>>;
const shown: Shown = {
  'm-1': { kind: 'found', pass: { passId: 'p-1', serialNumber: 's-1' }, evidence },
  'm-2': { kind: 'absent', evidence },
  'm-3': { kind: 'failed', stage: 'answer', code: 'foreign-pass', retryAfterMs: null, evidence },
};
const away = { kind: 'failed', stage: 'connection', code: 'refused', retryAfterMs: null, evidence };

describe('asking the partner about many in doubt', () => {
  let many: ManyFixture;
  let asked: string[];
  let isAway: boolean;
  let work: AskWork;

  beforeEach(async () => {
    many = await ManyFixture.open();
    [asked, isAway] = [[], false];
    const good = new Date(recordedAt + 1e9).toISOString();
    await many.fixture.record([
      ...[enrolment('e-1', 'm-1'), enrolment('e-2', 'm-2'), enrolment('e-3', 'm-3'), reward('g-4', 'm-4', good)],
    ]);
    await many.fixture.endDue((_member, at) => ({ evidence: {}, events: doubt(at) }));
    many.fixture.clock.at = recordedAt + 10 * minute;
    work = new AskWork(tools(), many.service(PlannedActions), many.service(OperationsObserver));
  });

  afterEach(() => many.close());

  /** There is no way to send anything. */
  function tools(): PartnerJobTools {
    const { database, clock, random, keys, ingestKeys } = many.fixture;
    const partner = {
      findPass: async ({ uniqueId }: { readonly uniqueId: string }) => {
        asked.push(uniqueId);
        return isAway ? away : shown[uniqueId];
      },
      countPasses: async () => ({ kind: 'counted', totalCount: 0, evidence }),
    };
    return {
      ...{ database, clock, random, keys, mac: ingestKeys.mac, partner, timeoutMs: 1_000 },
      logger: createLogger({ level: 'silent', service: 'spec' }),
      programs: () => many.service(ProgramsControl).file(),
    } as unknown as PartnerJobTools;
  }

  const plan = { kind: 'ask', id: 'a', query: 'program=coffee-club', ratePerSecond: 1_000 };

  /** Turns, until nothing waits any more. */
  async function finish(): Promise<void> {
    for (let turn = 0; turn < 60; turn += 1) {
      if ((await many.one('a')).state === 'done') return;
      await many.fixture.turn(work);
      many.fixture.clock.at += 1_000;
    }
    throw new Error('the job never ends');
  }

  it('says first where a look can prove something, and settles what it proves; nothing is sent', async () => {
    const planned = await many.plan(plan);
    expect(planned.selection?.byForecast).toEqual({ 'can-prove': 3, 'proves-nothing': 1 });
    expect((await many.items('a')).at(-1)).toMatchObject({ state: 'skipped', detail: 'proves-nothing: no-trace' });
    expect(asked).toEqual([]);
    await many.start('a', { items: 4 });
    await finish();
    expect(asked.toSorted()).toEqual(['m-1', 'm-2', 'm-3']);
    expect(await many.standings()).toEqual({
      ...{ 'm-1': 'delivered', 'm-2': 'parked not-delivered' },
      ...{ 'm-3': 'parked unknown-outcome', 'm-4': 'parked unknown-outcome' },
    });
    expect((await many.one('a')).selection?.byState).toEqual({ done: 2, refused: 1, skipped: 1 });
    expect((await many.items('a')).map(({ detail }) => detail)).toEqual([
      ...['proved-delivered: pass-found', 'proved-absent: lookup-and-listing'],
      ...['proves-nothing: partner-failed', 'proves-nothing: no-trace'],
    ]);
  });

  it('waits while the partner is away, and asks again', async () => {
    await many.plan(plan);
    await many.start('a', { items: 4 });
    isAway = true;
    for (let turn = 0; turn < 20 && asked.length === 0; turn += 1) {
      await many.fixture.turn(work);
      many.fixture.clock.at += 1_000;
    }
    expect(asked).toHaveLength(1);
    expect((await many.one('a')).selection?.byState).toEqual({ waiting: 3, skipped: 1 });
    isAway = false;
    await finish();
    expect((await many.one('a')).selection?.byState).toEqual({ done: 2, refused: 1, skipped: 1 });
  });

  it('leaves what has moved since it was selected', async () => {
    await many.plan(plan);
    await many.start('a', { items: 4 });
    await many.fixture.sql(
      `UPDATE job_item SET version = version - 1 WHERE job_id = 'a' AND ordinal = (SELECT min(ordinal) FROM job_item WHERE job_id = 'a')`,
    );
    await finish();
    expect((await many.items('a'))[0]).toMatchObject({ state: 'refused', detail: 'changed-since' });
    expect(await many.standings()).toMatchObject({ 'm-1': 'parked unknown-outcome' });
  });

  it('is of one program, and of what is in doubt alone', async () => {
    expect(await refusalOf(many.plan({ ...plan, query: {} }))).toBe('400 invalid-request');
    expect(await refusalOf(many.plan({ ...plan, query: 'program=coffee-club reason=rejected' }))).toBe(
      '400 invalid-request',
    );
    expect(await refusalOf(many.plan({ ...plan, query: 'program=coffee-club memberId=nobody' }))).toBe(
      '422 nothing-to-replay',
    );
  });
});
