import type { AttemptOutcome, Factor, Operation } from '#intents/core';

import type { AnsweredCall, WantedHold } from './refusal-window.js';
import { RefusalWindow, showingOf } from './refusal-window.js';

const minuteMs = 60_000;
const refused: AttemptOutcome = { kind: 'rejected', code: 'refused', message: 'no' };
const served: AttemptOutcome = { kind: 'applied' };
const unavailable: AttemptOutcome = { kind: 'unknown', code: 'http-503', retryAfterMs: null };
const forbidden: AttemptOutcome = {
  ...{ kind: 'not-applied', answered: true },
  code: 'http-403',
  systemic: true,
  retryAfterMs: null,
};

/** Answers to as many members, one after the other. */
interface Answers {
  readonly outcome: AttemptOutcome;
  readonly members: number;
  readonly factors: readonly Factor[];
  readonly operation?: Operation;
  readonly isMissed?: boolean;
  /** A second before the next group, unless said otherwise. */
  readonly minutesLater?: number;
}

interface Given {
  readonly window: RefusalWindow;
  now: number;
  laneId: number;
}

/** What is to be held after these answers, in order. */
function when(given: Given, groups: readonly Answers[]): WantedHold[] {
  return groups.flatMap(({ outcome, members, factors, operation = 'reward', isMissed = false, minutesLater = 0 }) => {
    given.now += minutesLater * minuteMs;
    return Array.from({ length: members }, () => {
      given.laneId += 1;
      const call: AnsweredCall = { operation, factors, laneId: given.laneId };
      const showing = showingOf(outcome, call, isMissed);
      return showing === null ? null : given.window.answered(call, showing, given.now);
    }).filter((wanted) => wanted !== null);
  });
}

const nothing = (membersMax = 20): Given => ({ window: new RefusalWindow(membersMax), now: 0, laneId: 0 });
const dessert: Factor[] = ['reward:9002', 'store:s1', 'source:pos'];
const coffee: Factor[] = ['reward:9001', 'store:s1', 'source:pos'];

describe('given a partner that refuses', () => {
  it('one reward of several, when 20 members were refused it, then that reward is held and nothing else', () => {
    const holds = when(nothing(), [
      { outcome: refused, members: 19, factors: dessert },
      { outcome: served, members: 1, factors: coffee },
      { outcome: refused, members: 2, factors: dessert },
    ]);
    expect(holds).toMatchObject([{ operation: 'reward', factor: 'reward:9002' }]);
    expect(holds[0]?.reason).toBe(
      'the partner failed reward (reward:9002) for 20 members within ten minutes, and served few (refused)',
    );
  });

  it('what an ended reward explains, when others are refused now and then, then the operation is not held for it', () => {
    const given = nothing();
    expect(when(given, [{ outcome: refused, members: 20, factors: dessert }])).toHaveLength(1);
    expect(when(given, [{ outcome: refused, members: 19, factors: coffee }])).toEqual([]);
  });

  it('one store, when its sales are of the type that others are served, then that store is held', () => {
    const holds = when(nothing(), [
      { outcome: served, members: 40, operation: 'transaction', factors: ['transaction-type:31', 'store:s2'] },
      { outcome: refused, members: 20, operation: 'transaction', factors: ['transaction-type:31', 'store:s1'] },
    ]);
    expect(holds).toMatchObject([{ operation: 'transaction', factor: 'store:s1' }]);
  });

  const sale = (store: string): Factor[] => [`store:${store}`, 'source:pos', 'transaction-type:31'];

  it('the only store that sells, then that store is held, not the type of all sales; a second one, then the type is', () => {
    const given = nothing();
    const refusals = (store: string): Answers => {
      return { outcome: refused, members: 20, operation: 'transaction', factors: sale(store) };
    };
    expect(when(given, [refusals('s1')])).toMatchObject([{ factor: 'store:s1' }]);
    expect(when(given, [refusals('s2')])).toMatchObject([{ factor: 'transaction-type:31' }]);
  });

  it('one store after another while a third is served, then each store is held and nothing wider', () => {
    const given = nothing();
    const groups = ['s1', 's2'].flatMap((store): Answers[] => [
      { outcome: served, members: 3, operation: 'transaction', factors: sale('s3') },
      { outcome: refused, members: 20, operation: 'transaction', factors: sale(store) },
    ]);
    expect(when(given, groups).map(({ factor }) => factor)).toEqual(['store:s1', 'store:s2']);
  });

  it('the same store again after its hold has ended, then that store is held again', () => {
    const given = nothing();
    const refusals: Answers = { outcome: refused, members: 20, operation: 'transaction', factors: sale('s1') };
    when(given, [refusals]);
    given.window.forget({ operation: 'transaction', factor: 'store:s1' });
    expect(when(given, [refusals])).toMatchObject([{ factor: 'store:s1' }]);
  });

  it('everything, each reward a few times, then the operation is held', () => {
    const groups = Array.from({ length: 20 }, (_, index): Answers => {
      return { outcome: refused, members: 1, factors: [`reward:${index}`] };
    });
    expect(when(nothing(), groups)).toMatchObject([{ operation: 'reward', factor: null }]);
  });
});

