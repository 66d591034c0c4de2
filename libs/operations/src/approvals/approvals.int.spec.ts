import { setTimeout as sleep } from 'node:timers/promises';

import type { ApprovalView, JobView } from '#contracts';
import {
  approvalListQuerySchema,
  erasureRequestSchema,
  exportRequestSchema,
  intentResolutionSchema,
  replayRequestSchema,
} from '#contracts';
import type { PartnerCommand, TransactionCommand } from '#domain';
import type { RevisedCommand } from '#intents';
import { correctIntent } from '#intents';
import type { Database } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase, withClient } from '#test-support';

import type { Actor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { ErasuresController } from '../erasures/erasures.controller.js';
import { ExportsController } from '../exports/exports.controller.js';
import { IntentActionsController } from '../intents/intent-actions.controller.js';
import { IntentLookup } from '../intents/intent-lookup.js';
import { AcceptedRequest } from '../problems/api-problem.js';
import { ReplaysController } from '../replays/replays.controller.js';
import { ZodPipe } from '../requests/read-request.js';
import { JobFixture } from '../testing/job-fixture.js';
import { program, purchase } from '../testing/sample-records.js';
import { approvalLapses, approvalsOpenMax, listAwaitedStatement } from './approval-store.js';
import { ApprovalsController } from './approvals.controller.js';
import { SecondPerson } from './second-person.js';

const ada: Actor = { name: 'ada', role: 'admin', programs: null, address: '10.0.0.1', requestId: 'r-ada' };
const bob: Actor = { name: 'bob', role: 'admin', programs: null, address: '10.0.0.2', requestId: 'r-bob' };
const eve: Actor = { name: 'eve', role: 'admin', programs: null, address: '10.0.0.3' };
const reason = 'asked by letter';
const windowMs = 3_600_000;
const erasuresMax = 2;

let test: TestDatabase;
let fixture: JobFixture;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
  await fixture.record(['m-1', 'm-2', 'm-3'].map((memberId) => purchase(`of-${memberId}`, memberId)));
  await fixture.deliverDue(() => true);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const settingsOf = (changed: Partial<ApiSettings> = {}): ApiSettings => {
  const { database, clock, random, keys } = fixture;
  const twoPersons = { erasuresMax, windowMs };
  return { database, clock, random, keys, twoPersons, ...changed } as unknown as ApiSettings;
};

const approvals = (database: Database = fixture.database): ApprovalsController =>
  new ApprovalsController(settingsOf({ database }));

/** What waits instead of being done. */
async function waiting(asked: Promise<object>): Promise<ApprovalView> {
  const answer: unknown = await asked.catch((error: unknown) => error);
  if (answer instanceof AcceptedRequest) return answer.view as ApprovalView;
  throw answer instanceof Error ? answer : new Error('it was done');
}

/** `status code` of the refusal; `done` where there was none. */
async function refusal(asked: Promise<object>): Promise<string> {
  try {
    await asked;
    return 'done';
  } catch (error) {
    const { options } = error as { readonly options?: { status: number; code: string } };
    if (options === undefined) throw error;
    return `${options.status} ${options.code}`;
  }
}

const personal = { id: 'e-1', program, includePersonal: true, reason };

async function askExport(body: object = personal, actor = ada): Promise<JobView> {
  const settings = settingsOf();
  const controller = new ExportsController(settings, new SecondPerson(settings));
  return controller.create(new ZodPipe(exportRequestSchema).transform(body), actor);
}

async function askErasure(memberId: string, actor = ada): Promise<JobView> {
  const settings = settingsOf();
  const controller = new ErasuresController(settings, new SecondPerson(settings));
  return controller.create(new ZodPipe(erasureRequestSchema).transform({ program, memberId, reason }), actor);
}

const replaysOf = (settings = settingsOf()): ReplaysController =>
  new ReplaysController(settings, new SecondPerson(settings));

async function askReplay(body: object = {}, actor = ada): Promise<object> {
  const asked = { id: 'incident', query: 'status=parked', reason, force: true, ...body };
  return replaysOf().create(new ZodPipe(replayRequestSchema).transform(asked), actor);
}

async function askResolution(id: string, force = true): Promise<object> {
  const settings = settingsOf();
  const actions = new IntentActionsController(settings, new IntentLookup(settings), new SecondPerson(settings));
  const body = new ZodPipe(intentResolutionSchema).transform({ reason, as: 'delivered', force });
  return actions.resolve(id, body, ada);
}

const approve = async ({ id, digest }: ApprovalView, actor = bob, database?: Database): Promise<ApprovalView> =>
  approvals(database).approve(id, { digest, reason: 'seen' }, actor);

const refuse = async ({ id }: ApprovalView, actor = bob): Promise<ApprovalView> =>
  approvals().refuse(id, { reason: 'not so' }, actor);

const jobs = async (): Promise<object[]> =>
  fixture.sql('SELECT job_id AS id, state, created_by AS by FROM job ORDER BY created_at, job_id');

const actions = async (): Promise<object[]> =>
  fixture.sql('SELECT actor, action, subject, request_id AS request, detail FROM operator_action ORDER BY action_id');

/** Lets at least so many come to the table before any of them goes on. */
async function atOnce<T>(table: 'job' | 'approval', many: number, ask: () => Promise<T>[]): Promise<T[]> {
  return withClient(test.ownerUrl, async (client) => {
    await client.query(`BEGIN; LOCK TABLE ${table}`);
    const answers = Promise.all(ask());
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
    while (((await client.query(waiting)).rowCount ?? 0) < many) await sleep(5);
    await client.query('COMMIT');
    return answers;
  });
}

const oneIntent = async (): Promise<string> => {
  const lookup = new IntentLookup(settingsOf());
  const { program: of, memberId, seq } = await lookup.show(await lookup.find(`${program}~m-1~1`, ada));
  return `${of}~${memberId}~${seq}`;
};

describe('what takes a second person', () => {
  it('is not done before one approves it, then once, and the audit names both', async () => {
    const proposal = await waiting(askExport());
    expect(proposal).toMatchObject({
      ...{ kind: 'personal-export', program, target: '/exports/e-1', state: 'proposed', askedBy: 'ada', reason },
      request: { from: null, to: null, includePersonal: true },
      until: new Date(fixture.clock.at + windowMs).toISOString(),
    });
    expect(await jobs()).toEqual([]);
    expect(await approve(proposal)).toMatchObject({ state: 'approved', settledBy: 'bob', settledReason: 'seen' });
    expect(await jobs()).toEqual([{ id: 'e-1', state: 'waiting', by: 'ada' }]);
    const { id: approval } = proposal;
    const shown = { approval, kind: 'personal-export', program, target: '/exports/e-1', askedBy: 'ada' };
    expect(await actions()).toEqual([
      { actor: 'ada', action: 'approval.propose', subject: null, request: 'r-ada', detail: shown },
      { actor: 'bob', action: 'approval.approve', subject: null, request: 'r-bob', detail: shown },
      {
        ...{ actor: 'ada', action: 'export.start', subject: null, request: 'r-bob' },
        detail: { job: 'e-1', program, from: null, to: null, includePersonal: true, approval, approvedBy: 'bob' },
      },
    ]);
  });

  it('is found again by who asks the same again, before and after', async () => {
    const proposal = await waiting(askExport());
    expect(await waiting(askExport())).toEqual(proposal);
    expect(await refusal(askExport({ ...personal, from: '2026-01-01T00:00:00Z' }))).toBe('409 approval-differs');
    await approve(proposal);
    expect(await askExport()).toMatchObject({ id: 'e-1', state: 'waiting' });
    expect(await jobs()).toHaveLength(1);
  });

  it('is not approved by who asked for it, whatever they are called by then', async () => {
    const byToken = await waiting(askExport());
    expect(await refusal(approve(byToken, ada))).toBe('403 own-request');
    const subject = 'https://id.example 7';
    const byProvider = await waiting(askExport({ ...personal, id: 'e-2' }, { ...ada, subject }));
    expect(await refusal(approve(byProvider, { ...bob, subject }))).toBe('403 own-request');
    expect(await refusal(approve(byProvider, ada))).toBe('403 own-request');
    expect(await jobs()).toEqual([]);
    const namesake = { ...ada, subject: 'https://id.example 8' };
    expect(await approve(byProvider, namesake)).toMatchObject({ state: 'approved' });
    const [last] = (await actions()).slice(-1);
    expect(last).toMatchObject({ actor: 'ada', subject, action: 'export.start' });
  });

  it('is what was looked at, or nothing', async () => {
    const proposal = await waiting(askExport());
    const other = await waiting(askExport({ ...personal, id: 'e-2' }));
    expect(await refusal(approve({ ...proposal, digest: other.digest }))).toBe('409 approval-differs');
    // Somebody with rights to the table, between the look and the word.
    await queryOnce(
      test.ownerUrl,
      `UPDATE approval SET request = '{"from": null, "to": null, "includePersonal": true, "x": 1}'`,
    );
    expect(await refusal(approve(proposal))).toBe('409 approval-differs');
    expect(await jobs()).toEqual([]);
  });

  it('is done once, however many approve or refuse it at once', async () => {
    const proposal = await waiting(askExport());
    const answers = await atOnce('approval', 4, () =>
      [approve(proposal), approve(proposal, eve), approve(proposal), refuse(proposal, eve)].map(refusal),
    );
    expect(answers.toSorted()).toEqual(['409 approval-state', '409 approval-state', '409 approval-state', 'done']);
    const { state } = await approvals().one(proposal.id, ada);
    expect(await jobs()).toHaveLength(state === 'approved' ? 1 : 0);
  });

  it('is refused by another, withdrawn by who asked for it, and not done; it may be asked for again', async () => {
    const proposal = await waiting(askExport());
    expect(await refuse(proposal)).toMatchObject({ state: 'refused', settledBy: 'bob', settledReason: 'not so' });
    expect(await refusal(approve(proposal, eve))).toBe('409 approval-state');
    const again = await waiting(askExport());
    expect(again.id).not.toBe(proposal.id);
    expect(await refuse(again, ada)).toMatchObject({ state: 'withdrawn', settledBy: 'ada' });
    expect(await jobs()).toEqual([]);
    expect((await actions()).map((one) => (one as { action: string }).action)).toEqual([
      ...['approval.propose', 'approval.refuse', 'approval.propose', 'approval.withdraw'],
    ]);
  });

  it('is not there, where there is none', async () => {
    const { digest } = await waiting(askExport());
    for (const asked of [approve({ id: 'x', digest } as ApprovalView), refuse({ id: 'x' } as ApprovalView)]) {
      expect(await refusal(asked)).toBe('404 no-such-approval');
    }
    expect(await refusal(approvals().one('x', ada))).toBe('404 no-such-approval');
  });
});

describe('the time in which it can be approved', () => {
  const quiet = { warn: () => undefined, error: () => undefined, info: () => undefined };

  async function lapseNow(): Promise<void> {
    const { database, random, clock } = fixture;
    const loop = approvalLapses({ database, random, clock, logger: quiet as never });
    const lapsed = 'SELECT 1 AS one FROM operator_action';
    const before = (await fixture.sql(lapsed)).length;
    loop.start();
    while ((await fixture.sql(lapsed)).length === before) await sleep(10);
    await loop.stop();
  }

  it('ends after an hour: nothing is done, and the audit says so', async () => {
    const proposal = await waiting(askExport());
    fixture.clock.at += windowMs - 1;
    expect(await approvals().one(proposal.id, ada)).toMatchObject({ state: 'proposed' });
    fixture.clock.at += 1;
    expect(await approvals().one(proposal.id, ada)).toMatchObject({ state: 'lapsed', settledAt: null });
    expect(await refusal(approve(proposal))).toBe('409 approval-state');
    await lapseNow();
    expect((await approvals().list({}, ada)).items).toMatchObject([{ state: 'lapsed', settledBy: null }]);
    const [last] = (await actions()).slice(-1);
    expect(last).toMatchObject({ actor: 'loyaltyd', action: 'approval.lapse', detail: { approval: proposal.id } });
    expect(await jobs()).toEqual([]);
  });

  it('ends for what asks for the same again, which waits anew', async () => {
    const proposal = await waiting(askExport());
    fixture.clock.at += windowMs;
    const again = await waiting(askExport());
    expect(again).toMatchObject({ state: 'proposed', target: proposal.target });
    expect(again.id).not.toBe(proposal.id);
    expect(await approvals().one(proposal.id, ada)).toMatchObject({ state: 'lapsed' });
  });

  it('is not over for one and past for another: lapsed or approved, never both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const proposal = await waiting(askExport({ ...personal, id: `race-${round}` }));
      const { clock, random, database } = fixture;
      const late = Object.assign(Object.create(clock) as typeof clock, { at: clock.at + windowMs });
      const loop = approvalLapses({ database, random, clock: late, logger: quiet as never });
      const approved = refusal(approve(proposal));
      loop.start();
      const answer = await approved;
      const settled = async (): Promise<string> => (await approvals().one(proposal.id, ada)).state;
      while ((await settled()) === 'proposed') await sleep(5);
      await loop.stop();
      expect([await settled(), answer]).toEqual(
        answer === 'done' ? ['approved', 'done'] : ['lapsed', '409 approval-state'],
      );
      const made = await fixture.sql('SELECT FROM job WHERE job_id = $1', `race-${round}`);
      expect(made).toHaveLength(answer === 'done' ? 1 : 0);
    }
  });
});

