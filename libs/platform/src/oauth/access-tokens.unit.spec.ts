import { VirtualClock } from '#test-support';

import type { TokenAnswer } from './access-tokens.js';
import { AccessTokens, tokenRetryDelayMs } from './access-tokens.js';

const hourMs = 3_600_000;
const refused: TokenAnswer = { kind: 'none', reason: 'http-503', retryAfterMs: null };

/** An endpoint that answers at once: `t1`, `t2`, ..., or a refusal. */
function setUp(retryDelayMsMax = 8_000): {
  clock: VirtualClock;
  tokens: AccessTokens;
  endpoint: { isAway: boolean; asked: number };
} {
  const clock = new VirtualClock();
  const endpoint = { isAway: false, asked: 0 };
  const request = (): Promise<TokenAnswer> => {
    endpoint.asked += 1;
    const token = { kind: 'token', value: `t${endpoint.asked}`, lifetimeMs: hourMs, shapeAlarms: [] } as const;
    return Promise.resolve(endpoint.isAway ? refused : token);
  };
  return { clock, endpoint, tokens: new AccessTokens({ request }, { clock, retryDelayMsMax }) };
}

describe('tokens for logins that last as long as they', () => {
  it('are new where the old one is about to end, and asked for once for all who wait', async () => {
    const { clock, tokens, endpoint } = setUp();
    expect(await tokens.obtainLasting()).toMatchObject({ value: 't1' });
    await clock.advance(hourMs - 60_001);
    expect(await tokens.obtainLasting()).toMatchObject({ value: 't1' });
    await clock.advance(1);
    const grants = await Promise.all([tokens.obtainLasting(), tokens.obtainLasting()]);
    expect(grants).toMatchObject([{ value: 't2' }, { value: 't2' }]);
    expect(endpoint.asked).toBe(2);
  });

  it('are the old ones, as long as they are valid, where no new one is to be had', async () => {
    const { clock, tokens, endpoint } = setUp();
    await tokens.obtainLasting();
    endpoint.isAway = true;
    await clock.advance(hourMs - 1_000);
    expect(await tokens.obtainLasting()).toMatchObject({ kind: 'token', value: 't1' });
    await clock.advance(1_000);
    expect(await tokens.obtainLasting()).toMatchObject({ kind: 'none', reason: 'http-503' });
  });

  it('are not given out again once they were refused', async () => {
    const { tokens } = setUp();
    await tokens.obtainLasting();
    tokens.forget('t0');
    expect(await tokens.obtainLasting()).toMatchObject({ value: 't1' });
    tokens.forget('t1');
    expect(await tokens.obtainLasting()).toMatchObject({ value: 't2' });
  });
});

describe('an endpoint that gives no token', () => {
  it('is asked less and less often, up to a limit, and at once as usual when it has given one', async () => {
    const { clock, tokens, endpoint } = setUp();
    endpoint.isAway = true;
    const waits: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const grant = await tokens.obtain();
      if (grant.kind === 'token') throw new Error('it is away');
      // Meanwhile nobody asks.
      expect(await tokens.obtain()).toEqual(grant);
      waits.push(grant.retryAfterMs / tokenRetryDelayMs);
      await clock.advance(grant.retryAfterMs);
    }
    expect(waits).toEqual([1, 2, 4, 8, 8, 8]);
    expect(endpoint.asked).toBe(6);
    endpoint.isAway = false;
    expect(await tokens.obtain()).toMatchObject({ kind: 'token' });
    endpoint.isAway = true;
    await clock.advance(hourMs);
    expect(await tokens.obtain()).toMatchObject({ retryAfterMs: tokenRetryDelayMs });
  });
});
