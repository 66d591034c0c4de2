import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { startEmbeddedBroker } from '#embedded';
import { kafkaClient } from '#test-support';

import type { LintOptions } from '../options.js';
import { fakeStreams } from '../testing/fixtures.js';
import { runLint } from './run-lint.js';

const programs = `
programs:
  club:
    brandId: 7
    programId: 70
    currency: EUR
    purchases:
      completed: { transactionTypeId: 31, attributes: { receipt: purchaseId } }
  other: { brandId: 7, programId: 71 }
`;
const sources = `
orders:
  topics: [shop.orders]
  format: json
  types: [loyalty.purchase.completed.v1, loyalty.member.enrolled.v1]
  programs: [club]
  map: |
    status = "paid" ? [
      $exists(joined) ? {
        "type": "loyalty.member.enrolled.v1", "id": "j" & id, "source": "/shop", "time": $time(at),
        "data": { "program": program, "memberId": customer }
      },
      {
        "type": "loyalty.purchase.completed.v1", "id": id, "source": "/shop", "time": $time(at),
        "data": { "program": program, "memberId": customer, "purchaseId": id, "total": $money(total, "EUR") }
      }
    ] : []
`;
const at = '2026-11-21T10:00:00Z';
const order = { id: 17, status: 'paid', program: 'club', customer: 4711, total: 60, at };

interface Report {
  readonly samples: readonly Readonly<Record<string, unknown>>[];
  readonly summary: Readonly<Record<string, unknown>>;
}

