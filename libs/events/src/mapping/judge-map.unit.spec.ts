import { compileMap } from './compile-map.js';
import { MapError } from './map-error.js';

/** What is said of a map that is not taken: `line 1, column 3: rule`. */
function refusal(text: string): string {
  try {
    compileMap(text);
  } catch (error) {
    if (error instanceof MapError) return error.message;
    throw error;
  }
  return 'taken';
}

describe('a map that says something else at another reading', () => {
  it.each(['now', 'millis', 'random', 'shuffle', 'eval'])('is refused when it is loaded: $%s', (name) => {
    const why = new RegExp(`^line 1, column \\d+: \\$${name} (?:says something else|is not taken)`);
    for (const text of [`$${name}()`, `{"id": $${name}("1")}`, `$map(items, $${name})`, `($f := $${name}; $f())`]) {
      expect(refusal(text)).toMatch(why);
    }
  });
});

describe('a number of a record', () => {
  it.each([
    ['total + 1', 'computes with counts'],
    ['qty * price', 'computes with counts'],
    ['-total', 'computes with counts'],
    ['total / $count(items)', 'computes with counts'],
    ['($x := total; $x % 2)', 'computes with counts'],
    ['(function($x){ $x - 1 })(total)', 'computes with counts'],
    ['$map(items, function($x){ $x + 1 })', 'computes with counts'],
    ['$int(total) + 1', 'computes with counts'],
    ['$sum(items.price)', '$sum computes in floats: use $total(list)'],
    ['$average(items.price)', '$average computes in floats'],
    ['$max(items.price)', '$max computes in floats'],
    ['$number(total)', '$number makes floats: use $int, $decimal or $minor'],
    ['$round(total)', '$round computes in floats'],
    ['$floor(total)', '$floor computes in floats'],
    ['$abs(total)', '$abs computes in floats'],
    ['$power(total, 2)', '$power computes in floats'],
    ['$formatNumber(total, "0.00")', '$formatNumber writes floats'],
    ['$parseInteger(total, "0")', '$parseInteger makes floats'],
    ['total ~> $sum()', '$sum computes in floats'],
  ])('is computed with by helpers only: %s', (text, rule) => {
    expect(refusal(text)).toContain(rule);
  });

  it.each([
    'total > 5',
    'total >= "5"',
    'a < b',
    'items[price > 5]',
    '$filter(items, function($x){ $x.price <= 5 })',
    '(function($x){ $x > 5 })("6")',
  ])('is not compared by its text: %s', (text) => {
    expect(refusal(text)).toMatch(/compares counts and numbers only.*Use \$compare|numbers are not passed/);
  });

  it.each([
    'total = 5',
    '5 != total',
    'total in [1, 2]',
    '5 in items',
    'items[id = 7]',
    '($five := 5; total = $five)',
    '($sum := 5; total = $sum)',
    '[total] = [5]',
  ])('is not equal to one of the map, which would always be false: %s', (text) => {
    expect(refusal(text)).toContain('numbers of a record are text: write "5"');
  });

  it.each([
    'total ? "a" : "b"',
    'total and true',
    'false or total',
    'items[qty]',
    'qty ?: 1',
    '$not(qty)',
    '$assert(qty, "has a quantity")',
    '$filter(items, function($x){ $x.qty })',
    '($f := function($x){ $x.qty }; $filter(items, $f))',
    '$boolean(qty)',
  ])('is not true or false, of which "0" would be true: %s', (text) => {
    expect(refusal(text)).toMatch(/must be true or false|\$boolean is not taken: say what is meant/);
  });

  it.each(['items^(price)', 'items^(>price, <name)', '$sort(items)'])('does not order: %s', (text) => {
    expect(refusal(text)).toMatch(/numbers of a record are text, and lists keep their order/);
  });

  it('is told from a count even where it comes by a value: the record is refused', async () => {
    const map = compileMap('{"id": ({"five": 5}).five = qty ? "a" : "b"}');
    const record = { topic: 't', key: null, headers: {}, timestamp: '' };
    expect(await map.map({ document: { qty: '5' }, record })).toEqual({
      ...{ kind: 'refused', path: 'events[0].id' },
      rule: 'a number is compared with text: numbers of a record are text',
    });
  });
});

