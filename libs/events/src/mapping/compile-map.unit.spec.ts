import { compileKey, compileMap } from './compile-map.js';
import type { ExactDocument } from '../formats/source-format.js';
import type { MapResult } from './compiled-map.js';
import { readMap } from './read-map.js';
import { Frame, MapRun } from './run-map.js';

const record = {
  ...{ topic: 'shop.orders', key: '7', headers: { 'x-shop': 'berlin' } },
  timestamp: '2026-11-21T10:15:04.000Z',
};

function mapped(text: string, document: ExactDocument = {}): Promise<MapResult> {
  return compileMap(text).map({ document, record });
}

async function events(text: string, document: ExactDocument = {}): Promise<unknown> {
  const result = await mapped(text, document);
  return result.kind === 'events' ? result.events : result;
}

const saleOf = `{
  "id": $stable("sale", id), "source": "/shop", "type": "loyalty.purchase.completed.v1", "time": $time(at, "Europe/Berlin"),
  "data": {
    "program": "main", "memberId": customer, "purchaseId": id, "total": $money(total, currency),
    "lines": lines.{"sku": sku, "quantity": $int(qty), "net": $money(price, $$.currency)}
  }
}`;

function sale(count: number): ExactDocument {
  const lines = Array.from({ length: count }, (_, at) => ({ sku: `S${at}`, qty: '1', price: '19.99' }));
  return { id: '1001', at: '2026-11-21 10:15:04', customer: '7', total: '59.99', currency: 'EUR', lines };
}

describe('a map', () => {
  it('makes an event of a document, amounts as exact integers', async () => {
    expect(await events(saleOf, sale(2))).toEqual([
      {
        ...{ specversion: '1.0', id: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown, source: '/shop' },
        ...{ type: 'loyalty.purchase.completed.v1', time: '2026-11-21T10:15:04+01:00' },
        data: {
          ...{ program: 'main', memberId: '7', purchaseId: '1001', total: { minor: 5999, currency: 'EUR', digits: 2 } },
          lines: [
            { sku: 'S0', quantity: 1, net: { minor: 1999, currency: 'EUR', digits: 2 } },
            { sku: 'S1', quantity: 1, net: { minor: 1999, currency: 'EUR', digits: 2 } },
          ],
        },
      },
    ]);
  });

  it('makes several events of one document, in its order, and none', async () => {
    const text = '[returned.{"id": "r-" & id}, sold.{"id": "s-" & id}]';
    expect(await events(text, { returned: [{ id: '1' }, { id: '2' }], sold: { id: '3' } })).toEqual([
      { specversion: '1.0', id: 'r-1' },
      { specversion: '1.0', id: 'r-2' },
      { specversion: '1.0', id: 's-3' },
    ]);
    expect(await events(text)).toEqual([]);
    expect(await events('test = true ? [] : {"id": id}', { test: true })).toEqual([]);
    expect(await events('test != true ? {"id": id}', { test: true })).toEqual([]);
  });

  it('knows its record by $record', async () => {
    expect(
      await events('{"id": $record.topic & $record.key & $record.headers."x-shop", "time": $record.timestamp}'),
    ).toEqual([{ specversion: '1.0', id: 'shop.orders7berlin', time: '2026-11-21T10:15:04.000Z' }]);
  });

  it('is applied to a document that is a list', async () => {
    expect(await events('$.{"id": id}', [{ id: '1' }, { id: '2' }])).toHaveLength(2);
    expect(await events('{"id": $join($.id, "-")}', [{ id: '1' }])).toEqual([{ specversion: '1.0', id: '1' }]);
  });

  it('means the same at each reading, and leaves the document as it was', async () => {
    const document = sale(3);
    const before = structuredClone(document);
    const map = compileMap(saleOf);
    const said = await Promise.all(Array.from({ length: 5 }, () => map.map({ document, record })));
    for (const each of said) expect(each).toEqual(said[0]);
    expect(document).toEqual(before);
    expect(await compileMap(saleOf).map({ document: before, record })).toEqual(said[0]);
  });

  it('takes fields whose names mean something to JavaScript as fields', async () => {
    const document = JSON.parse('{"__proto__": "p", "constructor": "c", "sequence": "s"}') as ExactDocument;
    const [event] = (await events(
      '{"__proto__": `__proto__`, "id": constructor, "x": sequence, "y": toString}',
      document,
    )) as object[];
    expect(Object.entries(event ?? {})).toEqual([
      ...[
        ['specversion', '1.0'],
        ['__proto__', 'p'],
      ],
      ...[
        ['id', 'c'],
        ['x', 's'],
      ],
    ]);
  });
});