describe('a process that dies', () => {
  class KilledError extends Error {}

  /** @param when before what it did is kept, or once it is and nobody has been told */
  const dying = (when: 'before' | 'after'): Database => ({
    execute: (statement, parameters) => fixture.database.execute(statement, parameters),
    transaction: async (name, work) => {
      const kept = await fixture.database.transaction(name, async (session) => {
        const value = await work(session);
        if (when === 'before') throw new KilledError();
        return value;
      });
      if (when === 'after') throw new KilledError();
      return kept;
    },
  });

  it('before the approval is kept leaves it waiting: the deed is done by the next word, once', async () => {
    const proposal = await waiting(askExport());
    await expect(approve(proposal, bob, dying('before'))).rejects.toThrow(KilledError);
    expect(await approvals().one(proposal.id, ada)).toMatchObject({ state: 'proposed' });
    expect([await jobs(), await actions()]).toMatchObject([[], [{ action: 'approval.propose' }]]);
    await approve(proposal);
    expect(await jobs()).toHaveLength(1);
  });

  it('after it is kept has begun the deed: it is done by the next process, and by no second word', async () => {
    const proposal = await waiting(askExport());
    await expect(approve(proposal, bob, dying('after'))).rejects.toThrow(KilledError);
    expect(await refusal(approve(proposal))).toBe('409 approval-state');
    expect(await jobs()).toEqual([{ id: 'e-1', state: 'waiting', by: 'ada' }]);
  });
});

