import { walletPassSchema } from '#contracts';
import { retryAfterMsMax } from '#intents/core';
import fc from 'fast-check';
import { passOwnership } from './answer-proof.js';
import { bodyText, parseJson, readBody, readShape } from './answer-body.js';
import { compileDialect } from '../dialect/dialect-registry.js';
import { parseDialect } from '../dialect/parse-dialect.js';
import { saysDuplicate } from './duplicate-refusal.js';
import { refusalMessage } from './read-refusal.js';
import { retryAfterMsOf } from './retry-after.js';

describe('retryAfterMsOf', () => {
  const now = Date.parse('2026-11-21T10:00:00Z');
  it.each([
    ['120', 120_000],
    [' 3 ', 3_000],
    ['3.', 3_000],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 10:00:30 GMT', 30_000],
    ['Sat Nov 21 10:00:30 2026', 30_000],
    ['Sun Dec  6 10:00:30 2026', retryAfterMsMax],
    ['2026-11-21T10:00:30Z', 30_000],
    ['2026-11-21T11:00:30.000+01:00', 30_000],
    [String(now / 1000 + 30), 30_000],
    ['999999999', retryAfterMsMax],
    ['9'.repeat(400), retryAfterMsMax],
  ])('%j -> %j', (value, delayMs) => {
    expect(retryAfterMsOf({ 'retry-after': value }, now)).toBe(delayMs);
  });

  it.each([
    ['9.25', 10_000],
    ['4.052427053', 5_000],
    ['0.0001', 1_000],
  ])('regression: a fraction is no date in 2001, and is rounded up: %j -> %j', (value, delayMs) => {
    expect(retryAfterMsOf({ 'retry-after': value }, now)).toBe(delayMs);
  });

  it.each([
    ['3, 3', 3_000],
    ['3,5', 5_000],
    ['7, soon', 7_000],
    ['5, Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 10:00:30 GMT, Sat, 21 Nov 2026 10:00:09 GMT, 5', 30_000],
  ])('of several values the longest: %j -> %j', (value, delayMs) => {
    expect(retryAfterMsOf({ 'retry-after': value }, now)).toBe(delayMs);
  });

  it.each([
    ['ten minutes behind', '2026-11-21T09:50:00Z'],
    ['a day ahead', '2026-11-22T10:00:00Z'],
  ])('a date is judged by the clock that wrote it: %s', (_clock, theirs) => {
    const date = new Date(theirs).toUTCString();
    const retryAfter = new Date(Date.parse(theirs) + 30_000).toUTCString();
    expect(retryAfterMsOf({ 'retry-after': retryAfter, date }, now)).toBe(30_000);
    expect(retryAfterMsOf({ 'retry-after': '30', date }, now)).toBe(30_000);
  });

  it('of a Date that is no date nothing is kept', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 10:00:30 GMT', date: 'today' };
    expect(retryAfterMsOf(headers, now)).toBe(30_000);
  });

  it.each([
    ...['', ' ', ',', '0', '0.0', '-1', '+3', '1e3', '3s', 'soon', '12-31'],
    ...[
      'Infinity',
      '0x10',
      '\u0000',
      'Sat, 21 Nov 2026 09:00:00 GMT',
      'Sat, 99 Nov 2026 10:00:30 GMT',
      '1795000000',
      '21 Nov 2026',
    ],
  ])('as if absent: %j', (value) => {
    expect(retryAfterMsOf({ 'retry-after': value }, now)).toBeNull();
    expect(retryAfterMsOf({}, now)).toBeNull();
  });
});

