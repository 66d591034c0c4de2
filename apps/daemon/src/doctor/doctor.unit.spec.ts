import type { Environment } from '#contracts';
import type { ListedProcess } from '#intents';
import { createLogger, SafeError, SystemClock, SystemRandom } from '#platform';

import type { Check, Context } from './checks.js';
import { check, runChecks } from './checks.js';
import { judgeSkew, readDateHeader } from './clocks.js';
import { soundParts } from './configuration.js';
import { checks } from './doctor.js';
import type { Finding } from './finding.js';
import { durationText, nameList, ok } from './finding.js';
import { judgeLookup, judgeToken } from './partner.js';
import { judgeAlive, judgePrograms } from './processes.js';

const context = (): Context => {
  const logger = createLogger({ level: 'silent', service: 'doctor-spec' });
  const environment = { roles: ['ingest'] } as unknown as Environment;
  const clock = new SystemClock();
  return { environment, errors: [], clock, logger, random: new SystemRandom(), opened: {}, closing: [] };
};
const remedy = 'mend it';
const report = async (...checks: readonly Check[]): Promise<readonly Finding[]> =>
  (await runChecks(checks, context())).findings;

describe('a table of checks', () => {
  it('is reported in its order, whatever ended first', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly Finding[]>();
    const run = async (): Promise<readonly Finding[]> => {
      resolve([ok('slow', 'well')]);
      return [ok('fast', 'well'), ok('fast.too', 'well')];
    };
    const found = await report(
      check({ name: 'slow', remedy, run: () => promise }),
      check({ name: 'fast', remedy, run }),
    );
    expect(found.map(({ name }) => name)).toEqual(['slow', 'fast', 'fast.too']);
  });

  it('hands on what a check opened, and skips what needs what could not be', async () => {
    const well = (name: string) => async (): Promise<readonly Finding[]> => [ok(name, 'well')];
    const found = await report(
      check({
        ...{ name: 'one', opens: 'address', remedy },
        run: async ({ opened }) => {
          opened.address = true;
          return [ok('one', 'well')];
        },
      }),
      check({ name: 'none', opens: 'store', remedy, run: well('none') }),
      check({ name: 'next', needs: ['address'], remedy, run: async ({ address }) => [ok('next', String(address))] }),
      check({ name: 'both', needs: ['address', 'store'], remedy, run: well('both') }),
      check({ name: 'last', needs: ['store'], opens: 'keys', remedy, run: well('last') }),
      check({ name: 'beyond', needs: ['keys', 'store'], remedy, run: well('beyond') }),
    );
    expect(found.map(({ name, state, detail }) => [name, state, detail])).toEqual([
      ['one', 'ok', 'well'],
      ['none', 'ok', 'well'],
      ['next', 'ok', 'true'],
      ['both', 'skipped', 'not looked at: it builds on none'],
      ['last', 'skipped', 'not looked at: it builds on none'],
      ['beyond', 'skipped', 'not looked at: it builds on last and none'],
    ]);
  });

  it.each<[string, () => unknown, string]>([
    ['our own message', () => new SafeError('we know this'), 'we know this'],
    ['no other', () => new Error('the password is hunter2'), 'the check itself broke (Error)'],
    ['a code', () => Object.assign(new Error('hunter2'), { code: 'ENOENT' }), 'the check itself broke (Error, ENOENT)'],
    ['nothing of what is no error', () => 'hunter2', 'the check itself broke (string)'],
  ])('makes a finding of a check that breaks, and tells %s', async (_what, thrown, detail) => {
    const broken = { name: 'broken', state: 'failed', detail, remedy };
    const runAtOnce = (): never => {
      throw thrown();
    };
    expect(await report(check({ name: 'broken', remedy, run: runAtOnce }))).toEqual([broken]);
    expect(await report(check({ name: 'broken', remedy, run: async () => runAtOnce() }))).toEqual([broken]);
  });

  it('gives up a check that takes too long, tells it so, and knows when it ends after all', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly Finding[]>();
    let signal: AbortSignal | undefined;
    const hanging = check({
      ...{ name: 'hangs', limitMs: 20, remedy },
      run: (given) => {
        ({ signal } = given);
        return promise;
      },
    });
    const { findings, works } = await runChecks([hanging], context());
    expect(findings).toMatchObject([{ state: 'failed', detail: 'no answer within 20 ms' }]);
    expect(signal?.aborted).toBe(true);
    resolve([ok('hangs', 'well')]);
    expect(await Promise.all(works)).toEqual([[ok('hangs', 'well')]]);
  });

  it('has what opens something before what needs it, and no chain that ends after 13 s', () => {
    const endsAt = new Map<string, number>();
    for (const { needs, opens, limitMs } of checks) {
      const begins = needs.map((need) => endsAt.get(need) ?? Infinity);
      // Whose the group is, is known from what was read.
      const takes = needs.includes('group') ? 0 : limitMs;
      const end = Math.max(0, ...begins) + takes;
      expect(end).toBeLessThanOrEqual(13_000);
      if (opens !== null) endsAt.set(opens, end);
    }
  });
});

const states = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ name, state }) => `${name} ${state}`);

describe('quantities and lists', () => {
  it.each([
    [20, '20 ms'],
    [1_234, '1.2 s'],
    [42_000, '42 s'],
    [300_000, '5 min'],
    [3 * 3_600_000, '3 h'],
    [7 * 86_400_000, '7 days'],
  ])('%i ms are %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('cut what is too long', () => {
    expect(nameList(['a', 'b'])).toBe('a, b');
    expect(nameList(Array.from({ length: 12 }, (_, index) => String(index)))).toBe(
      '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more',
    );
  });
});

