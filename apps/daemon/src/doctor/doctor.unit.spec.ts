import type { Environment } from '#contracts';
import { parseProgramsFile } from '#contracts';
import type { ListedProcess, ListedReplica } from '#intents';
import { SystemClock, SafeError } from '#platform';

import { judgeSkew, readDateHeader } from './clocks.js';
import { environmentFindings, programOddities, soundParts } from './configuration.js';
import type { Examined } from './examination.js';
import { Examination } from './examination.js';
import type { Finding } from './finding.js';
import { durationText, nameList, ok } from './finding.js';
import { judgeAccess } from './operations.js';
import { judgeListing, judgeLookup, unreadable } from './partner-programs.js';
import { judgeToken } from './partner.js';
import { judgeAlive, judgeDelivery, judgePrograms } from './processes.js';

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
    examination.add(ok('told', 'at once'));
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

const states = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ name, state }) => `${name} ${state}`);

const programsOf = (text: string) => {
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value.programs;
};
const club = programsOf(`
programs:
  club: { brandId: 101, programId: 2001, currency: EUR, tiers: { basic: 1, gold: 2 }, templateId: 11,
    enrolment: { via: workflow, workflowId: 77 }, purchases: { completed: { transactionTypeId: 31 } }, rewards: { tea: 9001 } }
`);
const entry = ['club', club['club']!] as const;

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
    ['OPS_TOKENS: wrong', []],
    ['NODE_TLS_REJECT_UNAUTHORIZED: wrong', ['kafka', 'database', 'wallet']],
    ['ALLOW_CLEARTEXT: wrong', ['kafka', 'database', 'wallet']],
  ])('with %s lends no part to be used that it is about', (error, missing) => {
    const part = {} as never;
    const parts = soundParts({ kafka: part, database: part, wallet: part } as unknown as Environment, [error]);
    const lacking = Object.entries(parts).filter(([, value]) => value === null);
    expect(lacking.map(([name]) => name)).toEqual(missing);
  });

  it('that lets something leave unencrypted warns, and says to whom', () => {
    const of = (cleartext: Environment['cleartext']): readonly Finding[] =>
      environmentFindings({ roles: ['ingest'], cleartext } as unknown as Environment, []);
    expect(of({})).toMatchObject([{ name: 'environment', state: 'ok' }]);
    expect(of({ postgres: 'db', kafka: 'k:9092' })).toMatchObject([
      { state: 'ok' },
      {
        name: 'environment.cleartext',
        state: 'warning',
        detail: expect.stringContaining('(postgres: db; kafka: k:9092)') as string,
      },
    ]);
  });

  it.each([
    [['admin'], false, 'ok'],
    [['viewer'], false, 'warning'],
    [['admin'], true, 'warning'],
  ])('with tokens of %j, read-only %j, is %s to operators', (roles, readOnly, state) => {
    const tokens = roles.map((role) => ({ name: role, role, sha256: '' }));
    const operations = { tokens, readOnly, oidc: null } as unknown as Environment['operations'];
    expect(judgeAccess({ roles: ['operations'], operations }).state).toBe(state);
    expect(judgeAccess({ roles: ['ingest'], operations }).state).toBe('skipped');
  });

  it.each([
    ['open', 'warning'],
    ['token', 'ok'],
  ])('looks odd with tokens limited to programs while metrics are for %s: %s', (metrics, state) => {
    const token = { name: 'ada', role: 'operator', sha256: '' };
    const oidc = { programsClaim: 'programs' };
    for (const limited of [
      { tokens: [{ ...token, programs: ['tea'] }], oidc: null },
      { tokens: [token], oidc },
    ]) {
      const operations = {
        ...limited,
        readOnly: false,
        metrics,
      } as unknown as Environment['operations'];
      expect(judgeAccess({ roles: ['operations'], operations }).state).toBe(state);
    }
  });
});

describe('the programs file', () => {
  it('looks odd with ids that are no numbers, or that are used twice', () => {
    expect(programOddities(club)).toEqual([]);
    const odd = programsOf(`
programs:
  one: { brandId: acme, programId: 1, tiers: { a: 1, b: 1 }, rewards: { x: 9, y: 9 } }
  two: { brandId: acme, programId: 1 }
`);
    expect(programOddities(odd).map(({ detail }) => detail)).toEqual([
      "programs.one.brandId is no number, as the partner's ids of that kind are",
      'programs.one.tiers: a and b are one tier at the partner',
      'programs.one.rewards: x and y are one reward at the partner',
      "programs.two.brandId is no number, as the partner's ids of that kind are",
      'programs: one and two are one program at the partner',
    ]);
  });

  it('says what of it nobody can read at the partner', () => {
    const { state, detail } = unreadable(entry);
    expect(state).toBe('skipped');
    expect(detail).toContain(
      'transaction types and their attributes 31; rewards 9001; workflows 77; templates 11; tiers 1, 2',
    );
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

  it('with a page of one pass say what does not fit', () => {
    const page = (...passes: readonly object[]) => ({ pageNumber: 1, passes, totalCount: 7 });
    const own = { passdata: { metaData: { memberId: 'm' } }, templateTierId: 2 };
    expect(judgeListing(entry, page(own), [])).toMatchObject({
      state: 'ok',
      detail: '7 passes by the partner’s count',
    });
    expect(judgeListing(entry, null, []).state).toBe('ok');
    const foreign = { passdata: { metaData: { cardId: 'c' } }, templateTierId: 5 };
    const { state, detail } = judgeListing(entry, page(foreign, own), ['data.serialNumber']);
    expect(state).toBe('warning');
    for (const part of ['got 2', 'data.serialNumber', 'without memberId', 'tier 5']) expect(detail).toContain(part);
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

  it('take part in sharing the limits', () => {
    const replicas = [{ replicaId: 'r', heartbeatAt: now, isAlive: true }] as readonly ListedReplica[];
    expect(states(judgeDelivery([], []))).toEqual([]);
    expect(states(judgeDelivery([listed('one')], replicas))).toEqual(['processes.delivery ok']);
    expect(states(judgeDelivery([listed('one'), listed('two')], replicas))).toEqual(['processes.delivery warning']);
  });

  it.each([
    [now - 61_000, 'failed'],
    [now - 59_000, 'warning'],
  ])('that have worked by different files since %i: %s', (since, state) => {
    const others = [listed('one'), listed('two', { programs: { hash: 'bb', since } })];
    expect(judgePrograms(others, { now, fileHash: null })).toMatchObject([{ name: 'processes.programs', state }]);
    const gone = [listed('one'), listed('two', { isAlive: false, programs: { hash: 'bb', since } })];
    expect(judgePrograms(gone, { now, fileHash: 'aa' })).toMatchObject([{ state: 'ok' }]);
  });

  it('that work by another file than the one here, or refused one', () => {
    const refused = listed('one', { programsProblem: 'programs.club.currency: required' });
    expect(states(judgePrograms([refused], { now, fileHash: 'bb' }))).toEqual([
      'processes.programs ok',
      'processes.programs.one warning',
      'processes.programs-file warning',
    ]);
  });
});
