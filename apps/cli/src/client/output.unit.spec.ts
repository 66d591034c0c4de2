import { padTo, paintFor, statusColour, Table, textWidth } from './output.js';
import { ageText, fields, moneysText, moneyText, payloadText, safeJson, safeLine, section } from './text.js';

interface Row {
  readonly name: string | null;
  readonly count: number;
}

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const plain = (text: string): string => text;

describe('tables', () => {
  const table = (): Table<Row> =>
    new Table<Row>(
      [
        { title: 'NAME', of: ({ name }) => name },
        { title: 'N', of: ({ count }) => count, side: 'right' },
        { title: 'NOTE', of: () => 'x' },
      ],
      plain,
    );

  it('line up, with the titles once, and no spaces at the end of a line', () => {
    const text = table();
    expect(
      text.rows([
        { name: 'ann', count: 7 },
        { name: null, count: 1_000 },
      ]),
    ).toBe('NAME     N  NOTE\nann      7  x\n-     1000  x\n');
    expect(text.rows([{ name: 'somebody', count: 1 }])).toBe('somebody     1  x\n');
  });

  it('line up where characters are wide or have no width', () => {
    expect(textWidth('日本')).toBe(4);
    expect(textWidth('e\u0301')).toBe(1);
    expect(textWidth('Zoë')).toBe(3);
    // Joined from several: one picture of two columns. A family, a flag, a colour of skin, a heart, a key.
    const pictures = ['👨‍👩‍👧', '🇩🇪', '👍🏽', '❤️', '1️⃣', '😀'];
    expect(pictures.map((picture) => [picture, textWidth(picture)])).toEqual(pictures.map((picture) => [picture, 2]));
    expect(padTo('日本', 6, 'left')).toBe('日本  ');
    expect(table().rows([{ name: '日本', count: 1 }])).toBe('NAME  N  NOTE\n日本  1  x\n');
  });

  it('colour for people only', () => {
    const screen = { isOutputSeen: true, env: {} };
    expect(paintFor(screen)('parked', statusColour('parked'))).toBe('\u001b[31mparked\u001b[0m');
    expect(paintFor(screen)('waiting', statusColour('waiting'))).toBe('waiting');
    for (const terminal of [
      { ...screen, env: { NO_COLOR: '1' } },
      { ...screen, env: { TERM: 'dumb' } },
      { ...screen, isOutputSeen: false },
    ]) {
      expect(paintFor(terminal)('parked', 'red')).toBe('parked');
    }
  });
});

describe('text of the server', () => {
  const evil = 'a\u001b[2Jb\u0007\u009b31m\u202e\nc\td\u007f';

  it('cannot act on a terminal', () => {
    expect(safeLine(evil)).toBe('a\\u001b[2Jb\\u0007\\u009b31m\\u202e\\nc\\td\\u007f');
    expect(safeLine('Zoë Müller 日本 👍')).toBe('Zoë Müller 日本 👍');
  });

  it('stays the same JSON', () => {
    const text = safeJson({ evil, list: [1] }, 2);
    expect(JSON.parse(text)).toEqual({ evil, list: [1] });
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('is laid out in fields and sections, without what is not there', () => {
    expect(
      fields([
        ['Id', 'x'],
        ['Reason', null],
        ['Count', 0],
        ['Evil', 'a\nb'],
      ]),
    ).toBe('Id:    x\nCount: 0\nEvil:  a\\nb\n');
    expect(section('Title', 'a\nb\n')).toBe('Title:\n  a\n  b\n');
    expect(section('Title', '')).toBe('');
  });

  it('shows payloads with their structure where they have one', () => {
    expect(payloadText('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(payloadText({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(payloadText('<html>\n\u001b[2J')).toBe('<html>\n\\u001b[2J');
    expect(payloadText(null)).toBe('');
    // No stack is long enough to write that again.
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(payloadText(deep)).toBe(deep);
  });
});

describe('amounts and times', () => {
  it.each([
    [{ minor: 1_250, currency: 'EUR', digits: 2 }, 'EUR 12.50'],
    [{ minor: -5, currency: 'EUR', digits: 2 }, '-EUR 0.05'],
    [{ minor: 1_250, currency: 'JPY', digits: 0 }, 'JPY 1,250'],
    [{ minor: 1_250, currency: 'KWD', digits: 3 }, 'KWD 1.250'],
    [{ minor: Number.MAX_SAFE_INTEGER, currency: 'EUR', digits: 2 }, 'EUR 90,071,992,547,409.91'],
    [{ minor: 1e24, currency: 'IDR', digits: 2 }, 'IDR 9,999,999,999,999,999,832,227.84'],
    // Display libraries show these without fractions.
    [{ minor: 599_900, currency: 'HUF', digits: 2 }, 'HUF 5,999.00'],
    [{ minor: 599_900, currency: 'IQD', digits: 3 }, 'IQD 599.900'],
    [{ minor: 59_999, currency: 'EUR', digits: 3 }, 'EUR 59.999'],
  ])('writes %j as %j', (money, text) => {
    expect(moneyText(money)).toBe(text);
  });

  it('writes several amounts, each in its currency', () => {
    expect(
      moneysText([
        { minor: 100, currency: 'EUR', digits: 2 },
        { minor: 5, currency: 'JPY', digits: 0 },
      ]),
    ).toBe('EUR 1.00, JPY 5');
  });

  it.each([
    [0, '0s'],
    [59, '59s'],
    [60, '1m'],
    [3_599, '59m'],
    [3_600, '1h'],
    [7_800, '2h10m'],
    [86_400, '1d'],
    [90_000, '1d1h'],
    [-5, '0s'],
  ])('says of %i seconds ago %j', (seconds, text) => {
    expect(ageText(new Date(nowMs - seconds * 1_000).toISOString(), nowMs)).toBe(text);
  });

  it('leaves alone what is no time', () => {
    expect(ageText(null, nowMs)).toBeNull();
    expect(ageText('soon', nowMs)).toBe('soon');
  });
});