describe('erasures', () => {
  it('take a second person past so many of a day', async () => {
    for (const memberId of ['m-1', 'm-2']) expect(await askErasure(memberId)).toMatchObject({ state: 'waiting' });
    const proposal = await waiting(askErasure('m-3', eve));
    expect(proposal).toMatchObject({ kind: 'erasure', request: { memberId: 'm-3' }, askedBy: 'eve' });
    expect(await jobs()).toHaveLength(erasuresMax);
    await approve(proposal);
    const target = proposal.target.replace('/erasures/', '');
    expect(await jobs()).toContainEqual({ id: target, state: 'waiting', by: 'eve' });
    fixture.clock.at += 86_400_001;
    expect(await askErasure('m-1')).toMatchObject({ state: 'waiting' });
  });

  it('are counted one after the other: asking for all at once gains nothing', async () => {
    const answers = await atOnce('job', 4, () =>
      Array.from({ length: 8 }, async (_each, index) => {
        const asked = askErasure(`m-${(index % 3) + 1}`).then(() => 'done');
        return asked.catch((error: unknown) => (error instanceof AcceptedRequest ? 'waits' : String(error)));
      }),
    );
    expect(answers.toSorted()).toEqual([...Array<string>(erasuresMax).fill('done'), ...Array<string>(6).fill('waits')]);
    expect(await jobs()).toHaveLength(erasuresMax);
  });
});

