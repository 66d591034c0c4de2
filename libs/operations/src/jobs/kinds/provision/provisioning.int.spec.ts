import { PauseRepository } from '#intents';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { jobLeaseMs } from '../../job-repository.js';
import { ProvisioningFixture, section } from './testing/provisioning-fixture.js';
import { answers } from './testing/scripted-administration.js';

let test: TestDatabase;
let fixture: ProvisioningFixture;
let pauses: PauseRepository;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await ProvisioningFixture.open(test.url);
  pauses = new PauseRepository(fixture.database);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const everything = [
  'updateBrandAttribute memberId',
  'createBrandAttribute birthday',
  'updateTransactionType 31',
  'createTransactionAttribute store',
  'createTransactionAttribute receipt',
  'createTemplate Basic',
];

/** How long a job is left alone after a turn that failed. */
const jobRetryMs = 30_000;

/** Longer than a call and its answer are waited for. */
const longMs = 60_000;

/** The partner answers so about what bears that name, and as usual about the rest. */
function about(name: string, answer: () => ReturnType<typeof answers.done> | Promise<never>): void {
  const usual = fixture.partner.answer;
  fixture.partner.answer = (seen) => (seen.name === name ? answer() : usual(seen));
}

/** The process dies in the middle of a call, whatever became of it. */
async function dieDuring(name: string): Promise<void> {
  about(name, () => Promise.reject(new Error('killed')));
  await fixture.ask('j1', { apply: true });
  await expect(fixture.finish('j1')).rejects.toThrow('killed');
  fixture.pass(jobLeaseMs + 1);
}

describe('a pause', () => {
  it('regression: holds what is being set up until somebody lifts it', async () => {
    const said = { program: 'club', operation: null, by: 'ada', reason: 'an incident' };
    await pauses.set({ ...said, automatic: false, now: fixture.now });
    await fixture.ask('j1', { apply: true });
    for (let turns = 0; turns < 5; turns += 1) await fixture.turn('j1');
    expect(fixture.partner.calls).toEqual([]);
    await pauses.lift({ ...said, now: fixture.now });
    await fixture.finish('j1');
    expect(fixture.partner.asked).toEqual(everything);
  });
});

describe('a plan', () => {
  it('says what would be sent, to the letter, and sends nothing', async () => {
    await fixture.ask('p1', { apply: false });
    const { report, progress } = await fixture.finish('p1');
    expect(fixture.partner.calls).toEqual([]);
    expect(report).toEqual({ apply: false, plan: { update: 2, create: 4, 'cannot-be-read': 1 } });
    expect(progress).toMatchObject({ steps: 7, created: 0, failed: 0, warnings: 0 });
    const steps = await fixture.lines('p1', 'step');
    expect(steps[0]).toMatchObject({
      ...{ step: 1, action: 'update', kind: 'brand-attribute', name: 'memberId', partnerId: '501' },
      request: {
        method: 'PATCH',
        path: '/101/attributes/501',
        body: '{"name":"memberId","dataType":"string","searchable":false,"unique":true}',
      },
    });
    expect(steps[4]).toMatchObject({
      path: 'provision.programs.club.transactionTypes.31.attributes.receipt',
      request: {
        method: 'POST',
        path: '/101/programs/2001/transaction-types/31/attributes',
        body: '{"name":"receipt","required":false,"uniqueKey":true,"dataType":"string"}',
      },
    });
    expect(steps[6]).toMatchObject({ action: 'cannot-be-read', name: '*', request: null });
  });

  it('of a program that the file does not know ends, and says why', async () => {
    await fixture.ask('p1', { apply: true, program: 'tea' });
    await expect(fixture.turn('p1')).rejects.toThrow('the programs file has no program tea');
  });
});

