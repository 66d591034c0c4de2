import { FailedLogins, failuresMax, failureWindowMs } from './authenticator.js';

describe('wrong tokens', () => {
  let now: number;
  let failures: FailedLogins;

  beforeEach(() => {
    now = 1_000;
    failures = new FailedLogins({ monotonic: () => now });
  });

  const fail = (address: string, times: number): void => {
    for (let time = 0; time < times; time += 1) failures.failed(address);
  };

  it('cost an address a wait once there are too many, until a minute after the first', () => {
    fail('a', failuresMax - 1);
    expect(failures.waitMs('a')).toBe(0);
    now += 20_000;
    fail('a', 1);
    expect(failures.waitMs('a')).toBe(failureWindowMs - 20_000);
    now += failureWindowMs - 20_000;
    expect(failures.waitMs('a')).toBe(0);
    fail('a', 1);
    expect(failures.waitMs('a')).toBe(0);
  });

  it('cost other addresses nothing', () => {
    fail('a', failuresMax);
    expect(failures.waitMs('b')).toBe(0);
  });
});
