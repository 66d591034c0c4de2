import type { AttemptOutcome } from '#intents/core';

import { ProgramPauses, RefusalStreaks } from './program-pauses.js';

const manual = { automatic: false } as const;
const now = 1_000;

function paused(...pauses: Parameters<ProgramPauses['apply']>[0]): ProgramPauses {
  const result = new ProgramPauses('coffee-club');
  result.apply(pauses, now);
  return result;
}

describe('what is paused of a program', () => {
  it.each([
    [{ program: null, operation: null, ...manual }, true, true],
    [{ program: 'coffee-club', operation: null, ...manual }, true, true],
    [{ program: 'coffee-club', operation: 'reward', ...manual }, false, true],
    [{ program: null, operation: 'reward', ...manual }, false, true],
    [{ program: 'tea-club', operation: null, ...manual }, false, false],
    [{ program: 'tea-club', operation: 'reward', ...manual }, false, false],
  ] as const)('%j', (pause, program, reward) => {
    const pauses = paused(pause);
    expect(pauses.isProgramPaused).toBe(program);
    expect(pauses.isPaused('reward')).toBe(reward);
    expect(pauses.isPaused('issue')).toBe(program);
    expect(pauses.isOperationPaused('reward')).toBe(reward && !program);
  });

  it('says which operations are paused no more, whoever had paused them', () => {
    const pauses = paused({ program: null, operation: 'reward', ...manual });
    expect(pauses.apply([{ program: 'coffee-club', operation: 'issue', ...manual }], now)).toEqual(['reward']);
  });

  it('is what the database said last', () => {
    const pauses = paused({ program: null, operation: null, ...manual });
    expect(pauses.apply([], now)).toEqual([]);
    expect(pauses.isPaused('reward')).toBe(false);
  });
});

describe('a pause of our own', () => {
  it('holds at once, and until a person has lifted it', () => {
    const pauses = paused();
    pauses.want({ operation: 'issue', reason: 'broken' });
    pauses.want({ operation: 'issue', reason: 'broken again' });
    expect(pauses.isOperationPaused('issue')).toBe(true);
    expect(pauses.takeWanted()).toEqual([{ operation: 'issue', reason: 'broken' }]);
    expect(pauses.takeWanted()).toEqual([]);
    expect(pauses.apply([], now + 10)).toEqual([]);
    pauses.wasSet('issue', now + 20);
    // Read before it was recorded: that it is not there means nothing.
    expect(pauses.apply([], now + 20)).toEqual([]);
    expect(pauses.isPaused('issue')).toBe(true);
    expect(pauses.apply([{ program: 'coffee-club', operation: 'issue', automatic: true }], now + 30)).toEqual([]);
    expect(pauses.apply([], now + 40)).toEqual(['issue']);
    expect(pauses.isPaused('issue')).toBe(false);
    expect(pauses.apply([], now + 50)).toEqual([]);
  });

  it('is recorded again after a while when that failed', () => {
    const pauses = paused();
    pauses.want({ operation: 'issue', reason: 'broken' });
    pauses.takeWanted();
    pauses.couldNotBeSet('issue');
    expect(pauses.takeWanted()).toEqual([]);
    expect(pauses.apply([], now + 10)).toEqual([]);
    pauses.retry();
    expect(pauses.takeWanted()).toHaveLength(1);
  });
});

const refused: AttemptOutcome = { kind: 'rejected', code: 'refused', message: 'template 11 is not active' };
const notApplied = { kind: 'not-applied', answered: true, retryAfterMs: null } as const;
const forbidden: AttemptOutcome = { ...notApplied, code: 'http-403', systemic: true };
const fine = { kind: 'fine' };

/** The verdicts on the same outcome for these lanes. */
function verdicts(streaks: RefusalStreaks, outcome: AttemptOutcome, ...laneIds: readonly number[]): unknown[] {
  return laneIds.map((laneId) => streaks.answered('transaction', laneId, outcome).kind);
}

describe('refusals in a row', () => {
  it('are a broken configuration from the configured number of members on', () => {
    const streaks = new RefusalStreaks(3);
    expect(verdicts(streaks, refused, 1, 2)).toEqual(['fine', 'fine']);
    const verdict = streaks.answered('transaction', 3, { ...refused, message: 'template 12 is not active' });
    expect(verdict).toEqual({ kind: 'broken', code: 'refused', members: 3 });
    expect(verdicts(streaks, refused, 1, 4)).toEqual(['broken', 'broken']);
  });

  it('of one member prove nothing', () => {
    expect(verdicts(new RefusalStreaks(3), refused, 1, 1, 1, 1, 2)).not.toContain('broken');
  });

  it.each<[string, AttemptOutcome]>([
    ['a success', { kind: 'applied' }],
    ['another refusal', { ...refused, message: 'the amount is too high' }],
  ])('are no row with %s between', (_, between) => {
    const streaks = new RefusalStreaks(3);
    verdicts(streaks, refused, 1, 2);
    streaks.answered('transaction', 7, between);
    expect(verdicts(streaks, refused, 3, 4)).toEqual(['fine', 'fine']);
  });

  it.each<[string, AttemptOutcome]>([
    ['an unknown outcome', { kind: 'unknown', code: 'timeout', retryAfterMs: null }],
    ['a 429', { ...notApplied, code: 'too-many-requests', systemic: false }],
    ['a missing pass', { kind: 'rejected', code: 'no-such-pass', message: 'no pass' }],
    ['a missing token', { ...notApplied, code: 'unauthorized', systemic: true }],
  ])('neither end nor grow by %s', (_, between) => {
    const streaks = new RefusalStreaks(3);
    verdicts(streaks, refused, 1, 2);
    expect(verdicts(streaks, between, 3, 4, 5, 6, 7)).not.toContain('broken');
    expect(verdicts(streaks, refused, 8)).toEqual(['broken']);
  });

  it('are counted likewise for a yes that proves nothing, whatever it is', () => {
    const streaks = new RefusalStreaks(3);
    const hollow = (code: string): AttemptOutcome => ({ kind: 'unknown', code, retryAfterMs: null });
    expect(verdicts(streaks, hollow('unproven-200'), 1, 1, 1)).not.toContain('broken');
    expect(verdicts(streaks, hollow('foreign-pass'), 2)).toEqual(['fine']);
    expect(verdicts(streaks, { kind: 'unknown', code: 'timeout', retryAfterMs: null }, 7, 8, 9)).not.toContain(
      'broken',
    );
    expect(streaks.answered('transaction', 3, hollow('http-200-empty'))).toMatchObject({ kind: 'broken', members: 3 });
    verdicts(streaks, { kind: 'applied' }, 4);
    expect(verdicts(streaks, hollow('unproven-200'), 5, 6)).toEqual(['fine', 'fine']);
  });

  it('on the path need no more than five members, whatever is configured', () => {
    expect(verdicts(new RefusalStreaks(20), forbidden, 1, 2, 3, 4, 5)).toEqual([
      ...Array.from({ length: 4 }, () => 'fine'),
      'broken',
    ]);
    expect(verdicts(new RefusalStreaks(1), forbidden, 1)).toEqual(['broken']);
  });

  it('are counted for each operation, and anew once a person has lifted the pause', () => {
    const streaks = new RefusalStreaks(2);
    verdicts(streaks, refused, 1);
    expect(streaks.answered('reward', 2, refused)).toEqual(fine);
    expect(verdicts(streaks, refused, 2)).toEqual(['broken']);
    streaks.forget('transaction');
    expect(verdicts(streaks, refused, 3)).toEqual(['fine']);
  });
});