describe('an apply', () => {
  it('puts everything in place, in order, one call a turn, and keeps the ids', async () => {
    const { report, progress } = await fixture.apply('j1');
    expect(fixture.partner.asked).toEqual(everything);
    expect(report).toEqual({ apply: true, plan: { update: 2, create: 4, 'cannot-be-read': 1 } });
    expect(progress).toMatchObject({ steps: 7, created: 4, updated: 2, leftAlone: 1, failed: 0 });
    expect(await fixture.recorded('birthday')).toMatchObject({ state: 'created', partnerId: '902', jobId: 'j1' });
    expect((await fixture.lines('j1', 'result'))[1]).toMatchObject({ step: 2, result: 'created', partnerId: '902' });
  });

  it('makes nothing twice, however often it is asked for', async () => {
    await fixture.apply('j1');
    const { progress } = await fixture.apply('j2');
    expect(progress).toMatchObject({ created: 0, updated: 0, inPlace: 6 });
    expect(fixture.partner.calls).toHaveLength(everything.length);
  });

  it('is not asked for twice under one id', async () => {
    await fixture.apply('j1');
    await fixture.ask('j1', { apply: true });
    expect(await fixture.turn('j1')).toBe(false);
    expect(fixture.partner.calls).toHaveLength(everything.length);
  });

  it('changes by its id what is declared otherwise, and says what no call could change', async () => {
    await fixture.apply('j1');
    fixture.declare(section.replace('birthday: date', 'birthday: string').replace('store: string', 'store: number'));
    const { report } = await fixture.apply('j2');
    expect(fixture.partner.asked.slice(everything.length)).toEqual(['updateBrandAttribute birthday']);
    expect(fixture.partner.calls.at(-1)?.input).toMatchObject({ brandAttributeId: '902', dataType: 'string' });
    expect(report).toMatchObject({ plan: { update: 1, 'in-place': 4, 'cannot-be-changed': 1 } });
    expect(await fixture.recorded('birthday')).toMatchObject({ state: 'updated', partnerId: '902' });
  });

  it('makes no call after somebody was told that it is stopped', async () => {
    await fixture.ask('j1', { apply: true });
    await fixture.turn('j1');
    fixture.steerWithinNextTurn('j1', 'cancel');
    await fixture.turn('j1');
    expect(fixture.partner.calls).toEqual([]);
    expect(await fixture.job('j1')).toMatchObject({ state: 'cancelled' });
  });

  it('carries out what its plan said, whatever the file says meanwhile', async () => {
    await fixture.ask('j1', { apply: true });
    await fixture.turn('j1');
    fixture.declare('');
    await fixture.finish('j1');
    expect(fixture.partner.asked).toEqual(everything);
    await fixture.ask('p2', { apply: false });
    expect((await fixture.finish('p2')).report).toEqual({ apply: false, plan: { 'gone-from-file': 6 } });
  });

  it('waits between calls: it is in no hurry, and others use the same limit', async () => {
    const gaps = async (jobId: string): Promise<number[]> => {
      const times: number[] = [];
      const usual = fixture.partner.answer;
      fixture.partner.answer = (seen) => {
        times.push(fixture.now);
        return usual(seen);
      };
      await fixture.apply(jobId);
      fixture.partner.answer = usual;
      return times.slice(1).map((time, index) => time - (times[index] ?? 0));
    };
    const usually = await gaps('j1');
    expect(usually).toHaveLength(everything.length - 1);
    expect(Math.min(...usually)).toBeGreaterThanOrEqual(200);
    fixture.declare(section.replaceAll(/birthday|store|Basic/g, 'other $&'), 10);
    const slowly = await gaps('j2');
    expect(slowly).toHaveLength(2);
    expect(Math.min(...slowly)).toBeGreaterThanOrEqual(1_000);
  });
});

describe('with a canary', () => {
  const pace = { ratePerSecond: null, isCanary: true };

  it('one call goes first: where it fails nothing more is sent before somebody lets it go on, with one again', async () => {
    const usual = fixture.partner.answer;
    fixture.partner.answer = () => answers.refused('not now');
    await fixture.ask('j1', { apply: true }, pace);
    await expect(fixture.finish('j1')).rejects.toThrow('is not done');
    expect(fixture.partner.calls).toHaveLength(1);
    expect(await fixture.job('j1')).toMatchObject({
      ...{ state: 'stopped', error: 'the one that was sent failed', canary: { settled: 1, failed: 1 } },
      progress: { refused: 1, failed: 1 },
    });
    fixture.partner.answer = usual;
    await fixture.steer('j1', 'resume');
    const { progress } = await fixture.finish('j1');
    // What was refused stays so; everything else is made.
    expect(progress).toMatchObject({ refused: 1, failed: 1, created: 4 });
  });

  it('goes on past one of ten that fails', async () => {
    about('store', () => answers.refused('not now'));
    await fixture.ask('j1', { apply: true }, pace);
    expect((await fixture.finish('j1')).progress).toMatchObject({ refused: 1, created: 3, updated: 2 });
  });
});

it('goes no faster than it was asked to', async () => {
  const times: number[] = [];
  const usual = fixture.partner.answer;
  fixture.partner.answer = (seen) => {
    times.push(fixture.now);
    return usual(seen);
  };
  await fixture.ask('j1', { apply: true }, { ratePerSecond: 0.5, isCanary: false });
  await fixture.finish('j1');
  expect(times).toHaveLength(everything.length);
  expect(Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)))).toBeGreaterThanOrEqual(2_000);
});

