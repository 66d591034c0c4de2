import { hash } from 'node:crypto';

import pg from 'pg';

import type { ExportLine } from '#contracts';
import { exportLineSchema } from '#contracts';
import type { IntentEvent } from '#intents/core';
import { evolve, initialIntentState } from '#intents/core';
import { erasedName, ErasureRepository, intentId, IntentActionRepository } from '#intents';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { IntentRepository } from '../../../intents/list-intents.js';
import type { JobWork } from '../../job-runner.js';
import type { Job } from '../../job-repository.js';
import { JobRepository } from '../../job-repository.js';
import { JobFixture } from '../../../testing/job-fixture.js';
import { enrolment, personalOf, purchase, recordedAt } from '../../../testing/sample-records.js';
import { readExportPage } from './export-lines.js';
import { ExportRepository } from './export-repository.js';
import { ExportWork, requestOf, stateOf } from './export-work.js';

let test: TestDatabase;
let fixture: JobFixture;
let work: JobWork;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
  const { database, clock, keys } = fixture;
  work = new ExportWork(new ExportRepository(database, keys), clock);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const everything = { from: null, to: null, includePersonal: false };

async function fill(members = ['a', 'b', 'c']): Promise<void> {
  await fixture.record(members.flatMap((memberId) => [enrolment(`e-${memberId}`, memberId)]));
  await fixture.deliverDue((memberId) => memberId === 'b');
  await fixture.record(
    members.flatMap((memberId) => [purchase(`p-${memberId}`, memberId), purchase(`q-${memberId}`, memberId)]),
    recordedAt + 2_000,
  );
  await fixture.deliverDue((memberId) => memberId === 'c');
  const audit = { at: recordedAt + 3_000, actor: 'ada', address: null, reason: 'not wanted' };
  const place = { laneId: await laneOf('a'), seq: 3 };
  await new IntentActionRepository(fixture.database, fixture.keys).act({ place, action: { kind: 'cancel' }, audit });
}

async function laneOf(memberId: string): Promise<number> {
  const [row] = await fixture.sql<{ lane_id: number }>('SELECT lane_id FROM member WHERE member_id = $1', memberId);
  return row!.lane_id;
}

async function make(request: object = everything, of: { jobId?: string; program?: string | null } = {}): Promise<Job> {
  const { jobId = 'x1', program = null } = of;
  await fixture.order({ jobId, kind: 'export', program, request: { ...everything, ...request } });
  return fixture.finish(work, jobId);
}

/** All lines, as they stand in a file. */
async function linesOf(job: Job, limit = 2_000): Promise<string[]> {
  const state = stateOf(job);
  if (state.kind !== 'counting') throw new Error('not frozen');
  const isMasked = !requestOf(job).includePersonal;
  const texts: string[] = [];
  for (let after = null as Parameters<typeof readExportPage>[1]['after'], pages = 0; pages < 1_000; pages += 1) {
    const request = { extent: state.extent, after, limit, isMasked };
    const { database, clock, keys } = fixture;
    const page = await readExportPage({ exports: new ExportRepository(database, keys), clock }, request);
    expect(page.texts.length).toBeLessThanOrEqual(limit);
    texts.push(...page.texts);
    if (page.next === null) return texts;
    after = page.next;
  }
  throw new Error('the pages never end');
}

const parsed = (texts: readonly string[]): ExportLine[] =>
  texts.map((text) => exportLineSchema.parse(JSON.parse(text)));

/** Said once more, in other words than the product's. */
function digestOf(texts: readonly string[]): string {
  const file = Buffer.from(texts.map((text) => `${text}\n`).join(''));
  let digest = Buffer.alloc(0);
  for (let from = 0; from < file.length;) {
    const end = file.indexOf('\n', from) + 1;
    digest = hash('sha256', Buffer.concat([digest, file.subarray(from, end)]), 'buffer');
    from = end;
  }
  return digest.toString('hex');
}

interface Report {
  readonly lines: number;
  readonly intents: number;
  readonly events: number;
  readonly erased: number;
  readonly digest: string;
}

const reportOf = (job: Job): Report => job.report as Report;

describe('an export of one member', () => {
  it('holds all that is recorded of them, and nothing of anybody else, however it is read', async () => {
    await fill();
    const all = parsed(await linesOf(await make()));
    const job = await make({ memberId: 'b', laneId: await laneOf('b') }, { jobId: 'x2', program: 'coffee-club' });
    const texts = await linesOf(job, 2);
    expect(reportOf(job)).toMatchObject({ lines: texts.length, intents: 3, digest: digestOf(texts) });
    const ofMember = all.filter((line) => (line.kind === 'intent' ? line.id : line.intent).includes('~b~'));
    expect(parsed(texts)).toEqual(ofMember);
    expect(ofMember.length).toBeGreaterThan(3);
  });
});