describe('given members who are refused for their own sake', () => {
  it('when one in ten is served, then nobody is held', () => {
    const mixed = Array.from({ length: 50 }, (): Answers[] => [
      { outcome: served, members: 1, factors: coffee },
      { outcome: refused, members: 9, factors: coffee },
    ]).flat();
    expect(when(nothing(), mixed)).toEqual([]);
  });

  it('when one member is refused again and again, then nobody is held', () => {
    const window = new RefusalWindow(20);
    const call: AnsweredCall = { operation: 'reward', factors: coffee, laneId: 1 };
    const refusal = { kind: 'refused', code: 'refused' } as const;
    const answers = Array.from({ length: 100 }, () => window.answered(call, refusal, 0));
    expect(answers.every((wanted) => wanted === null)).toBe(true);
  });

  it('when they come more than ten minutes apart, then nobody is held', () => {
    const slow: Answers = { outcome: refused, members: 1, factors: coffee, minutesLater: 1 };
    expect(
      when(
        nothing(11),
        Array.from({ length: 40 }, () => slow),
      ),
    ).toEqual([]);
    expect(
      when(
        nothing(10),
        Array.from({ length: 40 }, () => slow),
      ),
    ).not.toEqual([]);
  });
});

describe('given answers that meet everybody by their kind', () => {
  it('when five members in a row get a 5xx for one reward, then that reward is held', () => {
    const broken: Answers = { outcome: unavailable, isMissed: true, members: 4, factors: dessert };
    expect(when(nothing(), [broken, { outcome: served, members: 1, factors: dessert }, broken])).toEqual([]);
    expect(when(nothing(), [broken, { ...broken, members: 1 }])).toMatchObject([{ factor: 'reward:9002' }]);
  });

  it('when sales get a 5xx, then nothing is held: an outage is for the breaker', () => {
    const broken: Answers = { outcome: unavailable, isMissed: true, members: 50, factors: ['transaction-type:31'] };
    expect(when(nothing(), [{ ...broken, operation: 'transaction' }])).toEqual([]);
  });

  it.each([
    [20, 5],
    [1, 1],
  ])('when a path is refused, with a setting of %d, then %d members are enough', (membersMax, members) => {
    const path: Answers = { outcome: forbidden, operation: 'transaction', members: members - 1, factors: [] };
    const given = nothing(membersMax);
    expect(when(given, [path])).toEqual([]);
    expect(when(given, [{ ...path, members: 1 }])).toMatchObject([{ operation: 'transaction', factor: null }]);
  });

  it('when an answer proves nothing, then it counts as a refusal, and the reason says so', () => {
    const hollow: AttemptOutcome = { kind: 'unknown', code: 'unproven-200', retryAfterMs: null };
    const holds = when(nothing(3), [{ outcome: hollow, members: 3, factors: [] }]);
    expect(holds).toMatchObject([{ factor: null }]);
    expect(holds[0]?.reason).toContain('with what proves nothing');
  });
});

it.each<[string, AttemptOutcome]>([
  ['a timeout of a sale', { kind: 'unknown', code: 'timeout', retryAfterMs: null }],
  ['a 429', { ...forbidden, code: 'too-many-requests', systemic: false }],
  ['a missing pass', { kind: 'rejected', code: 'no-such-pass', message: 'no pass' }],
  ['a missing token', { ...forbidden, code: 'unauthorized' }],
])('%s shows nothing', (_, outcome) => {
  const call: AnsweredCall = { operation: 'transaction', factors: [], laneId: 1 };
  expect(showingOf(outcome, call, outcome.kind === 'unknown')).toBeNull();
});

it('what is held no more is counted anew', () => {
  const given = nothing(2);
  when(given, [{ outcome: refused, members: 1, factors: coffee }]);
  for (const factor of [...coffee, null]) given.window.forget({ operation: 'reward', factor });
  expect(when(given, [{ outcome: refused, members: 1, factors: coffee }])).toEqual([]);
});