describe('counts and numbers of the map', () => {
  it.each([
    '$count(items) + 1',
    '-$length(name)',
    '$count(items) > 1 ? "many" : "few"',
    '$map(items, function($x, $i){ $x.id & "-" & ($i + 1) })',
    '$reduce(items, function($sum, $x, $i){ $i > 1 ? $sum : $x })',
    '($n := $count(items); $n - 1)',
    'items[0]',
    'items[-1].id',
    'items[[0, 1]]',
    'items[$count(items) - 1]',
    '$compare(total, "5") > 0 ? "a" : "b"',
    '$int(total) = 5',
    '{"quantity": 1, "digits": 2}',
    '$substring(name, 0, 3)',
  ])('are computed with: %s', (text) => {
    expect(refusal(text)).toBe('taken');
  });

  it.each([
    'qty = "5"',
    'kind in ["a", "b"]',
    'test = true',
    'a = b',
    '$exists(x) and not_test != true',
    'items[sku = "A"]',
  ])('texts are equal to texts: %s', (text) => {
    expect(refusal(text)).toBe('taken');
  });
});

describe('a name', () => {
  it.each([
    ['$nothing', 'line 1, column 1: $nothing is bound by nothing before'],
    ['$nothing()', 'line 1, column 1: $nothing is bound by nothing before'],
    ['(\n  $a;\n  $a := 1\n)', 'line 2, column 3: $a is bound by nothing before'],
    ['(($a := 1); $a)', '$a is bound by nothing before'],
    ['(function($x){ $x })($x)', '$x is bound by nothing before'],
    ['{"a": $x := 1}', 'a variable is bound in parentheses'],
    ['$x := 1', 'a variable is bound in parentheses'],
    ['($count := 1; $count)', '$count has a meaning of its own'],
    ['($record := 1)', '$record has a meaning of its own'],
    ['(function($minor){ $minor })(a)', '$minor has a meaning of its own'],
    ['uppercase(a)', 'is no function: a function begins with $'],
    ['{"a": 1, "a": 2}', 'names a field twice'],
  ])('is known when the map is loaded: %s', (text, rule) => {
    expect(refusal(text)).toContain(rule);
  });

  it.each([
    '($f := function($x){ $x.next ?? $f($x.next) }; $f($))',
    '($a := 1; $b := function(){ $a }; $b())',
    '$record.key',
  ])('is found: %s', (text) => {
    expect(refusal(text)).toBe('taken');
  });
});

describe('what of JSONata is not taken', () => {
  it.each([
    ['items[0', 'something is missing at the end'],
    ['"abc', 'a text has no end'],
    ['a b', 'is no JSONata'],
    ['**.id', '** is not taken'],
    ['items.%.id', '% is not taken'],
    ['items@$i.id', '@ and # bind nothing here'],
    ['items#$i.id', '@ and # bind nothing here'],
    ['[1..5]', '.. is not taken'],
    ['$substring(?, 1)', 'no function is applied in part'],
    ['$ ~> |a|{}|', '|...| is not taken'],
    ['function($x)<s:s>{ $x }', 'functions have no signatures here'],
    ['$toMillis(t)', '$toMillis is not taken: use $time(value, zone)'],
    ['$uppercase(a, b, c)', '$uppercase takes 1 arguments'],
    ['$required(a, b)', '$required takes words of the map itself there, in quotes'],
    ['$error(a)', '$error takes words of the map itself there, in quotes'],
    ['$contains(a, /(a+)+$/)', 'a pattern takes too long at a text such as'],
    ['$match(a, /(a)\\1/)', 'a pattern refers back'],
    ['$minor(a, "EURO")', '$minor: the currency is no currency of ISO 4217'],
    ['$time(a, "Europe/Berlino")', '$time: what is given as zone is no time zone'],
    ['$e164(a, "Germany")', '$e164: of that country no numbers are known here'],
    [`${'('.repeat(151)}a${')'.repeat(151)}`, 'nests deeper than 150'],
    [`${'('.repeat(30_000)}a`, 'nests too deep'],
    [' '.repeat(65_537), 'longer than 65536 characters'],
  ])('%#: is refused with its place and a word: %s', (text, rule) => {
    const said = refusal(text);
    expect(said).toContain(rule);
    expect(said).toMatch(/^line \d+, column \d+: /);
  });
});
