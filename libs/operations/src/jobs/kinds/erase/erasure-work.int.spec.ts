import type { EventPlace, RecordVerdict, RouteRecord } from '#intents';
import { ErasureRepository, QuarantineRepository, QuarantineSettlements } from '#intents';
import { SealBrokenError } from '#platform';
import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import type { JobWork } from '../../job-runner.js';
import { JobFixture } from '../../../testing/job-fixture.js';
import { broken, enrolment, personalOf, program, purchase } from '../../../testing/sample-records.js';
import { ErasureWork } from './erasure-work.js';

let test: TestDatabase;
let fixture: JobFixture;
let work: JobWork;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
  const { database, clock, ingestKeys, topics } = fixture;
  work = new ErasureWork(new ErasureRepository(database, ingestKeys), clock, { names: topics });
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

/** Every row of every table as text; bytea shows as hex. */
async function dump(): Promise<Map<string, string>> {
  const tables = await fixture.sql<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await queryOnce<{ row: string }>(test.ownerUrl, `SELECT t::text AS row FROM ${name} t`);
    texts.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return texts;
}

/** Whatever any key that is still there opens. */
async function opened(): Promise<string[]> {
  const sealed = await fixture.sql<EventPlace & { readonly sealed: Buffer; readonly wrapped: Buffer }>(
    `SELECT lane_id AS "laneId", seq, '' AS type, 0 AS attempt, 0 AS epoch, version, payload AS sealed, wrapped_key AS wrapped
     FROM intent JOIN member_key USING (lane_id)
     UNION ALL SELECT lane_id, seq, type, attempt, epoch, version, sealed, wrapped_key FROM intent_history JOIN member_key USING (lane_id)
     WHERE sealed IS NOT NULL`,
  );
  const { keys } = fixture;
  const texts = sealed.map(({ sealed: bytes, wrapped, ...place }) => {
    const memberKey = keys.learn(place.laneId, wrapped);
    try {
      const column = place.type === '' ? 'intent.payload' : 'intent_event.sealed';
      return keys.openFor({ ...place, column, memberKey }, bytes);
    } catch (error) {
      if (error instanceof SealBrokenError) return '';
      throw error;
    }
  });
  const records = await fixture.sql<{ id: number }>('SELECT quarantine_id AS id FROM quarantine');
  const { database, ingestKeys } = fixture;
  const letters = await Promise.all(records.map(({ id }) => new QuarantineRepository(database, ingestKeys).read(id)));
  const corrections = await Promise.all(
    records.map(({ id }) => new QuarantineRepository(database, ingestKeys).readCorrection(id)),
  );
  return [
    ...texts,
    ...corrections.map((correction) => JSON.stringify(correction)),
    ...letters.map((letter) => `${String(letter?.value)} ${String(letter?.key)} ${letter?.headersText}`),
  ];
}

