import { SystemClock, SafeError } from '#platform';

import type { Examined } from './examination.js';
import { Examination } from './examination.js';
import { ok } from './finding.js';

const plan = (name: string, timeoutMs = 1_000) => ({ name, timeoutMs, remedy: 'mend it' });
const well = <Value>(name: string, value: Value): Examined<Value> => ({ findings: [ok(name, 'well')], value });

describe('an examination', () => {
  let examination: Examination;

  beforeEach(() => {
    examination = new Examination(new SystemClock());
  });

  it('tells everything in the order in which it was begun, whatever ended first', async () => {
    const { promise, resolve } = Promise.withResolvers<Examined<number>>();
    examination.check(plan('slow'), () => promise);
    examination.check(plan('fast'), async () => well('fast', 1));
    examination.tell(ok('told', 'at once'));
    resolve(well('slow', 2));
    expect((await examination.report()).map(({ name }) => name)).toEqual(['slow', 'fast', 'told']);
  });

  it('hands on what a check built, and skips what builds on one that could not', async () => {
    const one = examination.check(plan('one'), async () => well('one', 20));
    const none = examination.check<number>(plan('none'), async () => ({ findings: [], value: null }));
    examination.after(one, plan('next'), async (value) => well(`next to ${value}`, value + 1));
    examination.after(examination.both(one, none), plan('both'), async () => well('both', 1));
    const last = examination.after(none, plan('last'), async () => well('last', 1));
    examination.after(last, plan('beyond'), async () => well('beyond', 1));
    expect((await examination.report()).map(({ name, state, detail }) => [name, state, detail])).toEqual([
      ['one', 'ok', 'well'],
      ['next to 20', 'ok', 'well'],
      ['both', 'skipped', 'not looked at: it builds on one and none'],
      ['last', 'skipped', 'not looked at: it builds on none'],
      ['beyond', 'skipped', 'not looked at: it builds on last'],
    ]);
  });

  it.each<[string, () => unknown, string]>([
    ['our own message', () => new SafeError('we know this'), 'we know this'],
    ['no other', () => new Error('the password is hunter2'), 'the check itself broke (Error)'],
    ['a code', () => Object.assign(new Error('hunter2'), { code: 'ENOENT' }), 'the check itself broke (Error, ENOENT)'],
    ['nothing of what is no error', () => 'hunter2', 'the check itself broke (string)'],
  ])('makes a finding of a check that breaks, and tells %s', async (_what, thrown, detail) => {
    examination.check(plan('broken'), () => Promise.reject(thrown() as Error));
    expect(await examination.report()).toEqual([{ name: 'broken', state: 'failed', detail, remedy: 'mend it' }]);
  });

  it('makes a finding of a check that throws before it waits for anything', async () => {
    examination.check(plan('broken'), () => {
      throw new TypeError('hunter2');
    });
    expect(await examination.report()).toMatchObject([{ detail: 'the check itself broke (TypeError)' }]);
  });

  it('gives up a check that takes too long, tells it so, and knows when it ends after all', async () => {
    const { promise, resolve } = Promise.withResolvers<Examined<number>>();
    let signal: AbortSignal | undefined;
    examination.check(plan('hangs', 20), (given) => {
      signal = given;
      return promise;
    });
    expect(await examination.report()).toMatchObject([{ state: 'failed', detail: 'no answer within 20 ms' }]);
    expect(signal?.aborted).toBe(true);
    let hasSettled = false;
    const settled = examination.settled().then(() => (hasSettled = true));
    await Promise.resolve();
    expect(hasSettled).toBe(false);
    resolve(well('hangs', 1));
    await settled;
  });
});
