import { PauseRepository, acquireQuota } from '#intents';

import { JobFailedError } from '../../job-runner.js';
import { program, ReadingFixture } from '../../../testing/reading-fixture.js';
import { passOf } from '../../../testing/scripted-listings.js';
import { ReconciliationWork } from './reconciliation-work.js';

let fixture: ReadingFixture;
let pauses: PauseRepository;

beforeEach(async () => {
  fixture = await ReadingFixture.open();
  pauses = new PauseRepository(fixture.database);
});

afterEach(async () => {
  await fixture.close();
});

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

async function known(): Promise<string[]> {
  const rows = await fixture.sql<{ member_id: string }>(
    `SELECT member_id FROM member JOIN lane USING (lane_id) WHERE pass = 'known' ORDER BY member_id`,
  );
  return rows.map((row) => row.member_id);
}

async function adoptions(): Promise<number> {
  return (await fixture.sql(`SELECT FROM intent_history WHERE type = 'PassAdopted'`)).length;
}

/** Pages asked for, in order. */
const pages = (): unknown[] => fixture.partner.calls.map(({ what }) => what);

describe('an adoption', () => {
  it('records every member who has a pass, page by page, without a lookup', async () => {
    fixture.partner.passes = names(8).map((memberId) => passOf(memberId));
    await fixture.job('j1', 'reconcile', { adopt: true });
    const job = await fixture.run(new ReconciliationWork(fixture.tools), 'j1');
    expect(job.progress).toEqual({ pages: 3, rows: 8, totalCount: 8, adopted: 8 });
    expect(job.report).toMatchObject({ repaired: { adopted: 8, issuedAnew: 0 }, agrees: true });
    expect(await known()).toEqual(names(8));
    expect(pages()).toEqual([1, 2, 3, 4]);
    expect(fixture.partner.calls.filter(({ kind }) => kind !== 'page')).toEqual([]);
  });

  it('changes nothing the second time, and takes over what came meanwhile', async () => {
    fixture.partner.passes = names(4).map((memberId) => passOf(memberId));
    await fixture.job('j1', 'reconcile', { adopt: true });
    await fixture.run(new ReconciliationWork(fixture.tools), 'j1');
    fixture.partner.passes.push(passOf('late'));
    await fixture.job('j2', 'reconcile', { adopt: true });
    const { progress } = await fixture.run(new ReconciliationWork(fixture.tools), 'j2');
    expect(progress).toMatchObject({ rows: 5, adopted: 1, matched: 4 });
    expect(await adoptions()).toBe(5);
  });

  it('reports what it cannot take over, and counts the rest', async () => {
    await fixture.enrol(['left'], ['gone']);
    await fixture.sql(`UPDATE member SET left_at = now() WHERE member_id = 'left'`);
    await fixture.sql(
      `DELETE FROM member_key USING member m WHERE m.lane_id = member_key.lane_id AND member_id = 'gone'`,
    );
    const foreign = { passId: 77, serialNumber: 'x', passdata: { metaData: { theirs: 'm1' } } };
    const number = { passId: 78, serialNumber: 'y', passdata: { metaData: { memberId: 7741 } } };
    fixture.partner.passes = [
      ...['a', 'left', 'gone'].map((memberId) => passOf(memberId)),
      ...[foreign, number, passOf('b')],
      ...[
        passOf('b', { passId: 9, serialNumber: 'other' }),
        passOf('c'),
        passOf('c', { passId: 8, serialNumber: 'second' }),
      ],
    ];
    await fixture.job('j1', 'reconcile', { adopt: true });
    const { progress } = await fixture.run(new ReconciliationWork(fixture.tools), 'j1');
    expect(progress).toMatchObject({ rows: 9, adopted: 4, left: 2, withoutMemberId: 1, duplicateThere: 2 });
    // A partner may keep our id as a number.
    expect(await known()).toEqual(['7741', 'a', 'b', 'c']);
    expect(await fixture.lines('j1')).toEqual([
      { kind: 'without-member-id', passId: 77 },
      { kind: 'duplicate-there', memberId: 'c', passId: 8 },
      { kind: 'differing', memberId: 'b', paths: ['serialNumber'] },
      { kind: 'duplicate-there', memberId: 'b', passId: 9 },
    ]);
  });

  it('goes on in another process at the page where the first one was killed, with each member once', async () => {
    fixture.partner.passes = names(9).map((memberId) => passOf(memberId));
    await fixture.job('j1', 'reconcile', { adopt: true });
    const killed = new ReconciliationWork(fixture.tools);
    await fixture.turn(killed, 'j1');
    // Read and not written: what the process did last is lost.
    await fixture.turn(killed, 'j1', false);
    expect(await adoptions()).toBe(3);
    const { progress } = await fixture.run(new ReconciliationWork(fixture.tools), 'j1');
    expect(progress).toEqual({ pages: 3, rows: 9, totalCount: 9, adopted: 9 });
    expect(pages()).toEqual([1, 2, 2, 3, 4]);
    expect(await adoptions()).toBe(9);
  });

  it('ends behind a full last page that the partner refuses to turn, also when it was opened anew there', async () => {
    fixture.partner.passes = names(6).map((memberId) => passOf(memberId));
    fixture.partner.trouble = ({ what }) =>
      what === 3 ? { stage: 'answer', code: 'http-400', retryAfterMs: null } : null;
    await fixture.job('j1', 'reconcile', { adopt: true });
    for (let turns = 0; turns < 2; turns += 1) await fixture.turn(new ReconciliationWork(fixture.tools), 'j1');
    expect(await fixture.run(new ReconciliationWork(fixture.tools), 'j1')).toMatchObject({
      progress: { adopted: 6, pages: 2 },
    });
    fixture.partner.trouble = ({ what }) =>
      what === 2 ? { stage: 'answer', code: 'http-400', retryAfterMs: null } : null;
    await fixture.job('j2', 'reconcile', { adopt: true });
    await fixture.clock.sleep(60_000);
    await expect(fixture.run(new ReconciliationWork(fixture.tools), 'j2')).rejects.toThrow('http-400');
  });
});

