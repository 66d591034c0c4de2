import { type TokenAnswer, tokenRefreshMarginMs, tokenRetryDelayMs } from '#platform';
import { VirtualClock } from '#test-support';
import { TokenSource } from './token-source.js';

const hourMs = 3_600_000;

function setUp(lifetimeMs = hourMs): {
  clock: VirtualClock;
  source: TokenSource;
  asked: PromiseWithResolvers<TokenAnswer>[];
  told: unknown[];
  grant: () => void;
  refuse: (retryAfterMs?: number) => void;
} {
  const clock = new VirtualClock();
  const asked: PromiseWithResolvers<TokenAnswer>[] = [];
  const told: unknown[] = [];
  const request = (): Promise<TokenAnswer> => {
    asked.push(Promise.withResolvers<TokenAnswer>());
    return asked.at(-1)!.promise;
  };
  const tokenObserver = {
    obtained: (token: unknown): number => told.push(token),
    failed: (reason: string): number => told.push(reason),
  };
  const source = new TokenSource({ request }, { clock, tokenObserver });
  const grant = (): void =>
    asked.at(-1)!.resolve({ kind: 'token', value: `t${asked.length}`, lifetimeMs, shapeAlarms: [] });
  const refuse = (retryAfterMs: number | null = null): void =>
    asked.at(-1)!.resolve({ kind: 'none', reason: 'http-401', retryAfterMs });
  return { clock, source, asked, told, grant, refuse };
}

async function withToken(lifetimeMs?: number): Promise<ReturnType<typeof setUp>> {
  const parts = setUp(lifetimeMs);
  const first = parts.source.obtain();
  parts.grant();
  await first;
  return parts;
}

describe('TokenSource', () => {
  it('asks once, however many wait', async () => {
    const { source, asked, grant } = setUp();
    const grants = [source.obtain(), source.obtain(), source.obtain()];
    grant();
    const token = { kind: 'token', value: 't1' };
    expect(await Promise.all(grants)).toMatchObject([token, token, token]);
    expect(asked).toHaveLength(1);
    expect(source.current()).toBe('t1');
  });

  it('renews ahead of expiry once, while calls go on with the old token', async () => {
    const { clock, source, asked, grant } = await withToken();
    await clock.advance(hourMs - tokenRefreshMarginMs - 1);
    expect(source.current()).toBe('t1');
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    expect([source.current(), source.current()]).toEqual(['t1', 't1']);
    expect(asked).toHaveLength(2);
    const next = source.replace('t1');
    grant();
    expect(await next).toMatchObject({ kind: 'token', value: 't2' });
    expect(source.current()).toBe('t2');
  });

  it('renews a short-lived token after three quarters of its life', async () => {
    const { clock, source, asked } = await withToken(4_000);
    await clock.advance(2_999);
    source.current();
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    source.current();
    expect(asked).toHaveLength(2);
  });

  it('never gives out an expired token', async () => {
    const { clock, source } = await withToken();
    await clock.advance(hourMs);
    expect(source.current()).toBeNull();
  });

  it('counts a token life from before the request', async () => {
    const { clock, source, grant } = setUp(10_000);
    const first = source.obtain();
    await clock.advance(9_000);
    grant();
    await first;
    await clock.advance(1_000);
    expect(source.current()).toBeNull();
  });

  it('replaces a refused token once, and only if it is still the current one', async () => {
    const { source, asked, grant } = await withToken();
    const both = [source.replace('t1'), source.replace('t1')];
    expect(source.current()).toBeNull();
    grant();
    const token = { kind: 'token', value: 't2' };
    expect(await Promise.all(both)).toMatchObject([token, token]);
    expect(await source.replace('t1')).toMatchObject(token);
    expect(asked).toHaveLength(2);
  });

  it('after a failure asks nobody for a while, then again', async () => {
    const { clock, source, asked, refuse, told } = setUp();
    const first = source.obtain();
    refuse();
    const none = { kind: 'none', retryAfterMs: tokenRetryDelayMs };
    expect(await first).toMatchObject(none);
    expect(await source.obtain()).toMatchObject(none);
    expect(asked).toHaveLength(1);
    await clock.advance(tokenRetryDelayMs);
    void source.obtain();
    expect(asked).toHaveLength(2);
    expect(told).toEqual(['http-401']);
  });

  it('obeys Retry-After of the token endpoint', async () => {
    const { clock, source, asked, refuse } = setUp();
    const first = source.obtain();
    refuse(30_000);
    expect(await first).toMatchObject({ kind: 'none', retryAfterMs: 30_000 });
    await clock.advance(29_999);
    expect(await source.obtain()).toMatchObject({ kind: 'none', retryAfterMs: 1 });
    expect(asked).toHaveLength(1);
  });

  it('keeps a valid token when its early renewal fails', async () => {
    const { clock, source, asked, refuse } = await withToken();
    await clock.advance(hourMs - tokenRefreshMarginMs);
    source.current();
    const joined = source.replace('other');
    refuse();
    await joined;
    expect(source.current()).toBe('t1');
    expect(asked).toHaveLength(2);
  });
});