describe('a forced replay', () => {
  it('sends what was frozen when it was asked for, at the pace that was', async () => {
    const proposal = await waiting(askReplay({ ratePerSecond: 7 }));
    expect(proposal).toMatchObject({
      ...{ kind: 'forced-replay', target: '/replays/incident', program: null },
      request: { ratePerSecond: 7, isCanary: true },
    });
    const planned = await replaysOf().one('incident', ada);
    expect(planned).toMatchObject({ state: 'planned', items: 3, startedBy: null });
    await fixture.record([purchase('later', 'm-9')]);
    await fixture.deliverDue(() => true);
    await approve(proposal);
    expect(await replaysOf().one('incident', ada)).toMatchObject({
      ...{ state: 'running', items: 3, ratePerSecond: 7, startedBy: 'ada' },
    });
    expect(await askReplay({ ratePerSecond: 7 })).toMatchObject({ state: 'running' });
  });

  it('does not start by asking again, nor as a dry run of one person and the word of the same', async () => {
    expect(await askReplay({ dryRun: true })).toMatchObject({ state: 'planned' });
    const proposal = await waiting(askReplay());
    expect(await waiting(askReplay())).toEqual(proposal);
    expect(await refusal(askReplay({ query: 'status=parked memberId=m-1' }))).toBe('409 replay-differs');
    expect(await refusal(askReplay({ force: false }))).toBe('409 replay-differs');
    expect(await refusal(replaysOf().resume('incident', { reason }, ada))).toBe('409 replay-state');
    expect(await replaysOf().one('incident', ada)).toMatchObject({ state: 'planned' });
  });

  it('is not started once it was cancelled', async () => {
    const proposal = await waiting(askReplay());
    await replaysOf().cancel('incident', { reason }, bob);
    expect(await refusal(approve(proposal))).toBe('409 replay-state');
    expect(await approvals().one(proposal.id, ada)).toMatchObject({ state: 'proposed' });
  });
});