describe('an export', () => {
  it('folds to what the live list shows', async () => {
    await fill();
    const lines = parsed(await linesOf(await make()));
    const states = new Map<string, ReturnType<typeof evolve>>();
    for (const line of lines) {
      if (line.kind === 'intent') {
        const at = Date.parse(line.recordedAt);
        states.set(line.id, evolve(initialIntentState, { type: 'IntentRecorded', at }));
      } else {
        const attempt = line.attempt === null ? {} : { attempt: line.attempt };
        const event = { type: line.type, at: Date.parse(line.at), ...attempt, ...line.data } as unknown as IntentEvent;
        states.set(line.intent, evolve(states.get(line.intent)!, event));
      }
    }
    const { items } = await new IntentRepository(fixture.database, fixture.clock).list({
      filter: {},
      programs: null,
      after: null,
      limit: 500,
    });
    const live = items.map((item) => [intentId(item), item.status, item.status === 'parked' ? item.reason : null]);
    const folded = [...states].map(([id, state]) => [
      id,
      state.status,
      state.status === 'parked' ? state.reason : null,
    ]);
    expect(folded.toSorted()).toEqual(live.toSorted());
    expect(new Set(live.map(([, status]) => status))).toEqual(new Set(['delivered', 'parked', 'cancelled', 'pending']));
  });

  it('has a digest that the file of its lines has, whatever the size of its pages', async () => {
    await fill();
    const job = await make();
    const texts = await linesOf(job);
    expect(reportOf(job)).toMatchObject({ lines: texts.length, intents: 9, erased: 0, digest: digestOf(texts) });
    expect(reportOf(job).events).toBe(texts.length - 9);
    for (const limit of [1, 2, 7]) expect(await linesOf(job, limit)).toEqual(texts);
    expect(reportOf(await make({}, { jobId: 'x2' })).digest).toBe(reportOf(job).digest);
    expect(digestOf(texts.toReversed())).not.toBe(reportOf(job).digest);
  });

  it('stays as it is while new things are recorded and happen', async () => {
    await fill();
    const job = await make();
    const before = await linesOf(job);
    await fixture.record([purchase('late', 'a'), enrolment('e-d', 'd')], recordedAt + 2_000);
    await fixture.record([purchase('later', 'a')], recordedAt + 9_000);
    await fixture.deliverDue();
    expect(await linesOf(job)).toEqual(before);
    expect((await linesOf(await make({}, { jobId: 'x2' }))).length).toBeGreaterThan(before.length);
  });

  it('waits for transactions that may still add to it', async () => {
    await fill();
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query(`BEGIN; UPDATE member SET profile_at = now() WHERE member_id = 'a'`);
    await fixture.order({ jobId: 'x1', kind: 'export', program: null, request: everything });
    for (let turns = 0; turns < 5; turns += 1) {
      await fixture.turn(work);
      fixture.clock.at += 1_000;
    }
    const [waiting] = await new JobRepository(fixture.database).lease({
      owner: fixture.random.uuid(),
      kinds: ['export'],
      now: 2e12,
    });
    expect(stateOf(waiting!).kind).toBe('freezing');
    await client.query('COMMIT');
    await client.end();
    fixture.clock.at = 2e12 + 120_000;
    expect((await fixture.finish(work, 'x1')).state).toBe('done');
  });

  it('shows nothing personal, unless it was asked for', async () => {
    await fill();
    const masked = (await linesOf(await make())).join('\n');
    expect(masked).not.toContain(personalOf('a'));
    expect(masked).toContain('•••');
    const job = await make({ includePersonal: true }, { jobId: 'x2' });
    const open = await linesOf(job);
    expect(open.join('\n')).toContain(personalOf('a'));
    expect(digestOf(open)).toBe(reportOf(job).digest);
  });

  it('marks what was erased, and its counts tell why a digest does not fit any more', async () => {
    await fill();
    const job = await make({ includePersonal: true });
    const before = parsed(await linesOf(job));
    const audit = { at: recordedAt, actor: 'ada', address: null, reason: 'asked by letter' };
    await fixture.order({ jobId: 'j1', kind: 'erase', request: { memberId: 'a' } });
    await new JobRepository(fixture.database).lease({
      owner: fixture.random.uuid(),
      kinds: ['erase'],
      now: fixture.clock.at,
    });
    const request = {
      jobId: 'j1',
      laneId: await laneOf('a'),
      memberId: 'a',
      since: recordedAt,
      audit,
      isPatient: true,
    };
    expect(await new ErasureRepository(fixture.database, fixture.ingestKeys).eraseMember(request)).toMatchObject({
      kind: 'erased',
    });
    const texts = await linesOf(job);
    const after = parsed(texts);
    const names = ['a', erasedName(fixture.ingestKeys.mac, 'a')];
    const ofA = (line: ExportLine) =>
      line.kind === 'intent' ? names.includes(line.memberId) : names.some((name) => line.intent.includes(`~${name}~`));
    expect(after.filter(({ erased }) => erased)).toEqual(after.filter(ofA));
    expect(after.filter((line) => !ofA(line))).toEqual(before.filter((line) => !ofA(line)));
    expect(texts.join('\n')).not.toContain(personalOf('a'));
    expect(after.filter(ofA).map((line) => (line.kind === 'intent' ? line.command : line.evidence))).toEqual(
      after.filter(ofA).map(() => null),
    );
    expect(digestOf(texts)).not.toBe(reportOf(job).digest);
    expect(reportOf(job).erased).toBe(0);
    const anew = await make({ includePersonal: true }, { jobId: 'x2' });
    const erased = parsed(await linesOf(anew)).filter((line) => line.erased);
    expect(erased.length).toBeGreaterThan(0);
    expect(reportOf(anew).erased).toBe(erased.length);
  });

  it.each([
    [{ from: new Date(recordedAt + 2_000).toISOString() }, 6],
    [{ to: new Date(recordedAt + 2_000).toISOString() }, 3],
    [{ from: new Date(recordedAt + 2_001).toISOString() }, 0],
    [{}, 9],
  ])('holds what was recorded in the time asked for: %j', async (time, intents) => {
    await fill();
    const job = await make(time);
    expect(reportOf(job).intents).toBe(intents);
    expect(parsed(await linesOf(job)).filter(({ kind }) => kind === 'intent')).toHaveLength(intents);
  });

  it('holds one program alone, and nothing where there is nothing', async () => {
    expect(reportOf(await make())).toMatchObject({ lines: 0, digest: '' });
    await fill();
    await queryOnce(test.ownerUrl, `UPDATE member SET program_id = 'tea-club' WHERE member_id = 'b'`);
    const job = await make({}, { jobId: 'x2', program: 'tea-club' });
    expect(reportOf(job)).toMatchObject({ intents: 3, extent: { program: 'tea-club' } });
    const lines = parsed(await linesOf(job));
    expect(new Set(lines.flatMap((line) => (line.kind === 'intent' ? [line.program] : [])))).toEqual(
      new Set(['tea-club']),
    );
  });

  it('comes to the same digest though its process dies at every turn', async () => {
    const members = Array.from({ length: 150 }, (_, index) => `m${index}`);
    await fixture.record(members.map((memberId) => enrolment(`e-${memberId}`, memberId)));
    for (let delivered = 1; delivered > 0;) delivered = await fixture.deliverDue();
    const digest = reportOf(await make()).digest;
    await fixture.order({ jobId: 'x2', kind: 'export', program: null, request: everything });
    let deaths = 0;
    const dying: JobWork = {
      kind: 'export',
      turn: async (job) => {
        // The clock runs out at once: a turn reads once, then it is killed, then it is made again.
        let asked = 0;
        const monotonic = (): number => ((asked += 1) > 2 ? 1e9 : 0);
        const clock = Object.assign(Object.create(fixture.clock) as typeof fixture.clock, {
          monotonic,
          sleep: async () => undefined,
        });
        const turn = await new ExportWork(new ExportRepository(fixture.database, fixture.keys), clock).turn(job);
        if ((deaths += 1) % 2 === 1) throw new Error('killed');
        return turn;
      },
    };
    for (let turns = 0; turns < 100; turns += 1) {
      const isThere = await fixture.turn(dying).catch(() => true);
      if (!isThere) fixture.clock.at += 1_000;
    }
    const again = await fixture.finish(work, 'x2');
    expect(deaths).toBeGreaterThan(4);
    expect(reportOf(again).digest).toBe(digest);
    expect(reportOf(again).intents).toBe(members.length);
  });
});
