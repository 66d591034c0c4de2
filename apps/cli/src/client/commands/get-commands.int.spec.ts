import { stripVTControlCharacters } from 'node:util';
import { parse } from 'yaml';

import type { GroupView, IntentView } from '#contracts';

import type { FakeApi, FakeTerminalOptions, Run, Script } from '../testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from '../testing/fake-api.js';
import { sampleIntent, sampleJob } from '../testing/samples.js';

const longAgo = '2020-01-01T00:00:00.000Z';

describe('loyaltyd get', () => {
  let api: FakeApi;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  afterAll(() => api.close());

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });

  const list = (items: readonly unknown[], nextCursor: string | null = null): Script => ({
    'GET /intents': () => ({ body: { items, nextCursor } }),
  });

  it('asks with the token and the filters, and shows a table', async () => {
    const { code, stdout, stderr } = await run(
      ['get', 'intents', '--query', 'status=parked program="coffee club"'],
      list([sampleIntent()]),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(api.requests).toMatchObject([
      { query: { status: 'parked', program: 'coffee club', limit: '50' }, headers: { authorization: 'Bearer t' } },
    ]);
    const [header, row] = stdout.split('\n');
    expect(header).toMatch(/^ID +STATUS +OPERATION +REASON +CODE +PURCHASE +AMOUNT +AGE$/);
    expect(row).toMatch(/^coffee-club~m-1~2 +parked +transaction +rejected +refused +B-1 +EUR 12\.50 +\d+d/);
  });

  it('shows more columns by -o wide', async () => {
    const { stdout } = await run(['get', 'intents', '-o', 'wide'], list([sampleIntent()]));
    expect(stdout).toContain('loyalty.purchases/3@42');
  });

  const file = (...texts: readonly string[]): Script => {
    const left = [...texts];
    return { 'GET /intents/download': () => ({ body: left.shift() ?? '', headers: { 'content-type': 'text/csv' } }) };
  };

  it('has the server write a list as CSV, and says on standard error that there are more', async () => {
    const script = file('intent,store\na~b~1,"lis\u001bboa"\nnot all: the rest begins at cursor=abc\n');
    const { code, stdout, stderr } = await run(['get', 'intents', '-o', 'csv', '-q', 'store=lisboa'], script);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'intent,store\na~b~1,"lis\\u001bboa"\n' });
    expect(stderr).toMatch(/more than 50/);
    expect(api.requests.map(({ query }) => query)).toEqual([{ store: 'lisboa', format: 'csv', limit: '50' }]);
  });

  it('goes on where the server has ended, and has the names of the columns once', async () => {
    const script = file('intent\na\nnot all: the rest begins at cursor=abc\n', 'intent\nb\n');
    const { code, stdout, stderr } = await run(['get', 'intents', '-o', 'csv', '--limit', 'all'], script);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'intent\na\nb\n', stderr: '' });
    expect(api.requests.map(({ query }) => query['cursor'])).toEqual([undefined, 'abc']);
  });

  it('fails where a file is none, ends early or is asked of another list', async () => {
    expect(await run(['get', 'intents', '-o', 'csv'], file('intent\n'))).toMatchObject({ code: 3, stdout: 'intent\n' });
    const refusing: Script = { 'GET /intents/download': () => problem(503, 'too-many-downloads') };
    expect(await run(['get', 'intents', '-o', 'csv'], refusing)).toMatchObject({ code: 1, stdout: '' });
    const broken: Script = { 'GET /intents/download': () => null };
    expect(await run(['get', 'intents', '-o', 'csv'], broken)).toMatchObject({ code: 1 });
    expect(await run(['get', 'intents', '-o', 'csv', '--limit', '100001'], file(''))).toMatchObject({ code: 2 });
    expect(await run(['get', 'groups', '-o', 'csv'], file(''))).toMatchObject({ code: 2 });
  });

  it('goes through short and empty pages until it has as many as wanted, and says that there are more', async () => {
    const pages: Readonly<Record<string, { items: IntentView[]; nextCursor: string | null }>> = {
      '': { items: [], nextCursor: 'a' },
      a: { items: [sampleIntent({ id: '1' }), sampleIntent({ id: '2' })], nextCursor: 'b' },
      b: { items: [], nextCursor: 'c' },
      c: { items: [sampleIntent({ id: '3' })], nextCursor: 'd' },
    };
    const script: Script = { 'GET /intents': ({ query }) => ({ body: pages[query['cursor'] ?? ''] }) };
    const { code, stdout, stderr } = await run(['get', 'intents', '-o', 'name', '--limit', '3'], script);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1\n2\n3\n' });
    expect(stderr).toMatch(/more than 3/);
    expect(api.requests.map(({ query }) => query['limit'])).toEqual(['3', '3', '1', '1']);
  });

  it('ends at a cursor that does not move', async () => {
    const { code, stderr } = await run(['get', 'intents', '--limit', 'all'], list([], 'same'));
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'loyaltyd: the list of the server does not end\n' });
  });

  it.each([
    ['json', (text: string): unknown => JSON.parse(text) as unknown],
    ['yaml', (text: string): unknown => parse(text) as unknown],
  ])('writes %s that holds what the API answered, over several pages', async (format, read) => {
    const items = [sampleIntent({ id: '1', reason: 'bell \u0007 and \u009b31m' }), sampleIntent({ id: '2' })];
    const script: Script = {
      'GET /intents': ({ query }) =>
        query['cursor'] === 'b'
          ? { body: { items: items.slice(1), nextCursor: null } }
          : { body: { items: items.slice(0, 1), nextCursor: 'b' } },
    };
    const { stdout } = await run(['get', 'intents', '-o', format], script);
    expect(read(stdout)).toEqual({ items });
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it.each([
    ['json', '{\n  "items": []\n}\n'],
    ['jsonl', ''],
    ['yaml', 'items: []\n'],
    ['table', ''],
  ])('ends with 3 where nothing matches, and is still %s', async (format, stdout) => {
    const result = await run(['get', 'intents', '-o', format], list([]));
    expect(result).toEqual({ code: 3, stdout, stderr: 'loyaltyd: nothing matches\n' });
  });

  it('writes a line of JSON for each by jsonl', async () => {
    const { stdout } = await run(['get', 'intents', '-o', 'jsonl'], list([sampleIntent(), sampleIntent()]));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toHaveLength(2);
  });

  it('shows no terminal the escape sequences that data may hold', async () => {
    const evil = sampleIntent({ purchaseId: '\u001b]0;owned\u0007\u001b[2J', code: 'a\nb', reason: '\u202etxt' });
    const { stdout } = await run(['get', 'intents'], list([evil]), { isScreen: true });
    expect(stdout).toContain('\\u001b]0;owned\\u0007\\u001b[2J');
    expect(stdout).toContain('a\\nb');
    expect(stdout).toContain('\\u202etxt');
    expect(stripVTControlCharacters(stdout).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('asks the API for what is not older by --since', async () => {
    await run(['get', 'intents', '--since', '2026-11-20T10:00:00+01:00'], list([sampleIntent()]));
    expect(api.requests[0]?.query['from']).toBe('2026-11-20T09:00:00.000Z');
    const both = await run(['get', 'intents', '--since', '2h', '--query', `from=${longAgo}`], list([]));
    expect(both).toMatchObject({ code: 2, stdout: '' });
  });

  it('ends at the first that is older by --since where the API cannot tell', async () => {
    const record = (id: number, recordedAt: string): object => ({
      id,
      recordedAt,
      topic: 't',
      partition: 0,
      offset: id,
    });
    const items = [record(2, new Date().toISOString()), record(1, longAgo)];
    const script: Script = { 'GET /quarantine': () => ({ body: { items, nextCursor: 'x' } }) };
    const result = await run(['get', 'quarantine', '--since', '1h', '-o', 'name'], script);
    expect(result).toEqual({ code: 0, stdout: '2\n', stderr: '' });
    expect(api.requests).toHaveLength(1);
  });

  it('says of groups from where they came and what the partner says, without being asked for more', async () => {
    const group = (changes: object): object => ({
      ...{ query: {}, lastAt: longAgo, firstAt: longAgo, money: [], hours: [], intents: 45, members: 40 },
      ...{ status: 'parked', reason: 'rejected', code: 'refused', program: 'coffee-club', operation: 'transaction' },
      ...{ wording: 'campaign must be a string', common: { intents: 45, stores: [], sources: [] }, ...changes },
    });
    const stores = [{ name: 'hamburg', intents: 31 }];
    const several = [...stores, { name: 'berlin', intents: 10 }, { name: 'ulm', intents: 4 }];
    const items = [
      group({ common: { intents: 31, stores, sources: [] } }),
      group({ common: { intents: 45, stores: several, sources: [] } }),
      group({ common: { intents: 45, stores: [], sources: [{ name: '/pos/ulm', intents: 45 }] }, wording: null }),
    ];
    const { stdout } = await run(['get', 'groups'], { 'GET /groups': () => ({ body: { items } }) });
    const [head = '', ...rows] = stdout.split('\n');
    expect(head).toMatch(/WHERE +PARTNER SAYS/);
    expect(rows[0]).toMatch(/the newest 31 all of store hamburg +campaign must be a string$/);
    expect(rows[1]).toMatch(/hamburg 31, berlin 10, \.\.\. +campaign must be a string$/);
    expect(rows[2]).toMatch(/all of source \/pos\/ulm +-$/);
  });

  it('names groups by the query that shows them, which it takes again', async () => {
    const query = { status: 'parked', program: 'coffee "club"', operation: 'transaction' };
    const group = {
      query,
      lastAt: longAgo,
      firstAt: longAgo,
      money: [],
      hours: [],
      common: { stores: [], sources: [] },
    } as unknown as GroupView;
    const script: Script = { 'GET /groups': () => ({ body: { items: [group] } }), ...list([sampleIntent()]) };
    const { stdout } = await run(['get', 'groups', '-o', 'name'], script);
    expect(stdout).toBe('status=parked program="coffee \\"club\\"" operation=transaction\n');
    await run(['get', 'intents', '--query', stdout.trim()], script);
    expect(api.requests[0]?.query).toMatchObject(query);
  });

  it('shows members by name, and says who is missing', async () => {
    const member = { program: 'coffee-club', memberId: 'm/1', lane: { state: 'live', queued: 0 }, createdAt: longAgo };
    const script: Script = {
      'GET /members/coffee-club/m%2F1': () => ({ body: member }),
      'GET /members/coffee-club/x': () => problem(404, 'no-such-member'),
    };
    const some = await run(['get', 'members', 'coffee-club/m/1', 'coffee-club/x', '-o', 'name'], script);
    expect(some).toEqual({
      code: 4,
      stdout: 'coffee-club/m/1\n',
      stderr: 'loyaltyd: there is no member coffee-club/x\n',
    });
    expect(await run(['get', 'members', 'coffee-club/x'], script)).toMatchObject({ code: 3, stdout: '' });
    expect(await run(['get', 'members', 'm-1'], script)).toMatchObject({ code: 2 });
  });

  it('asks for the addresses of a card only by a word of its own, and with the reason', async () => {
    const body = {
      ...{ program: 'coffee-club', memberId: 'm-1' },
      ...{ downloadUrl: 'https://p/1', downloadUrlApple: null, downloadUrlGoogle: 'https://p/1/google' },
    };
    const asked: unknown[] = [];
    const script: Script = {
      'POST /members/coffee-club/m-1/card-links': (request) => {
        asked.push(request.body);
        return { body };
      },
    };
    const words = ['get', 'card-links', 'coffee-club/m-1'];
    expect(await run(words, script)).toMatchObject({ code: 2, stdout: '' });
    expect(asked).toEqual([]);
    const { code, stdout } = await run([...words, '--reason', 'she has lost it'], script);
    expect([code, asked]).toEqual([0, [{ reason: 'she has lost it' }]]);
    expect(stdout).toMatch(/^Card: +https:\/\/p\/1$/m);
    expect(stdout).toMatch(/^Google Wallet: +https:\/\/p\/1\/google$/m);
    expect(stdout).not.toContain('Apple');
    expect(JSON.parse((await run([...words, '--reason', 'lost', '-o', 'json'], script)).stdout)).toEqual(body);
  });

  it('shows the members of the newest intents where none is named, each once', async () => {
    const intents = ['a', 'b', 'a', 'c'].map((memberId) => sampleIntent({ memberId, program: 'p' }));
    const member = (memberId: string) => () => ({
      body: { program: 'p', memberId, lane: { state: 'live', queued: 0 }, createdAt: longAgo },
    });
    const script: Script = {
      ...list(intents),
      'GET /members/p/a': member('a'),
      'GET /members/p/b': member('b'),
    };
    const { code, stdout } = await run(['get', 'members', '--limit', '2', '-o', 'name'], script);
    expect([code, stdout]).toEqual([0, 'p/a\np/b\n']);
    expect(await run(['get', 'members'], list([]))).toMatchObject({ code: 3, stderr: 'loyaltyd: nothing matches\n' });
  });

  it('puts jobs of all kinds together, the newest first', async () => {
    const jobs = [sampleJob(), sampleJob({ kind: 'erase', id: 'e-1', createdAt: '2026-11-21T10:00:00.000Z' })];
    const script: Script = { 'GET /jobs': () => ({ body: { items: jobs.toReversed() } }) };
    const { stdout } = await run(['get', 'jobs', '-o', 'name'], script);
    expect(stdout).toBe('erase/e-1\nreconcile/j-1\n');
    await run(['get', 'jobs', '-q', 'kind=erase'], script);
    expect(api.requests.map(({ query }) => query)).toEqual([{ kind: 'erase' }]);
  });

  it('shows what a job found', async () => {
    const items = [{ kind: 'missing-there', memberId: 'm-1' }];
    const script: Script = { 'GET /jobs/r-1/lines': () => ({ body: { items, nextCursor: null } }) };
    const { stdout } = await run(['get', 'job-lines', 'reconcile/r-1', '-o', 'jsonl'], script);
    expect(stdout).toBe('{"kind":"missing-there","memberId":"m-1"}\n');
  });

  it('shows what came of the items of a replay, with their requests where that is wanted', async () => {
    const item = { intent: 'coffee-club~m-1~2', state: 'parked', forecast: 'will-post', overtaken: 0, sentAt: null };
    const script: Script = { 'GET /jobs/r-1/items': () => ({ body: { items: [item], nextCursor: null } }) };
    const words = ['get', 'job-items', 'replay/r-1', '-q', 'state=parked', '--requests', '-o', 'name'];
    expect(await run(words, script)).toMatchObject({ code: 0, stdout: 'coffee-club~m-1~2\n' });
    expect(api.requests[0]?.query).toEqual({ state: 'parked', requests: 'true', limit: '50' });
  });

  it('looks again and again by --watch, though the server is away for a while, until the reader goes', async () => {
    let looks = 0;
    const script: Script = {
      'GET /intents': () => {
        looks += 1;
        return looks === 2 ? problem(503, 'database-away') : { body: { items: [sampleIntent()], nextCursor: null } };
      },
    };
    const words = ['get', 'intents', '-o', 'name', '--watch=0.1'];
    const { code, stdout, stderr } = await run(words, script, { readsMax: 3 });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'coffee-club~m-1~2\n'.repeat(2) });
    expect(stderr).toContain('database-away');
  });

  it('stops watching where no look can help', async () => {
    const script: Script = { 'GET /intents': () => problem(401, 'unauthorized', 'The token is not known.') };
    expect(await run(['get', 'intents', '--watch'], script)).toMatchObject({ code: 5 });
  });

  it.each<[string[], RegExp]>([
    [['get', 'intents', '-q', 'colour=red'], /"colour" is none of status, operation, program, .*\bq\b/],
    [['get', 'intents', '-q', 'status=lost'], /status is one of waiting, pending/],
    [['get', 'intents', '-q', 'nonsense'], /key=value/],
    [['get', 'intents', '--limit', '0'], /--limit/],
    [['get', 'intents', '--since', 'yesterday'], /--since/],
    [['get', 'intents', '-o', 'xml'], /table, wide, json/],
    [['get', 'nonsense'], /unknown command/],
    [['get'], /Usage/],
  ])('refuses %j as wrong usage, before anything is asked', async (words, message) => {
    const { code, stdout, stderr } = await run(words, {});
    expect({ code, stdout, asked: api.requests.length }).toEqual({ code: 2, stdout: '', asked: 0 });
    expect(stderr).toMatch(message);
  });
});