describe('a forced action on an intent', () => {
  it('is done as it was asked for', async () => {
    const id = await oneIntent();
    const proposal = await waiting(askResolution(id));
    expect(proposal).toMatchObject({
      ...{ kind: 'forced-intent', program, target: `/intents/${id}` },
      request: { action: 'resolve', as: 'delivered' },
    });
    await approve(proposal);
    const about = await fixture.sql<{ about: string }>(
      `SELECT DISTINCT m.member_id || a.seq AS about FROM operator_action a JOIN member m USING (lane_id)`,
    );
    expect([about, JSON.stringify(await actions())]).toEqual([
      [{ about: 'm-11' }],
      expect.not.stringContaining('m-1') as string,
    ]);
    const [last] = (await actions()).slice(-1);
    expect(last).toMatchObject({ actor: 'ada', action: 'intent.resolve', detail: { force: true, approvedBy: 'bob' } });
    expect(await refusal(askResolution(id))).toBe('409 not-parked');
  });

  it('is not done to what stands otherwise by then', async () => {
    const id = await oneIntent();
    const proposal = await waiting(askResolution(id));
    fixture.clock.at += 1_000;
    await askResolution(id, false);
    expect(await refusal(approve(proposal))).toBe('409 approval-outdated');
    expect(await approvals().one(proposal.id, ada)).toMatchObject({ state: 'proposed' });
    expect((await actions()).filter((one) => (one as { action: string }).action === 'approval.approve')).toEqual([]);
  });
});