describe('saysDuplicate, of an enrolment, which is looked up', () => {
  const sent = { values: ['B07-4', ''], names: ['receipt'], isLookedUp: true };
  const compiled = compileDialect(parseDialect('test'));
  it.each([
    ['receipt must be unique', true],
    ['Receipt_ID has been taken', true],
    ["value 'b07-4' already exists", true],
    ['B07-41 already exists', false],
    ['XB07-4 already exists', false],
    ['receipts already exist', false],
    ['xB07-4 and B07-4 already exist', true],
    ['already exists', false],
    ['B07-4', false],
  ])('%j: %s', (message, expected) => {
    const body = readBody({ body: Buffer.from(JSON.stringify({ message })), headers: {} });
    const refusal = { message, body, status: 400 };
    expect(saysDuplicate(refusal, sent, compiled)).toBe(expected);
  });
});

describe('passOwnership', () => {
  const reference = { brandId: '1', programId: '2', uniqueId: 'm_1', uniqueIdKey: 'memberId' };
  it.each([
    [{ passdata: { metaData: { memberId: 'm_1', other: 1 } } }, 'ours'],
    [{ passdata: { metaData: { memberId: 'm_2' } } }, 'foreign'],
    [{ passdata: { metaData: { memberId: 'M_1' } } }, 'foreign'],
    [{ passdata: { metaData: { memberId: ['m_1'] } } }, 'foreign'],
    [{ passdata: { metaData: { memberId: false } } }, 'foreign'],
    [{ passdata: { metaData: { other: 'm_1' } } }, 'unnamed'],
    [{ passdata: { metaData: { memberId: null, other: 1 } } }, 'unnamed'],
    [{ passdata: { metaData: { memberId: '' } } }, 'unnamed'],
    [{ passdata: { metaData: 'm_1' } }, 'foreign'],
    [{ passdata: 'text' }, 'foreign'],
    [{ passdata: { metaData: {} } }, 'unsaid'],
    [{ passdata: { metaData: null } }, 'unsaid'],
    [{ passdata: { points: 1 } }, 'unsaid'],
    [{ passdata: null }, 'unsaid'],
    [{}, 'unsaid'],
  ])('%j is %s', (pass, expected) => {
    expect(passOwnership(pass, reference)).toBe(expected);
  });

  it.each([
    ['81273', 81_273, 'ours'],
    ['81273', '81273', 'ours'],
    ['81273', 81_274, 'foreign'],
    ['0081273', 81_273, 'foreign'],
    ['0', 0, 'ours'],
    // Beyond 2^53 the gateway reads a number as its text.
    ['9007199254740993', '9007199254740993', 'ours'],
  ])('%j, kept as %j, is %s: a number equals its text', (uniqueId, memberId, expected) => {
    expect(passOwnership({ passdata: { metaData: { memberId } } }, { ...reference, uniqueId })).toBe(expected);
  });
});

describe('readShape', () => {
  it('keeps unknown fields and raises nothing for a documented shape', () => {
    const pass = { passId: 1, serialNumber: 's', templateId: 11, passdata: { points: 1, tier: 'x' }, extra: [1] };
    expect(readShape(walletPassSchema, pass)).toEqual({ value: pass, alarms: [] });
  });

  it('leaves out what is mistyped, tells it and what is missing, and changes nothing else', () => {
    const pass = {
      passId: 1,
      templateId: 'x',
      passdata: { points: '9', metaData: { a: 1 } },
      downloadUrl: 5,
      extra: 1,
    };
    const before = structuredClone(pass);
    expect(readShape(walletPassSchema, pass)).toEqual({
      value: { passId: 1, passdata: { metaData: { a: 1 } }, extra: 1 },
      alarms: ['serialNumber', 'templateId', 'passdata.points', 'downloadUrl'],
    });
    expect(pass).toEqual(before);
  });

  it('an id beyond 2^53 as text is no alarm', () => {
    const pass = { passId: '9007199254740993', serialNumber: 's', templateId: 1 };
    expect(readShape(walletPassSchema, pass).alarms).toEqual([]);
  });
});

