import { liftPause, setPause, visitProgram } from '#intents';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { JobFailedError } from '../jobs/job-runner.js';
import { program, ReadingHouse } from '../testing/reading-house.js';
import { passOf } from '../testing/scripted-listings.js';
import { adoptionWork } from './adoption-work.js';

let test: TestDatabase;
let house: ReadingHouse;

beforeEach(async () => {
  test = await testDatabase();
  house = await ReadingHouse.open(test.url);
});

afterEach(async () => {
  await house.close();
  await test.dispose();
});

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

async function known(): Promise<string[]> {
  const rows = await house.sql<{ member_id: string }>(
    `SELECT member_id FROM member JOIN lane USING (lane_id) WHERE pass = 'known' ORDER BY member_id`,
  );
  return rows.map((row) => row.member_id);
}

async function adoptions(): Promise<number> {
  return (await house.sql(`SELECT FROM intent_event WHERE type = 'PassAdopted'`)).length;
}

/** Pages asked for, in order. */
const pages = (): unknown[] => house.partner.calls.map(({ what }) => what);

describe('an adoption', () => {
  it('records every member who has a pass, page by page, without a lookup', async () => {
    house.partner.passes = names(8).map((memberId) => passOf(memberId));
    await house.job('j1', 'adoption');
    const job = await house.run(adoptionWork(house.tools), 'j1');
    expect(job.progress).toEqual({ pages: 3, rows: 8, totalCount: 8, adopted: 8 });
    expect(job.report).toMatchObject({ adopted: 8, agrees: true });
    expect(await known()).toEqual(names(8));
    expect(pages()).toEqual([1, 2, 3, 4]);
    expect(house.partner.calls.filter(({ kind }) => kind !== 'page')).toEqual([]);
  });

  it('changes nothing the second time, and takes over what came meanwhile', async () => {
    house.partner.passes = names(4).map((memberId) => passOf(memberId));
    await house.job('j1', 'adoption');
    await house.run(adoptionWork(house.tools), 'j1');
    house.partner.passes.push(passOf('late'));
    await house.job('j2', 'adoption');
    const { progress } = await house.run(adoptionWork(house.tools), 'j2');
    expect(progress).toMatchObject({ rows: 5, adopted: 1, alreadyKnown: 4 });
    expect(await adoptions()).toBe(5);
  });

  it('reports what it cannot take over, and counts the rest', async () => {
    await house.enrol(['left'], ['gone']);
    await house.sql(`UPDATE member SET generation = 2 WHERE member_id = 'left'`);
    await house.sql(
      `DELETE FROM member_key USING member m WHERE m.lane_id = member_key.lane_id AND member_id = 'gone'`,
    );
    const foreign = { passId: 77, serialNumber: 'x', passdata: { metaData: { theirs: 'm1' } } };
    const number = { passId: 78, serialNumber: 'y', passdata: { metaData: { memberId: 7741 } } };
    house.partner.passes = [
      ...['a', 'left', 'gone'].map((memberId) => passOf(memberId)),
      ...[foreign, number, passOf('b')],
      ...[
        passOf('b', { passId: 9, serialNumber: 'other' }),
        passOf('c'),
        passOf('c', { passId: 8, serialNumber: 'second' }),
      ],
    ];
    await house.job('j1', 'adoption');
    const { progress } = await house.run(adoptionWork(house.tools), 'j1');
    expect(progress).toMatchObject({ rows: 9, adopted: 3, left: 2, withoutMemberId: 2, conflicting: 2 });
    expect(await known()).toEqual(['a', 'b', 'c']);
    expect(await house.lines('j1')).toEqual([
      { kind: 'without-member-id', passId: 77 },
      { kind: 'without-member-id', passId: 78 },
      { kind: 'twice-in-page', memberId: 'c', passId: 8 },
      { kind: 'another-pass', memberId: 'b', passId: 9 },
    ]);
  });

  it('goes on in another process at the page where the first one was killed, with each member once', async () => {
    house.partner.passes = names(9).map((memberId) => passOf(memberId));
    await house.job('j1', 'adoption');
    const killed = adoptionWork(house.tools);
    await house.turn(killed, 'j1');
    // Read and not written: what the process did last is lost.
    await house.turn(killed, 'j1', false);
    expect(await adoptions()).toBe(3);
    const { progress } = await house.run(adoptionWork(house.tools), 'j1');
    expect(progress).toEqual({ pages: 3, rows: 9, totalCount: 9, adopted: 9 });
    expect(pages()).toEqual([1, 2, 2, 3, 4]);
    expect(await adoptions()).toBe(9);
  });

  it('ends behind a full last page that the partner refuses to turn, also when it was opened anew there', async () => {
    house.partner.passes = names(6).map((memberId) => passOf(memberId));
    house.partner.trouble = ({ what }) =>
      what === 3 ? { stage: 'answer', code: 'http-400', retryAfterMs: null } : null;
    await house.job('j1', 'adoption');
    for (let turns = 0; turns < 2; turns += 1) await house.turn(adoptionWork(house.tools), 'j1');
    expect(await house.run(adoptionWork(house.tools), 'j1')).toMatchObject({ progress: { adopted: 6, pages: 2 } });
    house.partner.trouble = ({ what }) =>
      what === 2 ? { stage: 'answer', code: 'http-400', retryAfterMs: null } : null;
    await house.job('j2', 'adoption');
    await house.clock.sleep(60_000);
    await expect(house.run(adoptionWork(house.tools), 'j2')).rejects.toThrow('http-400');
  });

  it('takes over its own cell only', async () => {
    house.partner.passes = names(40).map((memberId) => passOf(memberId));
    await house.job('j1', 'adoption');
    const { progress } = await house.run(adoptionWork({ ...house.tools, cell: { index: 1, count: 4 } }), 'j1');
    const { adopted = 0, otherCell = 0 } = progress;
    expect(adopted + otherCell).toBe(40);
    expect(adopted).toBeGreaterThan(3);
    expect(otherCell).toBeGreaterThan(20);
  });
});

