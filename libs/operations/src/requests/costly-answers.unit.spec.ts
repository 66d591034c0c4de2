import { cheapMsMax, CostlyAnswers } from './costly-answers.js';

describe('an answer that may take long', () => {
  let now: number;
  let made: number;
  let answers: CostlyAnswers<number>;

  beforeEach(() => {
    [now, made] = [0, 0];
    answers = new CostlyAnswers({ monotonic: () => now });
  });

  const ask = (costMs: number, key = 'all'): Promise<number> =>
    answers.get(key, async () => {
      made += 1;
      const number = made;
      await Promise.resolve();
      now += costMs;
      return number;
    });

  it('is made for each who asks while it does not', async () => {
    expect([await ask(cheapMsMax), await ask(cheapMsMax)]).toEqual([1, 2]);
    expect(await Promise.all([ask(1), ask(1)])).toEqual([3, 4]);
  });

  it('is made once for all when it does, for ten times as long, by what is asked', async () => {
    expect(await ask(200)).toBe(1);
    expect([await ask(200), await ask(200, 'tea')]).toEqual([1, 2]);
    now += 2_000;
    expect(await Promise.all([ask(200), ask(200)])).toEqual([3, 3]);
    now += 2_000;
    expect([await ask(1), await ask(1)]).toEqual([4, 5]);
  });

  it('that fails is tried again after as long', async () => {
    const fail = (): Promise<number> =>
      answers.get('all', async () => {
        made += 1;
        now += 200;
        return Promise.reject(new Error('no'));
      });
    await expect(fail()).rejects.toThrow('no');
    await expect(fail()).rejects.toThrow('no');
    expect(made).toBe(1);
    now += 2_000;
    expect(await ask(1)).toBe(2);
  });
});
