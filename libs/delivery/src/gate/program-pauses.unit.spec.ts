import { ProgramPauses } from './program-pauses.js';

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