describe('clocks', () => {
  it.each([
    [900, 0, 'ok'],
    [1_400, 600, 'ok'],
    [1_700, 600, 'warning'],
    [-1_700, 600, 'warning'],
    [30_500, 600, 'warning'],
    [-31_000, 600, 'failed'],
  ])('%i ms off, give or take %i, is %s', (behindMs, uncertaintyMs, state) => {
    expect(judgeSkew('clock', 'it', { behindMs, uncertaintyMs }).state).toBe(state);
  });

  it('are read from a Date header to the second, in the middle of the round trip', () => {
    const evidence = (headers: Record<string, string>) => ({
      request: { method: 'GET', path: '/', body: null },
      response: { status: 200, headers, body: '', truncated: false },
      durationMs: 200,
    });
    const date = 'Sat, 21 Nov 2026 10:15:04 GMT';
    expect(readDateHeader(evidence({ date }), Date.parse(date) + 600)).toEqual({ behindMs: 0, uncertaintyMs: 600 });
    expect(readDateHeader(evidence({ date: 'soon' }), 0)).toBeNull();
    expect(readDateHeader({ ...evidence({}), response: null }, 0)).toBeNull();
  });
});

describe('the environment', () => {
  it.each([
    ['KAFKA_SSL: wrong', ['kafka']],
    ['KAFKA_TOPIC_*: one topic is named twice', ['kafka']],
    ['DATABASE_POOL_SIZE: wrong', ['database']],
    ['HTTPS_PROXY: wrong', ['wallet']],
    ['VAULT_TOKEN: wrong', ['vault']],
    ['NOTICE_WEBHOOK_URL: wrong', ['notices']],
    ['OPS_TOKENS: wrong', []],
    ['NODE_TLS_REJECT_UNAUTHORIZED: wrong', ['kafka', 'database', 'wallet', 'vault', 'notices']],
    ['ALLOW_CLEARTEXT: wrong', ['kafka', 'database', 'wallet', 'vault', 'notices']],
  ])('with %s lends no part to be used that it is about', (error, missing) => {
    const part = {} as never;
    const all = { kafka: part, database: part, wallet: part, vault: part, notices: part };
    const parts = soundParts(all as unknown as Environment, [error]);
    const lacking = Object.entries(parts).filter(([, value]) => value === null);
    expect(lacking.map(([name]) => name)).toEqual(missing);
  });
});

describe('answers of the partner', () => {
  const evidence = {} as never;
  const failure = (code: string) => ({
    kind: 'failed' as const,
    stage: 'answer' as const,
    code,
    retryAfterMs: null,
    evidence,
  });

  it.each([
    [{ kind: 'absent' as const, evidence }, 'ok', null],
    [{ kind: 'found' as const, pass: {}, shapeAlarms: [], evidence }, 'failed', 'lookup.by'],
    [failure('refused'), 'failed', 'lookup.absent'],
    [failure('http-403'), 'failed', 'brandId'],
    [failure('http-503'), 'failed', 'trouble of its own'],
    [failure('timeout'), 'failed', 'WALLET_TIMEOUT_MS'],
  ])('to a lookup of nobody: %j', (report, state, remedy) => {
    const finding = judgeLookup('club', report);
    expect([finding.name, finding.state]).toEqual(['partner.lookup.club', state]);
    if (remedy !== null) expect(finding.remedy).toContain(remedy);
  });

  it.each([
    ['http-401', 'WALLET_CLIENT_SECRET'],
    ['http-404', '/oauth2/token'],
    ['answer-unreadable', 'proxy'],
    ['timeout', 'WALLET_AUTH_URL'],
  ])('to a request for a token: %s', (code, remedy) => {
    const report = { kind: 'failed', stage: 'token', code, retryAfterMs: null, durationMs: 1 } as const;
    expect(judgeToken(report)).toMatchObject({ state: 'failed', remedy: expect.stringContaining(remedy) as string });
  });

  it('with a token that is not as documented warn', () => {
    const report = { kind: 'granted', lifetimeMs: 1, durationMs: 1, shapeAlarms: ['expires_in'] } as const;
    expect(judgeToken(report).state).toBe('warning');
  });
});

describe('processes', () => {
  const now = 1_000_000;
  const listed = (host: string, more: Partial<ListedProcess> = {}): ListedProcess => ({
    processId: host,
    host,
    roles: ['ingest', 'delivery', 'operations'],
    startedAt: 0,
    heartbeatAt: now,
    isAlive: true,
    programs: { hash: 'aa', since: 0 },
    keyIds: ['0a1b2c3d'],
    figures: null,
    programsProblem: null,
    ...more,
  });

  it('are alive and do everything, or something is left undone', () => {
    expect(states(judgeAlive([listed('one')], now))).toEqual(['processes.alive ok']);
    const dead = listed('two', { isAlive: false, heartbeatAt: now - 30_000 });
    expect(states(judgeAlive([listed('one', { roles: ['ingest'] }), dead], now))).toEqual([
      'processes.alive warning',
      'processes.alive.two warning',
    ]);
  });

  it.each([
    [now - 61_000, 'failed'],
    [now - 59_000, 'warning'],
  ])('that have worked by different files since %i: %s', (since, state) => {
    const others = [listed('one'), listed('two', { programs: { hash: 'bb', since } })];
    expect(judgePrograms(others, now)).toMatchObject([{ name: 'processes.programs', state }]);
    const gone = [listed('one'), listed('two', { isAlive: false, programs: { hash: 'bb', since } })];
    expect(judgePrograms(gone, now)).toMatchObject([{ state: 'ok' }]);
  });

  it('that refused a file', () => {
    const refused = listed('one', { programsProblem: 'programs.club.currency: required' });
    expect(states(judgePrograms([refused], now))).toEqual(['processes.programs ok', 'processes.programs.one warning']);
  });
});
