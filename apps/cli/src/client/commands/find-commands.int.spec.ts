import type { SearchHit } from '#contracts';

import type { FakeApi, FakeTerminalOptions, Run, Script } from '../testing/fake-api.js';
import { runAgainst, startFakeApi } from '../testing/fake-api.js';

const record: SearchHit = {
  ...{ kind: 'record', id: 2, state: 'open', reason: 'unknown-program', detail: 'data.program: unknown' },
  ...{ program: null, recordedAt: '2026-11-21T09:00:00.000Z' },
};
const member: SearchHit = { kind: 'member', program: 'tea', memberId: 'm-1', isErased: false };
const store: SearchHit = { kind: 'store', store: 'lisboa-colombo', intents: 12 };

describe('loyaltyd find', () => {
  let api: FakeApi;

  beforeAll(async () => {
    api = await startFakeApi();
  });

  afterAll(() => api.close());

  const found = (...hits: readonly SearchHit[]): Script => ({
    'GET /search': () => ({
      body: { groups: hits.map((hit) => ({ kind: hit.kind, items: [hit], hasMore: hit.kind === 'store' })) },
    }),
    'GET /quarantine/2': () => ({
      body: {
        ...{
          ...record,
          partition: 1,
          offset: 1,
          topic: 't',
          lastOffset: null,
          bytes: 3,
          producedAt: record.recordedAt,
        },
        ...{ source: '/till-3', store: null, amount: { minor: 1950, currency: 'EUR', digits: 2 }, settled: null },
        ...{ key: 'm-1', headers: '{}', value: '{}', isReadable: true, encoding: 'text', corrected: null },
      },
    }),
  });

  const run = (words: readonly string[], script: Script, options: FakeTerminalOptions = {}): Promise<Run> =>
    runAgainst(api, words, { script, ...options });

  it('lists what was found by kind, and says where there is more', async () => {
    const { code, stdout, stderr } = await run(['find', 'lis'], found(member, store));
    expect(code).toBe(0);
    expect(api.requests).toMatchObject([{ query: { q: 'lis', limit: '8' } }]);
    expect(stdout.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'KIND | NAME | ABOUT',
      'member | tea/m-1 | -',
      'store | lisboa-colombo | 12 of the latest intents',
      '',
    ]);
    expect(stderr).toContain('there are more of store');
  });

  it('describes the only one at once: a receipt in quarantine takes one command', async () => {
    const { code, stdout } = await run(['find', 'R5-T-1'], found(record));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Quarantine: +2\n/);
    expect(stdout).toContain('data.program: unknown');
    expect(stdout).toMatch(/Source: +\/till-3/);
    expect(stdout).toMatch(/Amount: +EUR 19\.50/);
  });

  it.each([
    ['name', '2\n'],
    ['jsonl', `${JSON.stringify(record)}\n`],
  ])('writes the only one as %s where that is asked for', async (format, expected) => {
    const { stdout } = await run(['find', 'R5-T-1', '-o', format], found(record));
    expect(stdout).toBe(expected);
  });

  it('says that nothing was found', async () => {
    const { code, stdout, stderr } = await run(['find', 'nothing'], found());
    expect({ code, stdout, stderr }).toEqual({
      ...{ code: 3, stdout: '', stderr: 'loyaltyd: nothing is called nothing, or begins so\n' },
    });
  });

  it('names the causes of what is set aside, each with the query that finds its records', async () => {
    const cause = {
      ...{ reason: 'invalid', cause: 'data.total.minor: expected number', detail: 'data.total.minor: expected number' },
      ...{ records: 30, newest: 597, firstAt: record.recordedAt, lastAt: record.recordedAt, stores: [], hours: [] },
      money: [{ minor: 58_500, currency: 'EUR', digits: 2 }],
      sources: [{ name: '/pos/graz/till-3', records: 30 }],
    };
    const script: Script = { 'GET /quarantine/causes': () => ({ body: { isExact: true, items: [cause] } }) };
    const { stdout } = await run(['get', 'causes'], script);
    expect(stdout.split('\n')[1]).toMatch(
      /^ +30 +EUR 585\.00 +invalid +\/pos\/graz\/till-3 30 .*data\.total\.minor: expected number/,
    );
    const names = await run(['get', 'causes', '-o', 'name'], script);
    expect(names.stdout).toBe('reason=invalid cause="data.total.minor: expected number"\n');
  });
});
