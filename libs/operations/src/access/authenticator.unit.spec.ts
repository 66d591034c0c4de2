import { addressFailuresMax, FailedLogins, failuresMax, failureWindowMs } from './authenticator.js';

describe('wrong tokens', () => {
  let now: number;
  let failures: FailedLogins;

  beforeEach(() => {
    now = 1_000;
    failures = new FailedLogins({ monotonic: () => now });
  });

  const fail = (address: string, times: number, credential = 'Bearer guess'): number[] =>
    Array.from({ length: times }, () => failures.failed({ address, credential }));

  it('cost who repeats one a wait once that is too often, until a minute after the first', () => {
    fail('a', failuresMax - 1);
    now += 20_000;
    expect(fail('a', 2)).toEqual([0, failureWindowMs - 20_000]);
    now += failureWindowMs - 20_000;
    expect(fail('a', failuresMax + 1)).toEqual([...Array<number>(failuresMax).fill(0), failureWindowMs]);
  });

  it('cost neither other addresses nor other credentials of the same anything', () => {
    expect(fail('a', failuresMax + 1).at(-1)).toBe(failureWindowMs);
    expect(fail('b', 1)).toEqual([0]);
    expect(fail('a', 1, 'Bearer another')).toEqual([0]);
  });

  it('cost an address a wait in the end, though each is another one', () => {
    const waits = Array.from({ length: addressFailuresMax + 1 }, (_, at) => fail('a', 1, `Bearer ${at}`)).flat();
    expect(waits).toEqual([...Array<number>(addressFailuresMax).fill(0), failureWindowMs]);
    expect(fail('b', 1)).toEqual([0]);
    now += failureWindowMs;
    expect(fail('a', 1)).toEqual([0]);
  });

  it('are no more of an address for who keeps on repeating one that waits', () => {
    fail('a', 10 * addressFailuresMax);
    expect(fail('a', 1, 'Bearer another')).toEqual([0]);
  });
});