describe('what waits about somebody', () => {
  const about = async (query: object): Promise<string[]> => {
    const { items } = await approvals().list(new ZodPipe(approvalListQuerySchema).transform(query), ada);
    return items.map(({ kind }) => kind).toSorted();
  };
  const intentOf = (memberId: string): object => ({ intent: `${program}~${memberId}~1` });
  const member = (memberId: string): object => ({ program, memberId });

  it('is told of an intent and of a member: alone, among many, or with all of theirs; and nothing else', async () => {
    await waiting(askResolution(await oneIntent()));
    const many = await waiting(askReplay({ query: 'status=parked memberId=m-2' }));
    for (const memberId of ['m-1', 'm-3']) await askErasure(memberId);
    await waiting(askErasure('m-2'));
    await waiting(askExport());
    expect(await about({})).toHaveLength(4);
    for (const queryOf of [intentOf, member]) {
      expect(await about(queryOf('m-1'))).toEqual(['forced-intent']);
      expect(await about(queryOf('m-2'))).toEqual(['erasure', 'forced-replay']);
      expect(await about(queryOf('m-3'))).toEqual([]);
      expect(await about(queryOf('m-nobody'))).toEqual([]);
    }
    expect(await about({ intent: `${program}~m-2~2` })).toEqual(['erasure']);
    await refuse(many);
    expect(await about(member('m-2'))).toEqual(['erasure']);
    fixture.clock.at += windowMs;
    expect(await about(member('m-2'))).toEqual([]);
  });

  it('is of their programs only for who may know of some', async () => {
    await waiting(askResolution(await oneIntent()));
    const { items } = await approvals().list(intentOf('m-1'), { ...ada, programs: ['tea-club'] });
    expect(items).toEqual([]);
  });

  it('is found by what waits, however much was settled before', async () => {
    await waiting(askResolution(await oneIntent()));
    await queryOnce(
      test.ownerUrl,
      `INSERT INTO approval (approval_id, kind, program_id, target, lane_id, seq, request, reason, state, asked_at, asked_by, until,
         settled_at)
       SELECT 'old-' || n, kind, program_id, target, lane_id, seq, request, reason, 'lapsed', asked_at, asked_by, until, until
       FROM approval, generate_series(1, 5000) n; ANALYZE approval`,
    );
    expect(await about(intentOf('m-1'))).toEqual(['forced-intent']);
    const plan = await withClient(test.ownerUrl, async (client) => {
      await client.query(`PREPARE awaited AS ${listAwaitedStatement.text}`);
      const { rows } = await client.query(`EXPLAIN EXECUTE awaited (NULL, '2026-01-01', '${program}', 'm-1', 1)`);
      return JSON.stringify(rows);
    });
    expect(plan).toContain('approval_open');
    expect(plan).not.toContain('Seq Scan on approval');
  });
});

describe('what has got another content since', () => {
  const correct = async (id: string): Promise<void> => {
    const place = await new IntentLookup(settingsOf()).find(id, ada);
    const audit = { at: fixture.clock.at, actor: 'ada', address: null, reason };
    const revise = (current: PartnerCommand | null): RevisedCommand => {
      return {
        command: { ...(current as TransactionCommand), amount: '1000.00' },
        changed: ['amount'],
        privileged: [],
      };
    };
    const result = await correctIntent(fixture.database, { place, revise, audit }, fixture.keys);
    expect(result).toMatchObject({ kind: 'done' });
  };

  it('regression: is not sent by the word of who has not seen it', async () => {
    const id = await oneIntent();
    const [one, many] = [await waiting(askResolution(id)), await waiting(askReplay())];
    fixture.clock.at += 1_000;
    await correct(id);
    expect(await refusal(approve(one))).toBe('409 approval-outdated');
    expect(await refusal(approve(many))).toBe('409 approval-outdated');
  });

  it('is done where it was corrected before it was asked for', async () => {
    const id = await oneIntent();
    await correct(id);
    fixture.clock.at += 1_000;
    expect(await refusal(approve(await waiting(askResolution(id))))).toBe('done');
  });
});

it(`no more than ${approvalsOpenMax} requests wait at a time`, async () => {
  for (let index = 0; index < approvalsOpenMax; index += 1) await waiting(askExport({ ...personal, id: `e-${index}` }));
  expect(await refusal(askExport({ ...personal, id: 'one-more' }))).toBe('409 too-many-approvals');
  const [oldest] = (await approvals().list({}, ada)).items;
  expect(await waiting(askExport({ ...personal, id: 'e-0' }))).toMatchObject({ state: 'proposed' });
  if (oldest !== undefined) await refuse(oldest);
  expect(await waiting(askExport({ ...personal, id: 'one-more' }))).toMatchObject({ state: 'proposed' });
});
