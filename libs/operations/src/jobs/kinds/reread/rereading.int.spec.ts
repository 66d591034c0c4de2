import { IntentActionRepository } from '#intents';
import type { IntentEvent } from '#intents/core';
import { DialectRegistry } from '#gateway';
import type { MemberKeys } from '#intents';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { ProgramsControl } from '../../../reload/programs-control.js';
import { PlannedActions } from '../../../intents/planned-actions.js';
import { JobFixture } from '../../../testing/job-fixture.js';
import { enrolment, personalOf, program, purchase } from '../../../testing/sample-records.js';
import { DoubtfulIntentRepository } from './doubtful-intents.js';
import { RereadingWork } from './rereading-work.js';

let test: TestDatabase;
let fixture: JobFixture;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

interface AnsweredSo {
  readonly code?: string;
  readonly lane?: 'continue' | 'block';
}

/** The partner answers so, and what was sent is parked for it. */
const answering =
  (body: unknown, { code = 'unproven-200', lane = 'continue' }: AnsweredSo = {}) =>
  (memberId: string, at: number): { evidence: object; events: IntentEvent[] } => ({
    evidence: {
      phase: 'answered',
      request: { method: 'POST', path: '/', body: personalOf(memberId) },
      response: { status: 200, headers: {}, body: JSON.stringify(body), truncated: false },
    },
    events: [
      { type: 'AttemptUnknown', at, attempt: 1, code, checkAt: null },
      { type: 'IntentParked', at, reason: 'unknown-outcome', lane },
    ],
  });

const dialect = (success: object): DialectRegistry => new DialectRegistry({ file: { success }, programs: [] });
const relaxed = dialect({ proof: { transaction: 'object' } });

const programs = { file: () => ({ programs: {} }) } as unknown as ProgramsControl;

const workOf = (dialects: DialectRegistry, keys: MemberKeys = fixture.keys) => {
  const { database, clock } = fixture;
  return new RereadingWork(
    new DoubtfulIntentRepository(database, keys),
    new PlannedActions(new IntentActionRepository(database, keys), programs),
    clock,
    dialects,
  );
};

async function reread(jobId: string, dialects: DialectRegistry, request: object = { dryRun: false }) {
  await fixture.order({ jobId, kind: 'reread', request: { ...request } });
  return fixture.finish(workOf(dialects), jobId);
}