describe('an adoption beside live delivery', () => {
  it('leaves the limit to delivery but for a tenth, of which delivery must have heard', async () => {
    house.limit(5);
    house.partner.passes = names(9).map((memberId) => passOf(memberId));
    await house.job('j1', 'adoption');
    const startedAt = house.clock.now();
    await house.run(adoptionWork(house.tools), 'j1');
    const times = house.partner.calls.map(({ at }) => at - startedAt);
    expect(times[0]).toBeGreaterThanOrEqual(3_000);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000);
    expect(await house.sql('SELECT guest_job FROM program_gate')).toEqual([{ guest_job: null }]);
  });

  it('waits while somebody has paused the program', async () => {
    house.partner.passes = [passOf('a')];
    const pause = { program, operation: null, by: 'ada', reason: 'spec', automatic: false, now: house.clock.now() };
    await setPause(house.database, pause);
    await house.job('j1', 'adoption');
    const work = adoptionWork(house.tools);
    await house.turn(work, 'j1');
    expect(pages()).toEqual([]);
    await liftPause(house.database, pause);
    await house.run(work, 'j1');
    expect(await known()).toEqual(['a']);
  });

  it('waits while another job reads there', async () => {
    house.partner.passes = [passOf('a')];
    const now = house.clock.now();
    await visitProgram(house.database, { program, job: 'other', ratePerSecond: 2, now });
    await house.job('j1', 'adoption');
    const work = adoptionWork(house.tools);
    await house.turn(work, 'j1');
    expect(await house.turn(work, 'j1')).toBeNull();
    expect(pages()).toEqual([]);
    await house.run(work, 'j1');
    expect(house.clock.now() - now).toBeGreaterThanOrEqual(60_000);
  });

  it('rests as long as the partner asks, tells everybody so, and goes on where it was', async () => {
    house.partner.passes = names(6).map((memberId) => passOf(memberId));
    let isFirst = true;
    house.partner.trouble = ({ what }) => {
      if (what !== 2 || !isFirst) return null;
      isFirst = false;
      return { stage: 'answer', code: 'too-many-requests', retryAfterMs: 40_000 };
    };
    await house.job('j1', 'adoption');
    const job = await house.run(adoptionWork(house.tools), 'j1');
    expect(job.progress).toMatchObject({ adopted: 6, pages: 2 });
    const [, refused, again] = house.partner.calls;
    expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(house.warnings).toMatchObject([{ code: 'too-many-requests' }]);
    const [gate] = await house.sql<{ rest: number }>('SELECT rest_until AS rest FROM program_gate');
    expect(gate?.rest).toBe((refused?.at ?? 0) + 40_000);
  });

  it('leaves to a person what will not be over by itself', async () => {
    house.partner.trouble = () => ({ stage: 'answer', code: 'not-a-page', retryAfterMs: null });
    await house.job('j1', 'adoption');
    await expect(house.turn(adoptionWork(house.tools), 'j1')).rejects.toThrow('answer: not-a-page');
    const programs = () => ({ ...house.tools.programs(), programs: {} });
    await expect(house.turn(adoptionWork({ ...house.tools, programs }), 'j1')).rejects.toThrow(JobFailedError);
  });
});