describe('a refusal', () => {
  it('is told without what could be personal; what rests on it is skipped, the rest goes on', async () => {
    about('31', () => answers.refused('Ada Lovelace already has name Purchase as "m_4711" here'));
    const { progress } = await fixture.apply('j1');
    expect(await fixture.results('j1')).toEqual([
      'updated memberId',
      'created birthday',
      'refused 31',
      'skipped store',
      'skipped receipt',
      'created Basic',
    ]);
    expect(progress).toMatchObject({ refused: 1, skipped: 2, failed: 1 });
    const [, , refused] = await fixture.lines('j1', 'result');
    expect(refused).toMatchObject({
      ...{ code: 'refused', status: 400, message: '# # already has name Purchase as # here' },
      fingerprint: expect.stringContaining('refused') as string,
    });
    const kept = JSON.stringify([await fixture.lines('j1', 'result'), await fixture.recorded('31')]);
    expect(kept.replaceAll(/fingerprint of [^"]*/g, '')).not.toMatch(/Ada|Lovelace|4711/);
  });

  it('is no reason not to try again with the next apply', async () => {
    const usual = fixture.partner.answer;
    about('store', () => answers.refused('not now'));
    expect((await fixture.apply('j1')).progress).toMatchObject({ refused: 1 });
    fixture.partner.answer = usual;
    expect((await fixture.apply('j2')).progress).toMatchObject({ created: 1, inPlace: 5, failed: 0 });
  });

  it('of a name that is taken says what to declare; a path that is not there is refused for good', async () => {
    about('birthday', () => answers.refused('birthday exists', 'duplicate'));
    about('Basic', () => answers.noPath());
    expect((await fixture.apply('j1')).progress).toMatchObject({ refused: 2 });
    const lines = await fixture.lines('j1', 'result');
    expect(lines[1]).toMatchObject({ code: 'duplicate', hint: expect.stringContaining('give its `id`') as string });
    expect(lines.at(-1)).toMatchObject({ result: 'refused', code: 'http-404', status: 404 });
  });
});

describe('an outcome that nobody knows', () => {
  it('is never made again before a person has spoken; what does not rest on it goes on', async () => {
    about('birthday', () => answers.lost());
    expect((await fixture.apply('j1')).progress).toMatchObject({ unknown: 1, failed: 1, created: 3 });
    fixture.pass(86_400_000);
    expect((await fixture.apply('j2')).progress).toMatchObject({ unknown: 1, failed: 1, inPlace: 5 });
    expect(fixture.partner.calls).toHaveLength(everything.length);
  });

  it('is settled by a person, who says the id where it is needed', async () => {
    const usual = fixture.partner.answer;
    about('birthday', () => answers.lost());
    about('store', () => answers.lost());
    await fixture.apply('j1');
    const { stepId } = await fixture.recorded('birthday');
    expect(await fixture.resolve(stepId, 'created')).toBe('id-needed');
    expect(await fixture.resolve(stepId, 'created', '777')).toBe('resolved');
    expect(await fixture.resolve(stepId, 'not-created')).toBe('not-in-doubt');
    expect(await fixture.resolve((await fixture.recorded('store')).stepId, 'not-created')).toBe('resolved');
    expect(await fixture.resolve('00000000-0000-4000-8000-000000000009', 'created')).toBe('no-such-step');
    fixture.declare(section.replace('birthday: date', 'birthday: string'));
    fixture.partner.answer = usual;
    expect((await fixture.apply('j2')).progress).toMatchObject({ created: 1, updated: 1, inPlace: 4, failed: 0 });
    expect(fixture.partner.calls.slice(everything.length)).toMatchObject([
      { call: 'updateBrandAttribute', input: { brandAttributeId: '777', dataType: 'string' } },
      { call: 'createTransactionAttribute', name: 'store' },
    ]);
  });

  it('of a change is set once more, but not while it could still undo what comes after', async () => {
    const usual = fixture.partner.answer;
    about('memberId', () => answers.lost());
    await fixture.apply('j1');
    fixture.partner.answer = usual;
    expect((await fixture.apply('j2')).progress).toMatchObject({ unknown: 1, failed: 1 });
    fixture.pass(5_000);
    expect((await fixture.apply('j3')).progress).toMatchObject({ updated: 1, failed: 0 });
  });
});

describe('a process that dies in the middle of a call', () => {
  it('leaves a step of which nobody knows: another process says so, and sends it not again', async () => {
    await dieDuring('birthday');
    const { progress } = await fixture.finish('j1', 'second');
    expect(progress).toMatchObject({ unknown: 1, failed: 1, created: 3, updated: 2 });
    expect(fixture.partner.asked).toEqual(everything);
    const [, doubted] = await fixture.lines('j1', 'result');
    expect(doubted).toMatchObject({ result: 'unknown', name: 'birthday', code: 'worker-lost' });
  });

  it('is waited for as long as it may only be slow, and its answer counts', async () => {
    const held = Promise.withResolvers<never>();
    const reached = Promise.withResolvers<null>();
    about('birthday', () => {
      reached.resolve(null);
      return held.promise;
    });
    await fixture.ask('j1', { apply: true });
    await fixture.turn('j1');
    await fixture.turn('j1');
    const slow = fixture.turn('j1');
    await reached.promise;
    const before = fixture.now;
    await fixture.ask('j2', { apply: true });
    await fixture.turn('j2', 'second');
    await fixture.turn('j2', 'second');
    await fixture.turn('j2', 'second');
    expect(fixture.now).toBeGreaterThan(before);
    expect((await fixture.job('j2')).progress).toMatchObject({ inPlace: 1, created: 0, unknown: 0 });
    held.resolve(answers.done({ brandAttributeId: 902 }) as never);
    await slow;
    expect((await fixture.finish('j2', 'second')).progress).toMatchObject({ inPlace: 2 });
    expect(fixture.partner.asked.filter((asked) => asked.endsWith('birthday'))).toHaveLength(1);
  });

  it('and comes back late, is believed: the answer settles what was given up', async () => {
    const held = Promise.withResolvers<never>();
    const reached = Promise.withResolvers<null>();
    about('birthday', () => {
      reached.resolve(null);
      return held.promise;
    });
    await fixture.ask('j1', { apply: true });
    await fixture.turn('j1');
    await fixture.turn('j1');
    const late = fixture.turn('j1');
    await reached.promise;
    fixture.pass(longMs + jobLeaseMs);
    await fixture.finish('j1', 'second');
    expect(await fixture.recorded('birthday')).toMatchObject({ state: 'unknown' });
    held.resolve(answers.done({ brandAttributeId: 902 }) as never);
    expect(await late).toBe(false);
    expect(await fixture.recorded('birthday')).toMatchObject({ state: 'created', partnerId: '902' });
    expect((await fixture.apply('j2')).progress).toMatchObject({ inPlace: 6, failed: 0 });
  });
});

describe('a partner that is away', () => {
  it('makes the turn fail, and is asked again later; nothing is in doubt', async () => {
    const usual = fixture.partner.answer;
    about('birthday', () => answers.away('connection-refused'));
    await fixture.ask('j1', { apply: true });
    await expect(fixture.finish('j1')).rejects.toThrow('(connection-refused): brand-attribute birthday');
    expect(await fixture.job('j1')).toMatchObject({ state: 'running', failures: 1 });
    fixture.partner.answer = usual;
    fixture.pass(jobRetryMs);
    expect((await fixture.finish('j1')).progress).toMatchObject({ created: 4, failed: 0 });
  });

  it('is left alone for as long as it asked for', async () => {
    const usual = fixture.partner.answer;
    about('birthday', () => answers.away('too-many-requests', 2 * jobRetryMs));
    await fixture.ask('j1', { apply: true });
    await expect(fixture.finish('j1')).rejects.toThrow('too-many-requests');
    fixture.partner.answer = usual;
    const asked = fixture.partner.calls.length;
    fixture.pass(jobRetryMs);
    expect(await fixture.turn('j1')).toBe(true);
    expect(await fixture.turn('j1')).toBe(false);
    expect(fixture.partner.calls).toHaveLength(asked);
    fixture.pass(jobRetryMs);
    expect((await fixture.finish('j1')).progress).toMatchObject({ created: 4, failed: 0 });
  });
});

describe('two at once', () => {
  it('make each thing once, whoever begins it', async () => {
    await fixture.ask('j1', { apply: true });
    await fixture.turn('j1', 'first');
    await fixture.ask('j2', { apply: true });
    await fixture.turn('j2', 'second');
    const jobs = await Promise.all([fixture.finish('j1', 'first'), fixture.finish('j2', 'second')]);
    expect(fixture.partner.asked.toSorted()).toEqual(everything.toSorted());
    const made = jobs.map(
      ({ progress }) => (progress['created'] ?? 0) + (progress['inPlace'] ?? 0) + (progress['updated'] ?? 0),
    );
    expect(made).toEqual([6, 6]);
    expect(jobs.map(({ progress }) => progress['failed'])).toEqual([0, 0]);
  });
});