const statuses = async (): Promise<Record<string, number>> => {
  const rows = await fixture.sql<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM intent_standing GROUP BY 1',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

async function someSales(count: number): Promise<void> {
  const members = Array.from({ length: count }, (_, index) => `m${index}`);
  await fixture.record(members.map((memberId) => purchase(`p-${memberId}`, memberId)));
}

describe('reading answers of parked intents again', () => {
  it('settles what the dialect of now takes for applied, with the answer as evidence and a trace each', async () => {
    await someSales(3);
    await fixture.endDue(answering({}));
    expect(await statuses()).toEqual({ parked: 3 });
    expect(await reread('j1', new DialectRegistry())).toMatchObject({ report: { read: 3, stillUnproven: 3 } });
    expect(await statuses()).toEqual({ parked: 3 });

    expect(await reread('j2', relaxed)).toMatchObject({ report: { read: 3, settled: 3 } });
    expect(await statuses()).toEqual({ delivered: 3 });
    const events = await fixture.sql<{ data: object; attempt: number; sealed: Buffer }>(
      `SELECT data, attempt, sealed FROM intent_history WHERE type = 'VerifiedApplied'`,
    );
    expect(events.map(({ data, attempt }) => ({ data, attempt }))).toEqual(
      Array.from({ length: 3 }, () => ({ data: { evidence: 'answer-reread' }, attempt: 1 })),
    );
    expect(events.every(({ sealed }) => !sealed.includes('Ada'))).toBe(true);
    const actions = await fixture.sql(
      `SELECT action, actor, reason, detail FROM operator_action WHERE action = 'reread.settle'`,
    );
    expect(actions).toHaveLength(3);
    expect(actions[0]).toMatchObject({ actor: 'ada', reason: 'asked by letter', detail: { job: 'j2', attempt: 1 } });
    const lines = await fixture.sql<{ data: object }>(`SELECT data FROM job_line WHERE job_id = 'j2' ORDER BY ordinal`);
    expect(lines[0]?.data).toEqual({
      kind: 'settled',
      intent: `${program}~m0~1`,
      operation: 'transaction',
      attempt: 1,
    });
    expect(await reread('j3', relaxed)).toMatchObject({ report: {} });
  });

  it('says what it would settle, and settles nothing, when it is only asked', async () => {
    await someSales(2);
    await fixture.endDue(answering({}));
    expect(await reread('j1', relaxed, { dryRun: true })).toMatchObject({ report: { read: 2, proven: 2 } });
    expect(await statuses()).toEqual({ parked: 2 });
    expect(await fixture.sql(`SELECT data->>'kind' AS kind FROM job_line`)).toEqual([
      { kind: 'would-settle' },
      { kind: 'would-settle' },
    ]);
  });

  it('leaves what proves nothing, what no answer came to, what was cut, and what names another member', async () => {
    await someSales(4);
    const ends = [
      answering({ status: 'maintenance' }),
      answering('<html>', { code: 'http-200-not-json' }),
      answering({}, { code: 'timeout' }),
      answering({}),
    ];
    await fixture.endDue((memberId, at) => {
      const ended = ends[Number(memberId.slice(1))]!(memberId, at);
      if (memberId !== 'm3') return ended;
      const response = { status: 200, headers: {}, body: '{}', truncated: true };
      return { ...ended, evidence: { ...ended.evidence, response } };
    });
    const { report } = await reread('j1', dialect({ proof: { reward: 'any' } }));
    expect(report).toEqual({ read: 4, stillUnproven: 3, withoutAnswer: 1 });
    expect(await statuses()).toEqual({ parked: 4 });
  });

  it('reads nothing of who is erased, and nothing that a person has decided', async () => {
    await someSales(3);
    await fixture.endDue(answering({}));
    await fixture.sql(
      `DELETE FROM member_key USING member m WHERE m.lane_id = member_key.lane_id AND m.member_id = 'm1'`,
    );
    await fixture.sql(
      `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
       SELECT lane_id, 1, version + 1, 0, epoch, 'IntentCancelled', now(), '{"by": "ada", "reason": "r"}'
       FROM lane JOIN member USING (lane_id) WHERE member_id = 'm2'`,
    );
    await fixture.sql(`UPDATE lane SET version = version + 1 FROM member m
       WHERE m.lane_id = lane.lane_id AND m.member_id = 'm2'`);
    expect(await reread('j1', relaxed)).toMatchObject({ report: { read: 2, settled: 1, withoutAnswer: 1 } });
    expect(await statuses()).toEqual({ delivered: 1, parked: 1, cancelled: 1 });
  });

  it('lets a blocked lane go on', async () => {
    await fixture.record([enrolment('e1', 'm0'), purchase('p1', 'm0')]);
    await fixture.endDue(answering({ number: 7 }, { lane: 'block' }));
    expect(await fixture.sql('SELECT state FROM lane')).toEqual([{ state: 'blocked' }]);
    const { report } = await reread('j1', dialect({ proof: { issue: 'object' } }));
    expect(report).toMatchObject({ settled: 1 });
    const [lane] = await fixture.sql<{ state: string; isDue: boolean }>(
      `SELECT state, due_at IS NOT NULL AS "isDue" FROM lane`,
    );
    expect(lane).toEqual({ state: 'live', isDue: true });
  });

  it('is carried on by another process, and asks for nothing twice', async () => {
    await someSales(220);
    for (let sent = await fixture.endDue(answering({})); sent > 0; sent = await fixture.endDue(answering({}))) continue;
    await fixture.order({ jobId: 'j1', kind: 'reread', request: { dryRun: false } });
    await fixture.turn(workOf(relaxed));
    expect(await statuses()).toEqual({ delivered: 200, parked: 20 });
    const { report } = await fixture.finish(workOf(relaxed, fixture.keys), 'j1');
    expect(report).toEqual({ read: 220, settled: 220 });
    expect(await statuses()).toEqual({ delivered: 220 });
    expect(await fixture.sql(`SELECT FROM operator_action WHERE action = 'reread.settle'`)).toHaveLength(220);
  });
});