describe('an adoption beside live delivery', () => {
  it('leaves the limit to delivery but for a tenth, of which delivery must have heard', async () => {
    fixture.limit(5);
    fixture.partner.passes = names(9).map((memberId) => passOf(memberId));
    await fixture.job('j1', 'reconcile', { adopt: true });
    const startedAt = fixture.clock.now();
    await fixture.run(new ReconciliationWork(fixture.tools), 'j1');
    const times = fixture.partner.calls.map(({ at }) => at - startedAt);
    expect(times[0]).toBeGreaterThanOrEqual(3_000);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000);
    expect(await fixture.sql('SELECT guest_job FROM program_gate')).toEqual([{ guest_job: null }]);
  });

  it('waits while somebody has paused the program', async () => {
    fixture.partner.passes = [passOf('a')];
    const pause = { program, operation: null, by: 'ada', reason: 'spec', automatic: false, now: fixture.clock.now() };
    await pauses.set(pause);
    await fixture.job('j1', 'reconcile', { adopt: true });
    const work = new ReconciliationWork(fixture.tools);
    await fixture.turn(work, 'j1');
    expect(pages()).toEqual([]);
    await pauses.lift(pause);
    await fixture.run(work, 'j1');
    expect(await known()).toEqual(['a']);
  });

  it('waits while another job reads there', async () => {
    fixture.partner.passes = [passOf('a')];
    const now = fixture.clock.now();
    await acquireQuota(fixture.database, { program, job: 'other', ratePerSecond: 2, now });
    await fixture.job('j1', 'reconcile', { adopt: true });
    const work = new ReconciliationWork(fixture.tools);
    await fixture.turn(work, 'j1');
    expect(await fixture.turn(work, 'j1')).toBeNull();
    expect(pages()).toEqual([]);
    await fixture.run(work, 'j1');
    expect(fixture.clock.now() - now).toBeGreaterThanOrEqual(60_000);
  });

  it('rests as long as the partner asks, tells everybody so, and goes on where it was', async () => {
    fixture.partner.passes = names(6).map((memberId) => passOf(memberId));
    let isFirst = true;
    fixture.partner.trouble = ({ what }) => {
      if (what !== 2 || !isFirst) return null;
      isFirst = false;
      return { stage: 'answer', code: 'too-many-requests', retryAfterMs: 40_000 };
    };
    await fixture.job('j1', 'reconcile', { adopt: true });
    const job = await fixture.run(new ReconciliationWork(fixture.tools), 'j1');
    expect(job.progress).toMatchObject({ adopted: 6, pages: 2 });
    const [, refused, again] = fixture.partner.calls;
    expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(fixture.warnings).toMatchObject([{ code: 'too-many-requests' }]);
    const [gate] = await fixture.sql<{ rest: number }>('SELECT rest_until AS rest FROM program_gate');
    expect(gate?.rest).toBe((refused?.at ?? 0) + 40_000);
  });

  it('leaves to a person what will not be over by itself', async () => {
    fixture.partner.trouble = () => ({ stage: 'answer', code: 'not-a-page', retryAfterMs: null });
    await fixture.job('j1', 'reconcile', { adopt: true });
    await expect(fixture.turn(new ReconciliationWork(fixture.tools), 'j1')).rejects.toThrow('answer: not-a-page');
    const programs = () => ({ ...fixture.tools.programs(), programs: {} });
    await expect(fixture.turn(new ReconciliationWork({ ...fixture.tools, programs }), 'j1')).rejects.toThrow(
      JobFailedError,
    );
  });
});