describe('a list', () => {
  it.each([0, 1, 2])('of an event stays one with %d in it', async (count) => {
    const [event] = (await events(saleOf, sale(count))) as { data: { lines?: unknown[] } }[];
    if (count === 0) expect(event?.data).not.toHaveProperty('lines');
    else expect(event?.data.lines).toHaveLength(count);
  });

  it.each([
    ['loyalty.member.updated.v1', 'changed'],
    ['com.acme.loyalty.member.merged.v1', 'absorbed'],
  ])('of %s stays one by what the event is: %s', async (type, field) => {
    const text = `{"type": "${type}", "data": {"memberId": id, "${field}": of.name}}`;
    expect(await events(text, { id: '7', of: [{ name: 'tier' }] })).toEqual([
      { specversion: '1.0', type, data: { memberId: '7', [field]: ['tier'] } },
    ]);
  });

  it.each([
    ['$list(tags.name)', [], ['a'], ['a', 'b']],
    ['[tags.name]', [], ['a'], ['a', 'b']],
    ['tags.name[]', undefined, ['a'], ['a', 'b']],
  ])('that only the map knows of is one by %s', async (text, none, one, two) => {
    const of = async (...names: string[]): Promise<unknown> => {
      const [event] = (await events(`{"data": {"tags": ${text}}}`, { tags: names.map((name) => ({ name })) })) as {
        data: { tags?: unknown };
      }[];
      return event?.data.tags;
    };
    expect([await of(), await of('a'), await of('a', 'b')]).toEqual([none, one, two]);
  });

  it('of one event is a list of events', async () => {
    expect(await events('orders.{"id": id}', { orders: [{ id: '1' }] })).toEqual([{ specversion: '1.0', id: '1' }]);
  });
});

describe('what a map refuses', () => {
  it.each([
    ['{"data": {"total": {"minor": $minor(total, "EUR")}}}', 'events[0].data.total.minor'],
    ['[{"id": "1"}, {"data": {"total": $minor(total, "EUR")}}]', 'events[1].data.total'],
    ['[a.{"id": "x"}, {"total": $minor(total, "EUR")}]', 'events[2].total'],
    ['{"data": {"lines": lines.{"net": $minor(price, "EUR")}}}', 'events[0].data.lines[1].net'],
    ['{"data": {"lines": [lines.{"net": $minor(price, "EUR")}]}}', 'events[0].data.lines[1].net'],
    [
      '{"data": {"lines": $map(lines, function($x){ {"net": $minor($x.price, "EUR")} })}}',
      'events[0].data.lines[1].net',
    ],
    ['($sum := $minor(total, "EUR"); {"total": $sum})', '$sum'],
    ['($sum := {"of": {"all": $minor(total, "EUR")}}; {"total": $sum})', '$sum.of.all'],
    ['lines.{"id": $minor(price, "EUR")}', 'events[1].id'],
  ])('is told by its place in what the map makes: %s', async (text, path) => {
    const document = {
      total: 'secret',
      a: [{}, {}],
      lines: [{ price: '1.00' }, { price: 'secret' }, { price: '2.00' }],
    };
    expect(await mapped(text, document)).toEqual({
      kind: 'refused',
      path,
      rule: '$minor takes a decimal number such as 59.99',
    });
  });

  it.each([
    ['{"id": $required(order.id, "order.id")}', 'events[0].id', 'the record has no order.id'],
    ['$error("no order")', 'events', 'no order'],
    ['($assert(kind = "order", "is no order"); {"id": id})', 'events', 'is no order'],
    ['{"id": $uppercase(names)}', 'events[0].id', '$uppercase takes text, and this is a list'],
    ['{"id": "a" & names}', 'events[0].id', 'only text can be joined, and this is a list'],
    ['{"id": {kind: $minor(id, "EUR")}}', 'events[0].id.*', '$minor takes a decimal number such as 59.99'],
    ['{"id": {kind: $uppercase}}', 'events[0].id.*', 'is a function or a pattern, no value'],
    ['names', 'events[0]', 'must be an object: attributes of a CloudEvent, and data'],
    ['{"id": $uppercase}', 'events[0].id', 'is a function or a pattern, no value'],
    ['{$.names: "x"}', 'events', 'a name in an object is text'],
    ['{"id": ($f := id; $f())}', 'events[0].id', 'what is called is no function'],
    ['{"id": $single(names, function($n){ $n != "x" })}', 'events[0].id', '$single finds more than one'],
  ])('holds no value: %s', async (text, path, rule) => {
    expect(await mapped(text, { names: ['secret', 'secret too'], kind: 'secret', id: 'secret' })).toEqual({
      kind: 'refused',
      path,
      rule,
    });
  });
});