describe('lint of the records of a source', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-lint-'));
    await writeFile(join(folder, 'loyaltyd.yaml'), programs);
    await writeFile(join(folder, 'sources.yaml'), sources);
  });

  afterEach(() => rm(folder, { recursive: true }));

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };

  const lint = async (changed: Partial<LintOptions> = {}) => {
    const streams = fakeStreams();
    const options: LintOptions = {
      files: [join(folder, 'samples')],
      ...{ topic: null, last: 10, brokers: null, programs: null, sources: join(folder, 'sources.yaml'), source: null },
      ...{ dialect: null, output: 'json', strict: false, quiet: false, update: false, now: '2026-11-21T12:00:00Z' },
      ...changed,
    };
    const code = await runLint(options, streams);
    const { text } = streams.stdout;
    return { code, text, errors: streams.stderr.text, report: () => JSON.parse(text) as Report };
  };

  it('shows the events that the map makes, the intents, and the calls that they cause', async () => {
    await write('samples/orders/a.json', JSON.stringify({ ...order, joined: true }));
    const { code, report } = await lint();
    expect(code).toBe(0);
    expect(report().samples).toMatchObject([
      {
        verdict: 'accepted',
        source: 'orders',
        causes: ['issue', 'transaction'],
        events: [
          { type: 'loyalty.member.enrolled.v1', event: { id: 'j17', data: { memberId: '4711' } } },
          { type: 'loyalty.purchase.completed.v1', event: { data: { total: { minor: 6000 } } } },
        ],
        calls: [
          { method: 'POST', path: '/7/programs/70/issue-wallet' },
          {
            method: 'POST',
            path: '/7/programs/70/transaction-types/31/transactions?unique_id=4711',
            body: { amount: 60, attributes: { receipt: '17' } },
          },
        ],
      },
    ]);
    const table = await lint({ output: 'table' });
    expect(table.text).toMatch(/a\.json:1 +accepted +several -> issue, transaction\n +event +\{.*\n +call +POST /);
  });

  it.each([
    ['what the map refuses', { total: '59.999' }, 'refused invalid', /^map: events\[0\]\.data\.total: \$money/],
    ['what is no event', { customer: 'a b'.repeat(200) }, 'refused invalid', /^data\.memberId: /],
    ['what the source may not say', { program: 'other' }, 'refused not-allowed', /^data\.program: source orders/],
    ['what it makes nothing of', { status: 'open' }, 'ignored unmapped', /^null$/],
  ])('tells %s by path and rule', async (_what, changed, outcome, detail) => {
    await write('samples/orders/a.json', JSON.stringify({ ...order, ...changed }));
    const { code, report } = await lint();
    const [sample = {}] = report().samples;
    expect(code).toBe(sample['verdict'] === 'refused' ? 4 : 0);
    expect(`${String(sample['verdict'])} ${String(sample['reason'])}`).toBe(outcome);
    expect(String(sample['detail'])).toMatch(detail);
  });

  it('refuses a record as a whole for one of its events, and says which', async () => {
    await write('samples/orders/a.json', JSON.stringify({ ...order, joined: true, id: 'x'.repeat(300) }));
    const { report } = await lint();
    expect(report().samples).toMatchObject([{ verdict: 'refused', causes: [] }]);
    expect(String(report().samples[0]?.['detail'])).toMatch(/^event [12] of 2: /);
  });

  it.each(['shopify', 'till', 'outbox', 'square', 'adyen', 'commercetools'])(
    'judges the samples of the ready map for %s as their names say',
    async (name) => {
      const of = (path: string): string => join('deploy/maps', name, path);
      const { samples } = (
        await lint({
          files: [of('samples')],
          sources: of('sources.yaml'),
          programs: 'deploy/compose/loyaltyd.yaml',
          now: '2026-12-01T00:00:00Z',
        })
      ).report();
      // The others are events of ours, some of another currency than the program's, or of nobody.
      const ofProgram = "data.total.currency: not the program's currency";
      const wrong = samples.filter(({ file, verdict, detail }) => {
        const said = /^(refused|ignored)-/.exec(basename(String(file)))?.[1];
        return said === undefined ? verdict === 'refused' && detail !== ofProgram : verdict !== said;
      });
      expect(wrong).toEqual([]);
      expect(samples.flatMap(({ calls }) => calls ?? [])).not.toContainEqual(
        expect.objectContaining({ problems: [expect.stringContaining('uniqueId')] }),
      );
    },
  );

  it('keeps what came of a sample beside it, and from then on something else is a failure', async () => {
    await write('samples/orders/a.json', JSON.stringify(order));
    expect(await lint({ update: true })).toMatchObject({ code: 0 });
    const golden = join(folder, 'samples/orders/a.json.golden.json');
    expect(JSON.parse(await readFile(golden, 'utf8'))).toMatchObject([{ verdict: 'accepted', source: 'orders' }]);
    expect(await lint()).toMatchObject({ code: 0, errors: '' });
    await write('samples/orders/a.json', JSON.stringify({ ...order, total: 61 }));
    const changed = await lint();
    expect(changed).toMatchObject({ code: 4 });
    expect(changed.errors).toMatch(/a\.json: something else came of it .*--update/);
    expect(await lint({ update: true })).toMatchObject({ code: 0 });
    expect(await lint()).toMatchObject({ code: 0 });
  });

  it('knows a record of a source by its topic, its folder or --source; others are events of ours', async () => {
    const line = JSON.stringify({ topic: 'shop.orders', key: '4711', value: order });
    await write('samples/x.jsonl', `${line}\n`);
    await write('samples/b.json', JSON.stringify(order));
    const [b, x] = (await lint()).report().samples;
    expect([b, x]).toMatchObject([
      { verdict: 'refused', reason: 'unreadable' },
      { source: 'orders', verdict: 'accepted' },
    ]);
    const named = await lint({ source: 'orders', files: [join(folder, 'samples/b.json')] });
    expect(named.report().samples).toMatchObject([{ source: 'orders', verdict: 'accepted' }]);
    expect(await lint({ source: 'nobody' })).toMatchObject({ code: 2 });
  });

  it('reads a topic of it, and prints how often each thing happened', async () => {
    const broker = await startEmbeddedBroker({ topics: ['shop.orders'] });
    try {
      const producer = kafkaClient(broker).producer();
      await producer.connect();
      const values = [order, { ...order, id: 18 }, { ...order, total: 'x' }, { ...order, status: 'open' }];
      const messages = values.map((value) => ({ key: '4711', value: JSON.stringify(value), partition: 0 }));
      await producer.send({ topic: 'shop.orders', messages });
      await producer.disconnect();
      const { code, text } = await lint({
        ...{ files: [], topic: 'shop.orders', brokers: broker.brokers, output: 'table', quiet: true },
      });
      expect(code).toBe(4);
      const scores = text.split('\n').slice(-5);
      expect(scores).toEqual([
        '       2  accepted  loyalty.purchase.completed.v1 -> transaction',
        expect.stringMatching(/^ {7}1 {2}refused {3}invalid +map: events\[0\]\.data\.total/),
        '       1  ignored   unmapped',
        '4 samples: 2 accepted, 1 ignored, 1 refused; 0 warnings',
        '',
      ]);
    } finally {
      await broker.stop();
    }
  });
});