describe('parseJson', () => {
  it('keeps integers beyond 2^53 as text and everything else as usual', () => {
    const text =
      '{"id":9007199254740993,"n":-12345678901234567890,"small":9007199254740991,"f":1.5,"t":"9007199254740993"}';
    expect(parseJson(text)).toEqual({
      id: '9007199254740993',
      n: '-12345678901234567890',
      small: 9007199254740991,
      f: 1.5,
      t: '9007199254740993',
    });
  });

  it('keeps fractions and exponents numbers where a float tells them', () => {
    const text = '[0.1234567890123456, 1e30, 59.9900000000000000, 0.30000000000000004]';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('keeps an amount that a float would change as text', () => {
    const text = '[12345678901234567.89, -0.12345678901234567890]';
    expect(parseJson(text)).toEqual(['12345678901234567.89', '-0.12345678901234567890']);
  });

  it('keeps an amount as text that a float would make whole', () => {
    expect(parseJson('[-4202382968798534.75]')).toEqual(['-4202382968798534.75']);
  });

  it('never changes an integer', () => {
    fc.assert(
      fc.property(fc.bigInt(), (id) => {
        const { read } = parseJson(`{"read":${id}}`) as { read: number | string };
        expect(String(read)).toBe(id.toString());
      }),
    );
  });

  it('reads any JSON that holds no long integer as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d[\d.]{15}/.test(text));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

const plain = (text: string): { body: Buffer; headers: Record<string, string> } => ({
  body: Buffer.from(text),
  headers: {},
});

describe('readBody', () => {
  it.each([
    ['{"a":1}', 'complete-json-object'],
    ['\uFEFF{"a":1}', 'complete-json-object'],
    ['[{}]', 'other-json'],
    ['null', 'other-json'],
    ['"text"', 'other-json'],
    ['', 'empty'],
    [' \r\n', 'empty'],
    ['{"a":', 'not-json'],
    ['<html>', 'not-json'],
    ['{"a":1}{"b":2}', 'not-json'],
  ])('%j is %s', (text, kind) => {
    expect(readBody(plain(text)).kind).toBe(kind);
  });

  it('takes what could not be decoded for no JSON, and its bytes for no words', () => {
    const coded = { body: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), headers: { 'content-encoding': 'zstd' } };
    expect(readBody(coded)).toEqual({ kind: 'not-json', text: '', json: undefined });
    expect(readBody({ ...coded, body: Buffer.from('{"a":1}') }).kind).toBe('complete-json-object');
  });
});

describe('the charset of a body', () => {
  const words = '{"message":"K\u00e4rtchen \u20ac 5 ung\u00fcltig"}';
  const json = 'application/json';
  const latin1 = Buffer.from('{"message":"ung\u00fcltig"}', 'latin1');
  const utf16 = Buffer.from(words, 'utf16le');
  const broken = (...parts: readonly (string | number)[]): Buffer =>
    Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));

  it.each<[what: string, contentType: string | undefined, body: Buffer, text: string]>([
    ['UTF-8, said so', `${json}; charset=UTF-8`, Buffer.from(words), words],
    ['UTF-8, not said', json, Buffer.from(words), words],
    ['UTF-8 without any type', undefined, Buffer.from(words), words],
    ['UTF-8 behind a mark', json, Buffer.from(`\uFEFF${words}`), words],
    ['UTF-8 under the label of a server', `${json};charset=ISO-8859-1`, Buffer.from(words), words],
    ['UTF-8 under a label of nobody', `${json}; charset=utf8mb4`, Buffer.from(words), words],
    ['ISO-8859-1, said so', `${json};charset=ISO-8859-1`, latin1, '{"message":"ung\u00fcltig"}'],
    ['ISO-8859-1, said in quotes', `${json}; foo=1; Charset="iso-8859-1"`, latin1, '{"message":"ung\u00fcltig"}'],
    ['ISO-8859-1, not said', json, latin1, '{"message":"ung\u00fcltig"}'],
    ['ISO-8859-1 under a wrong label', `${json}; charset=utf-8`, latin1, '{"message":"ung\u00fcltig"}'],
    ['windows-1252', `${json}; charset=windows-1252`, broken('{"m":"', 0x80, '"}'), '{"m":"\u20ac"}'],
    ['ISO-8859-15', `${json}; charset=iso-8859-15`, broken('{"m":"', 0xa4, '"}'), '{"m":"\u20ac"}'],
    ['ISO-8859-2', `${json}; charset=iso-8859-2`, broken('{"m":"', 0xb3, '"}'), '{"m":"\u0142"}'],
    ['KOI8-R', `${json}; charset=koi8-r`, broken('{"m":"', 0xc4, '"}'), '{"m":"\u0434"}'],
    ['Shift_JIS', `${json}; charset=Shift_JIS`, broken('{"m":"', 0x83, 0x4a, '"}'), '{"m":"\u30ab"}'],
    ['UTF-16 with a mark', `${json}; charset=utf-16`, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), words],
    ['UTF-16LE with a mark', json, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), words],
    ['UTF-16BE with a mark', json, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16(), words],
    ['UTF-16LE without', `${json}; charset=utf-16`, utf16, words],
    ['UTF-16BE without', `${json}; charset=utf-16`, Buffer.from(utf16).swap16(), words],
    ['one broken byte in UTF-8', json, broken('{"a":"\u00e4", "b":"', 0xff, '"}'), '{"a":"\u00e4", "b":"\uFFFD"}'],
    ['half a character in UTF-8', json, broken('{"a":"\u20ac', 0xe2, 0x82, '"}'), '{"a":"\u20ac\uFFFD"}'],
  ])('%s', (_what, contentType, body, text) => {
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    expect(bodyText({ body, headers })).toBe(text);
  });

  it('is that of the whole body where only its beginning is kept', () => {
    const body = Buffer.from(`${'x'.repeat(9)}\u00e4`);
    expect(bodyText({ body, headers: {} }, 10)).toBe(`${'x'.repeat(9)}\uFFFD`);
  });

  it('takes any label and any bytes', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 40 }), (label, bytes) => {
        const headers = { 'content-type': `application/json; charset=${label}` };
        expect(typeof readBody({ body: Buffer.from(bytes), headers }).text).toBe('string');
      }),
    );
  });
});

