import { compileMap, MapError, type CompiledMap, type MapInput } from '#events';
import type { Chance } from '#shop';

import { jsonOf, joinHead, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

/** Bits of JSONata, taken or not, and helpers where they hurt. */
const mapWords: readonly string[] = [
  ...[
    '$minor(total, "EUR")',
    '$money(total, currency)',
    '$total(lines.price)',
    '$time(at, "Europe/Berlin")',
    '$time(at)',
  ],
  ...['$e164(phone, "DE")', '$stable("sale", id)', '$list(tags)', '$required(id, "id")', '$int(qty)', '$decimal(qty)'],
  ...['$compare(total, "5") > 0 ? "a" : "b"', '$now()', '$sum(lines.price)', '$eval("1")', '$record.headers.*', '$$'],
  ...[
    'function($x){ $x }',
    '$map(lines, function($x, $i){ $i })',
    '($f := function($x){ $f($x) }; $f(id))',
    '~> $uppercase()',
  ],
  ...[
    '$filter(lines, function($x){ $x.sku = "A" })',
    '$reduce(lines, function($a, $x){ $a & $x }, "a")',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    '$append($, $)',
    '$distinct(lines)',
    '$replace(id, /\\d+/, "$0")',
    '$match(id, /(a|b)*c/)',
    '/(a+)+$/',
    '$keys($)',
    '*',
  ],
  ...[
    '**',
    '%',
    '@$i',
    '#$i',
    '^(price)',
    '??',
    '?:',
    ' and ',
    ' in ',
    '=',
    '.',
    ' & ',
    '[0]',
    '[-1]',
    '[]',
    '(',
    ')',
    ';',
    ':=',
  ],
];

const documentWords: readonly string[] = [
  ...[
    'id',
    'total',
    'currency',
    'lines',
    'price',
    'qty',
    'sku',
    'at',
    'phone',
    'tags',
    'customer',
    '59.99',
    'EUR',
    '-0',
  ],
  ...['1e400', '9007199254740993', '0151 2345678', '2026-03-29 02:30:00', '1763716504123'],
];

const sale = `{
  "id": $stable("sale", id), "source": "/shop", "type": "loyalty.purchase.completed.v1", "time": $time(at, "Europe/Berlin"),
  "data": {
    "program": "main", "memberId": customer.id, "purchaseId": id, "total": $money(total, currency),
    "lines": lines.{"sku": sku, "quantity": $int(qty), "net": $minor(price, $$.currency)},
    "attributes": { "tags": $list(tags), "first": lines[0].sku, "count": $count(lines) + 1 }
  }
}`;
const exchange =
  '[returns.{"id": "r" & id}, ($all := lines[sku = "A"]; $all ~> $map(function($x, $i){ {"id": $x.sku & $i} }))]';
const document = {
  ...{ id: '1001', at: '2026-11-21 10:15:04', customer: { id: '7' }, total: '59.99', currency: 'EUR', tags: ['a'] },
  ...{ lines: [{ sku: 'A', qty: '1', price: '59.99' }], returns: [{ id: '1' }], phone: '0151 2345678', note: planted },
};

function compiled(text: string): CompiledMap | string {
  try {
    return compileMap(text);
  } catch (error) {
    if (!(error instanceof MapError)) throw error;
    mustHold(error.rule !== '' && error.line >= 1 && error.column >= 1, 'refused without a place or a reason');
    return `refused ${error.rule.slice(0, 40)}`;
  }
}

function mustBeEvents(events: readonly object[]): void {
  mustHold(events.length <= 50, 'too many events');
  const text = JSON.stringify(events, (_, value: unknown) => {
    mustHold(typeof value !== 'number' || Number.isFinite(value), 'a number that is none', String(value));
    mustHold(typeof value !== 'function' && value !== undefined, 'an event holds what is no value');
    return value;
  });
  mustHold(Buffer.byteLength(text) < 4 * 1024 * 1024, 'events that are too large');
}

async function judge(input: Buffer): Promise<string> {
  const parts = splitHead(input);
  if (parts === null) return 'cut short';
  const text = parts.body.toString();
  const map = compiled(text);
  if (typeof map === 'string') return map;
  const record = { topic: 'shop.orders', key: '7', headers: { shop: planted }, timestamp: '2026-11-21T10:15:04.000Z' };
  const given: MapInput = { document: parts.head as MapInput['document'], record };
  const before = JSON.stringify(given);
  const result = await map.map(given);
  mustHold(JSON.stringify(given) === before, 'a map has changed its document');
  mustHold(
    JSON.stringify(await map.map(given)) === JSON.stringify(result),
    'a map means another thing the second time',
  );
  if (result.kind === 'events') {
    mustBeEvents(result.events);
    return `events ${['none', 'one'][result.events.length] ?? 'several'}`;
  }
  mustHold(result.path !== '' && result.rule !== '', 'refused without a path or a rule');
  const shown = `${result.path}: ${result.rule}`;
  // What the map itself says may be shown: only the record's values may not.
  mustHold(text.includes(planted) || !shown.includes(planted), 'a refusal quotes a value', shown);
  return `record refused ${result.rule.slice(0, 60)}`;
}

/** Maps and documents, both broken: refused with a place and a rule, or the same events each time, within their limits. */
export function sourceMapTarget(): FuzzTarget {
  const make = (chance: Chance, pool: readonly Buffer[]): Buffer => {
    const { head, body } = splitHead(chance.pick(pool)) ?? { head: document, body: Buffer.from(sale) };
    const changed = chance.happens(0.5) ? mutateJson(head, chance, [...documentWords, planted]) : head;
    const texts = pool.map((each) => splitHead(each)?.body ?? each);
    const map = chance.happens(0.7) ? mutateBytes(body, chance, mapWords, texts) : body;
    return joinHead(jsonOf(JSON.stringify(exact(changed))) ?? document, map);
  };
  const samples = [sale, exchange, 'orders.{"id": id}', ...mapWords].map((text) =>
    joinHead(document, Buffer.from(text)),
  );
  return { name: 'source-map', samples, make, judge };
}

/** As formats read it: each number is its text. */
function exact(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'number' ? String(each) : each)),
  ) as unknown;
}