describe('the limits of a map', () => {
  it.each([
    ['($f := function($x){ $f($x) }; {"id": $f("a")})', 'events[0].id', 'calls itself deeper than 300'],
    [
      '($f := function($x){ [$x, $x] ~> $map($f) }; $f("a"))',
      `events${'[0]'.repeat(16)}...`,
      'calls itself deeper than 300',
    ],
    [
      '($f := function($x){ $map([$x, $x], $f) }; $f("a"))',
      `events${'[0]'.repeat(16)}...`,
      'calls itself deeper than 300',
    ],
    [
      '{"id": $reduce(items, function($text){ $text & $text }, "aaaa")}',
      'events[0].id',
      'makes a text of more than 262144 characters',
    ],
    ['{"id": $pad("a", 300000)}', 'events[0].id', 'makes a text of more than 262144 characters'],
    ['{"id": $pad("a", 99999999)}', 'events[0].id', 'takes more than 1000000 steps'],
    [
      '{"id": $reduce(items, function($all){ $append($all, $all) }, items)}',
      'events[0].id',
      'takes more than 1000000 steps',
    ],
    ['{"id": $count($$.items.($$.items.($$.items.($$.items))))}', 'events[0].id', 'takes more than 1000000 steps'],
    ['{"id": $replace(long, /a/, "b")}', 'events[0].id', 'a pattern meets a text longer than 1000 characters'],
    ['{"id": $reduce(items, function($all){ [[[$all]]] }, "a")}', 'events[0].id.deep', 'nests deeper than 64'],
    [
      '{"id": $map(items, function(){ long })}',
      'events[0].id.large',
      'the events of a record hold more than 1048576 bytes',
    ],
    ['items.{"id": $}', 'events', 'are more than 50'],
  ])('end it by count, on any machine: %s', async (text, path, rule) => {
    const items = Array.from({ length: rule.includes('bytes') ? 600 : 60 }, (_, at) => String(at));
    const result = await mapped(text, { items, long: 'a'.repeat(2_000) });
    expect(result).toMatchObject({ kind: 'refused', rule });
    const [, below] = /^(.*)\.(?:deep|large)$/.exec(path) ?? [];
    if (below === undefined) expect(result).toMatchObject({ path });
    else {
      expect(result).toMatchObject({ path: expect.stringMatching(`^${below.replace(/[[\]]/g, '\\$&')}`) as unknown });
    }
  });

  it('are far above what an order takes: its steps grow with its lines', () => {
    const steps = (count: number): number => {
      const run = new MapRun(sale(count) as never);
      run.evaluateMap(readMap(saleOf), new Frame(null));
      return run.stepsTaken;
    };
    const [one, two, many] = [steps(1), steps(2), steps(5_000)];
    expect(many).toBe(one + 4_999 * (two - one));
    expect(many).toBeLessThan(500_000);
  });
});

describe('the key of a record', () => {
  it.each([
    ['customer.id', { customer: { id: '7' } }, { kind: 'key', key: '7' }],
    ['customer.id ?? receipt', { receipt: 'R1' }, { kind: 'key', key: 'R1' }],
    ['customer.id', {}, { kind: 'absent' }],
    ['customer.id', { customer: { id: '' } }, { kind: 'absent' }],
    ['customer.id', { customer: { id: null } }, { kind: 'absent' }],
    ['customers.id', { customers: [{ id: '7' }, { id: '8' }] }, { kind: 'refused', path: 'key', rule: 'must be text' }],
    ['$required(id, "id")', {}, { kind: 'refused', path: 'key', rule: 'the record has no id' }],
  ] as const)('%s of %j', (text, document, expected) => {
    expect(compileKey(text).read({ document, record })).toEqual(expected);
  });
});