describe('refusalMessage', () => {
  const read = (body: string, message?: string | string[]): string | null =>
    refusalMessage(
      readBody(plain(body)),
      compileDialect(parseDialect('test', message === undefined ? {} : { error: { message } })),
    );

  it.each([
    ['{"message":"no"}', undefined, 'no'],
    ['{"message":" "}', undefined, null],
    ['{"error":{"detail":"no"}}', 'error.detail', 'no'],
    ['{"errors":[{"text":"no"}]}', 'errors.0.text', 'no'],
    ['[{"text":"no"}]', '0.text', 'no'],
    ['{"detail":"no"}', ['error.detail', 'detail'], 'no'],
    // What is documented of 4.1 to 4.3 counts, whatever the others do.
    ['{"message":"no"}', 'error.detail', 'no'],
    ['{"error":{"detail":["no"]}}', 'error.detail', null],
    ['{}', 'constructor.name', null],
    ['"no"', '$', 'no'],
    ['no', '$', 'no'],
    ['<html>no</html>', '$', null],
    ['no', undefined, null],
    ['', '$', null],
  ])('%s, with %j -> %j', (body, message, expected) => {
    expect(read(body, message)).toBe(expected);
  });
});

it("a member's id that comes back as a number is theirs, however many digits it has", () => {
  const owner = { uniqueId: '9007199254740993123', uniqueIdKey: 'memberId' };
  const read = (id: string): string =>
    passOwnership(parseJson(`{"passdata":{"metaData":{"memberId":${id}}}}`) as Record<string, unknown>, owner);
  expect(read('9007199254740993123')).toBe('ours');
  expect(read('9007199254740993124')).toBe('foreign');
  // What a partner that keeps it in a float makes of it is another member.
  expect(read(String(Number('9007199254740993123')))).toBe('foreign');
});