/** How a value would look in the clear: as text, as bytes, as Base64. */
function disguises(value: string): string[] {
  const bytes = Buffer.from(value);
  return [value, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
}

/** Where something personal of the member can be found, in the clear or with the keys that are there. */
async function tracesOf(memberId: string): Promise<string[]> {
  const personal = personalOf(memberId);
  const inTheClear = [...(await dump())].flatMap(([table, text]) =>
    disguises(personal).some((disguise) => text.includes(disguise)) ? [table] : [],
  );
  const texts = await opened();
  return [...inTheClear, ...texts.filter((text) => text.includes(personal))];
}

async function fill(): Promise<void> {
  await fixture.record([
    ...['a', 'b'].flatMap((memberId) => [
      enrolment(`e-${memberId}`, memberId),
      purchase(`p-${memberId}`, memberId),
      broken(memberId),
      broken(memberId, {
        value: Buffer.from(`{"memberId":"${memberId}","person":{"${personalOf(memberId)}`),
        key: null,
      }),
      broken(memberId, { value: Buffer.from(personalOf(memberId)) }),
    ]),
  ]);
  await fixture.deliverDue();
  await fixture.record([purchase('q-a', 'a'), purchase('q-b', 'b')]);
}

async function erase(jobId = 'j1', memberId = 'a') {
  await fixture.order({ jobId, kind: 'erase', request: { memberId } });
  return fixture.finish(work, jobId);
}

describe('the erasure of a member', () => {
  it('leaves nothing personal of that member anywhere in the database, and all of everybody else', async () => {
    await fill();
    const others = (await tracesOf('b')).length;
    expect((await tracesOf('a')).length).toBe(others);
    expect(others).toBeGreaterThanOrEqual(7);
    await erase();
    expect(await tracesOf('a')).toEqual([]);
    expect(await tracesOf('b')).toHaveLength(others);
  });

  it('leaves the id itself nowhere, in no job that was asked for by it, no pause of it, nor in why a record was set aside', async () => {
    const memberId = 'Ada-Lovelace-1815';
    await fixture.record([enrolment('e-1', memberId), purchase('p-1', memberId), broken(memberId)]);
    await queryOnce(test.ownerUrl, `UPDATE quarantine SET detail = 'data.${memberId}: number cannot be kept exactly'`);
    const requests = [{ memberId }, { query: { memberId } }, { query: { q: memberId } }, { select: { memberId } }];
    for (const [index, request] of requests.entries()) {
      await fixture.order({ jobId: `asked-${index}`, kind: 'replay', request });
    }
    await queryOnce(
      test.ownerUrl,
      `INSERT INTO pause (program_id, factor, since, set_by, reason, automatic)
       VALUES ('${program}', 'member:${memberId}', now(), 'ada', 'to be looked at', false)`,
    );
    const where = async (): Promise<readonly string[]> =>
      [...(await dump())].flatMap(([table, text]) => (text.includes(memberId) ? [table] : []));
    expect(await where()).toEqual(['job', 'member', 'pause', 'quarantine']);
    await erase('j1', memberId);
    expect(await where()).toEqual([]);
  });

  it('reaches into what was set aside before it was mapped, by id and by address, in the programs of its source', async () => {
    const enrolled = (memberId: string, email: string) => {
      const sample = enrolment(`e-${memberId}`, memberId);
      const { verdict } = sample;
      const [intent] = verdict.kind === 'routed' ? verdict.intents : [];
      if (verdict.kind !== 'routed' || intent?.command?.operation !== 'issue') throw new Error('no enrolment');
      const command = { ...intent.command, content: { person: { email } } };
      return { ...sample, verdict: { ...verdict, intents: [{ ...intent, command }] } };
    };
    const order = (text: string, names: readonly string[], programs: readonly string[] | null = [program]) => ({
      ...broken('nobody', { value: Buffer.from(text), key: null, headersText: '{}' }),
      persons: { programs, names: () => names },
    });
    await fixture.record([enrolled('a', 'Ada@Example.com'), enrolled('b', 'bob@example.com')]);
    await fixture.record([
      order('by id', ['x', 'a']),
      order('by address', ['ada@EXAMPLE.com']),
      order('of every program', ['a'], null),
      order('of another program', ['a', 'ada@example.com'], ['tea-club']),
      order('of another member', ['b', 'bob@example.com']),
      order('of nobody', []),
    ]);
    const job = await erase();
    expect(job.report).toMatchObject({
      steps: expect.arrayContaining([
        { step: 'quarantine', looked: 6, erased: 3, ofSources: 3, alreadyPublished: 0 },
      ]) as unknown,
    });
    const left = (await opened()).filter((text) => text.startsWith('by ') || text.startsWith('of '));
    expect(left.map((text) => text.slice(0, text.indexOf(' null')))).toEqual([
      'of another program',
      'of another member',
      'of nobody',
    ]);
    expect(await fixture.sql('SELECT count(person_macs) AS count FROM quarantine')).toEqual([{ count: 3 }]);
    expect(job.cursor).toEqual({});
  });

  it('would find a value that was left', async () => {
    await fill();
    await erase();
    await queryOnce(test.ownerUrl, `UPDATE quarantine SET detail = '${personalOf('a')}' WHERE quarantine_id = 1`);
    await fixture.sql(`UPDATE job SET report = jsonb_build_object('x', $1::text)`, personalOf('a'));
    expect(await tracesOf('a')).toEqual(['job', 'quarantine']);
  });

  it.each(['a', 'b'])('of somebody who was merged is of each of their ids (%s)', async (named) => {
    await fill();
    await fixture.sql(`UPDATE member SET merged_into = 'b', merged_at = now() WHERE member_id = 'a'`);
    const { report } = await erase('j1', named);
    expect(await tracesOf('a')).toEqual([]);
    expect(await tracesOf('b')).toEqual([]);
    expect(report).toMatchObject({ alreadyErased: false, steps: [{ cancelled: 4 }, { intents: 6 }, { erased: 6 }] });
  });

  it('of somebody who was merged by way of another goes on where a process died behind the first of them', async () => {
    await fill();
    await fixture.record([enrolment('e-c', 'c')]);
    await fixture.sql(
      `UPDATE member SET merged_into = CASE member_id WHEN 'b' THEN 'a' ELSE 'c' END, merged_at = now() WHERE member_id IN ('a', 'b')`,
    );
    await fixture.order({ jobId: 'j1', kind: 'erase', request: { memberId: 'c' } });
    await fixture.turn(work);
    const { erasures } = work as ErasureWork;
    const whole = erasures.eraseMember.bind(erasures);
    let erased = 0;
    erasures.eraseMember = async (request) => {
      if (erased === 1) throw new Error('killed');
      erased += 1;
      return whole(request);
    };
    await expect(fixture.turn(work)).rejects.toThrow('killed');
    erasures.eraseMember = whole;
    const { report } = await fixture.finish(work, 'j1');
    expect([...(await tracesOf('a')), ...(await tracesOf('b')), ...(await tracesOf('c'))]).toEqual([]);
    expect(report).toMatchObject({ alreadyErased: false, steps: [{ cancelled: 5 }, { intents: 7 }, { erased: 6 }] });
  });

  it('says step by step what it did, and what it cannot reach', async () => {
    await fill();
    await fixture.sql('DELETE FROM dead_letter_outbox WHERE quarantine_id = 1');
    const { report, progress } = await erase();
    expect(report).toMatchObject({
      alreadyErased: false,
      steps: [
        { step: 'queue', cancelled: 2, parkedAsErased: 0, leftUnderWay: 0, optOutsUntold: 0 },
        { step: 'key', intents: 3 },
        { step: 'quarantine', looked: 6, erased: 3, alreadyPublished: 1 },
      ],
    });
    const { outOfReach } = report as { outOfReach: { what: string; why: string }[] };
    expect(outOfReach.map(({ what }) => what)).toEqual([
      ...['partner', 'backups', 'exports', 'quarantine', 'logs'],
      ...['topic m', 'topic p', 'topic r', 'topic o', 'topic d'],
    ]);
    expect(outOfReach.at(-1)?.why).toContain('given 1 records');
    expect(progress).toMatchObject({ waitingForAttempt: 0, cancelled: 2, quarantineErased: 3 });
  });

  it('by an event searches the quarantine, too, once however often it is told, and counts what it found', async () => {
    await fill();
    const leaving = purchase('leaving', 'a');
    if (leaving.verdict.kind !== 'routed') throw new Error('it is routed');
    const memberEffects = { raisesGeneration: true, erase: true };
    const erasing = {
      ...leaving,
      verdict: { ...leaving.verdict, eventType: 'loyalty.member.opted-out.v1', memberEffects },
    };
    await fixture.record([erasing]);
    await fixture.record([erasing]);
    const jobs = await fixture.sql<{ jobId: string; by: string }>(
      `SELECT job_id AS "jobId", created_by AS by FROM job`,
    );
    expect(jobs).toMatchObject([{ by: 'loyaltyd' }]);
    const { report, request } = await fixture.finish(work, jobs[0]?.jobId ?? '');
    expect(report).toMatchObject({
      alreadyErased: false,
      steps: [{ cancelled: 2 }, { intents: 3 }, { step: 'quarantine', looked: 6, erased: 3, alreadyPublished: 0 }],
    });
    expect(JSON.stringify(request)).not.toContain('"a"');
    expect(await fixture.sql('SELECT count(*)::int AS left FROM quarantine WHERE erased_at IS NULL')).toEqual([
      { left: 3 },
    ]);
  });

  it('of somebody who is erased already is nothing, and says so', async () => {
    await fill();
    await erase();
    const versions = () => fixture.sql('SELECT lane_id, version FROM lane ORDER BY lane_id');
    const before = await versions();
    const { report } = await erase('j2');
    expect(report).toMatchObject({
      alreadyErased: true,
      steps: [
        { cancelled: 0, parkedAsErased: 0 },
        { step: 'key', intents: 0 },
        { looked: 3, erased: 0 },
      ],
    });
    expect(await versions()).toEqual(before);
  });

  it('keeps the row of what was set aside, and lets its dead letter go out empty', async () => {
    await fill();
    await erase();
    const rows = await fixture.sql<{ id: number; reason: string; is_owed: boolean }>(
      `SELECT q.quarantine_id AS id, reason, o.quarantine_id IS NOT NULL AS is_owed
       FROM quarantine q LEFT JOIN dead_letter_outbox o USING (quarantine_id) WHERE erased_at IS NOT NULL ORDER BY 1`,
    );
    expect(rows).toEqual([1, 2, 3].map((id) => ({ id, reason: 'invalid', is_owed: true })));
    const letter = await new QuarantineRepository(fixture.database, fixture.ingestKeys).read(1);
    expect(letter).toMatchObject({ key: null, value: null, headersText: '{}', isUnreadable: true });
  });

  it('gives up what nobody had dealt with, and forgets what a record was corrected to', async () => {
    await fixture.record([enrolment('e', 'a'), broken('a'), broken('b'), broken('b'), broken('b')]);
    const audit = { at: fixture.clock.at, actor: 'bob', address: null, reason: 'mended' };
    const correction = { value: JSON.stringify({ data: { program, memberId: 'a', nickname: personalOf('a') } }) };
    const ignored = {
      kind: 'ignored',
      reason: 'not-mapped',
      identity: { eventKeyText: 'i', eventContentText: 'i', member: null },
    } as const;
    const members = fixture.keys;
    const keys = { members, mac: fixture.random.bytes(32), quarantine: fixture.quarantineKey, random: fixture.random };
    const resubmit = (quarantineId: number, as: RecordVerdict, corrected: typeof correction | null) => {
      const route: RouteRecord = async ({ original }) => ({
        records: [{ original, verdict: as }],
        programsHash: Buffer.alloc(16),
        isMapped: false,
      });
      const request = { quarantineId, correction: corrected, audit, permit: () => [] };
      return new QuarantineSettlements(fixture.database, keys).resubmit(request, route);
    };
    expect(await resubmit(2, ignored, correction)).toMatchObject({ kind: 'done', result: 'ignored' });
    expect(await resubmit(3, purchase('p', 'a').verdict, null)).toMatchObject({ kind: 'done', result: 'recorded' });
    expect(await tracesOf('a')).not.toEqual([]);
    const { progress } = await erase();
    expect(progress).toMatchObject({ quarantineErased: 3 });
    expect(await tracesOf('a')).toEqual([]);
    const rows = await fixture.sql(
      `SELECT q.quarantine_id AS id, state, actor, result, sealed_correction FROM quarantine q
       LEFT JOIN quarantine_settlement s USING (quarantine_id) ORDER BY 1`,
    );
    expect(rows).toEqual([
      { id: 1, state: 'discarded', actor: 'ada', result: 'discarded', sealed_correction: null },
      { id: 2, state: 'resubmitted', actor: 'bob', result: 'ignored', sealed_correction: null },
      { id: 3, state: 'resubmitted', actor: 'bob', result: 'recorded', sealed_correction: null },
      { id: 4, state: 'open', actor: null, result: null, sealed_correction: null },
    ]);
    expect(await resubmit(1, ignored, null)).toMatchObject({ kind: 'settled' });
  });

  it('goes through a long quarantine in turns, each counted once though a process dies between them', async () => {
    await fixture.record([enrolment('e', 'a')]);
    const size = 450;
    await fixture.record(Array.from({ length: size }, (_, index) => broken(index % 3 === 0 ? 'a' : 'b')));
    await fixture.order({ jobId: 'j1', kind: 'erase', request: { memberId: 'a' } });
    await fixture.turn(work);
    const dies: JobWork = {
      kind: 'erase',
      turn: (job) => work.turn(job).then(() => Promise.reject(new Error('killed'))),
    };
    await expect(fixture.turn(dies)).rejects.toThrow('killed');
    const { report } = await fixture.finish(work, 'j1');
    const steps = [{ cancelled: 1 }, {}, { looked: size, erased: size / 3, alreadyPublished: 0 }];
    expect(report).toMatchObject({ steps });
  });

  it('waits while a call is under way, and never blocks', async () => {
    await fixture.record([purchase('p1', 'a')]);
    await fixture.sql(
      `UPDATE lane SET attempt_open = true, attempt = 1, owner = '00000000-0000-4000-8000-000000000009'`,
    );
    await fixture.sql(
      `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
       SELECT lane_id, 1, 2, 1, 1, 'AttemptBegun', clock_timestamp() FROM lane`,
    );
    await fixture.sql('UPDATE lane SET version = 2');
    await fixture.order({ jobId: 'j1', kind: 'erase', request: { memberId: 'a' } });
    // By what they are found is kept first.
    expect(await fixture.turn(work)).toBe(true);
    expect(await fixture.turn(work)).toBe(true);
    const [job] = await fixture.sql<{ state: string; progress: object }>('SELECT state, progress FROM job');
    expect(job).toEqual({ state: 'running', progress: { waitingForAttempt: 1, waitingForOptOut: 0 } });
    expect(await fixture.turn(work)).toBe(false);
    fixture.clock.at += 1_000;
    expect(await fixture.turn(work)).toBe(true);
    fixture.clock.at += 7 * 86_400_000;
    expect((await fixture.finish(work, 'j1')).report).toMatchObject({
      steps: [{ leftUnderWay: 1 }, { intents: 1 }, {}],
    });
  });

  it('is of one program alone', async () => {
    await fixture.record([enrolment('e', 'a'), purchase('p', 'a')]);
    await queryOnce(test.ownerUrl, `UPDATE member SET program_id = 'tea-club'`);
    await fixture.record([enrolment('f', 'a')]);
    await erase();
    const keys = await fixture.sql('SELECT program_id FROM member JOIN member_key USING (lane_id)');
    expect(keys).toEqual([{ program_id: 'tea-club' }]);
    expect(program).toBe('coffee-club');
  });
});
