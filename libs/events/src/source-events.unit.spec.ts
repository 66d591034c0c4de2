import { decodeSourceRecord, decodeSourceRecords } from './source-events.js';
import { SOURCE_EVENT_SAMPLES } from './source-events.js';
import type { SourceRecord } from './core/source-record.js';
import type { DecodedRecord } from './source-events.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const structuredHeaders = { 'content-type': Buffer.from('application/cloudevents+json; charset=UTF-8') };
const purchase = SOURCE_EVENT_SAMPLES['loyalty.purchase.completed.v1'];
const frame = {
  specversion: '1.0',
  id: '01JD7Z0Q9W3M',
  source: '/pos/berlin-07/till-3',
  type: 'loyalty.purchase.completed.v1',
  subject: 'm_81273',
  time: '2026-11-21T10:15:04+01:00',
  sequence: '42',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  datacontenttype: 'application/json',
};

const bytes = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const structured = (value: unknown, at = now): DecodedRecord =>
  decodeSourceRecord({ value: bytes(value), headers: structuredHeaders, now: at });
const event = (changes: object = {}): DecodedRecord => structured({ ...frame, data: purchase, ...changes });
const data = (changes: object): DecodedRecord => event({ data: { ...purchase, ...changes } });
const quarantined = (reason: string, detail: string): object => ({
  kind: 'quarantine',
  reason,
  detail: expect.stringContaining(detail) as string,
});

const binaryHeaders = {
  'content-type': 'application/json',
  ...Object.fromEntries(Object.entries(frame).map(([name, value]) => [`ce_${name}`, Buffer.from(value)])),
};
const binary = (headers: SourceRecord['headers'], value: unknown = purchase): DecodedRecord =>
  decodeSourceRecord({ value: value === null ? null : bytes(value), headers, now });

describe('a structured CloudEvent', () => {
  it.each(Object.entries(SOURCE_EVENT_SAMPLES))('%s is read', (type, sample) => {
    const decoded = structured({ ...frame, type, data: sample });
    expect(decoded).toMatchObject({ kind: 'event', event: { name: type, type, data: sample, sentData: sample } });
  });

  it('keeps frame, unknown fields and the moment it happened', () => {
    expect(data({ cashier: { id: 7 }, total: { ...purchase.total, tax: 1 } })).toMatchObject({
      event: {
        id: '01JD7Z0Q9W3M',
        source: '/pos/berlin-07/till-3',
        subject: 'm_81273',
        sequence: '42',
        traceparent: frame.traceparent,
        time: frame.time,
        timeMs: Date.parse('2026-11-21T09:15:04Z'),
        data: { cashier: { id: 7 }, total: { minor: 5999, tax: 1 } },
      },
    });
  });

  it('may carry a reverse-DNS prefix in its type', () => {
    const type = 'com.acme.loyalty.purchase.completed.v1';
    expect(event({ type })).toMatchObject({ event: { name: 'loyalty.purchase.completed.v1', type } });
  });

  it('may leave out or null what is optional', () => {
    const bare = { subject: null, sequence: undefined, traceparent: 'broken' };
    expect(event(bare)).toMatchObject({ event: { subject: null, sequence: null, traceparent: null } });
    expect(event({ subject: undefined, traceparent: undefined })).toMatchObject({ event: { traceparent: null } });
    expect(event({ sequence: 42 })).toMatchObject({ event: { sequence: '42' } });
    expect(event({ subject: '' })).toMatchObject({ event: { subject: null } });
  });

  it('may carry its data in base64', () => {
    const base64 = Buffer.from(JSON.stringify(purchase)).toString('base64');
    expect(structured({ ...frame, data_base64: base64 })).toMatchObject({ kind: 'event', event: { data: purchase } });
    expect(structured({ ...frame, data_base64: '§' })).toEqual(quarantined('unreadable', 'data_base64'));
    expect(structured({ ...frame, data: {}, data_base64: base64 })).toEqual(quarantined('unreadable', 'data_base64'));
  });

  it.each(['-00:00', 'Z', '+14:00'])('may say its time with offset %s', (offset) => {
    expect(event({ time: `2026-11-21T10:15:04${offset}` })).toMatchObject({ kind: 'event' });
  });
});

describe('a binary CloudEvent', () => {
  it('is read like the structured one', () => {
    expect(binary(binaryHeaders)).toEqual(event());
  });

  it('may leave out its content type, or write it otherwise', () => {
    const { 'content-type': _type, ...bare } = binaryHeaders;
    expect(binary(bare)).toEqual(event());
    expect(binary({ ...bare, 'Content-Type': 'application/vnd.acme+json' })).toEqual(event());
    expect(binary({ ...bare, 'content-type': 'application/avro' })).toEqual(quarantined('unreadable', 'content-type'));
  });

  it('takes the last of several headers of one name', () => {
    expect(binary({ ...binaryHeaders, ce_id: ['first', Buffer.from('second')] })).toMatchObject({
      event: { id: 'second' },
    });
  });

  it('refuses header bytes that are not UTF-8', () => {
    expect(binary({ ...binaryHeaders, ce_id: Buffer.from([0xff]) })).toEqual(
      quarantined('unreadable', 'headers.ce_id'),
    );
  });
});

describe('the trace that an event belongs to', () => {
  const other = frame.traceparent.replace('0af7', '1bf8');
  const header = { traceparent: Buffer.from(other) };
  const { ce_traceparent: _trace, ...untraced } = binaryHeaders as Record<string, string | Buffer>;

  it('is said by a header where the frame says nothing', () => {
    const { traceparent: _own, ...rest } = frame;
    const value = bytes({ ...rest, data: purchase });
    const headers = { 'content-type': 'application/cloudevents+json', ...header };
    expect(decodeSourceRecord({ value, headers, now })).toMatchObject({ event: { traceparent: other } });
    expect(binary({ ...untraced, ...header })).toMatchObject({ event: { traceparent: other } });
    expect(binary({ ...untraced, traceparent: Buffer.from([0xff]) })).toMatchObject({ event: { traceparent: null } });
  });

  it('is the one of the frame where both say one', () => {
    expect(binary({ ...binaryHeaders, ...header })).toMatchObject({ event: { traceparent: frame.traceparent } });
  });

  it.each([
    `ff${other.slice(2)}`,
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  ])('is not %s', (traceparent) => {
    expect(event({ traceparent })).toMatchObject({ event: { traceparent: null } });
  });
});

it('a header without a value counts as absent, also behind others of its name', () => {
  for (const value of [null, [Buffer.from('1.0'), null]]) {
    const refused = quarantined('unreadable', 'neither a structured nor a binary');
    expect(binary({ ...binaryHeaders, ce_specversion: value })).toEqual(refused);
  }
});

describe('a tombstone', () => {
  it.each([structuredHeaders, binaryHeaders, {}, undefined])('is a record without a value', (headers) => {
    expect(binary(headers, null)).toEqual({ kind: 'tombstone' });
  });

  it('is a binary event without data', () => {
    expect(binary(binaryHeaders, '')).toEqual({ kind: 'tombstone' });
  });

  it('is not one of our dead letters that was copied back without its value', () => {
    const headers = { ...binaryHeaders, 'x-original-topic': Buffer.from('loyalty.purchases') };
    expect(binary(headers, null)).toEqual(quarantined('unreadable', 'left out of this dead letter'));
    expect(binary(headers)).toMatchObject({ kind: 'event', event: { id: frame.id } });
  });

  it('is not a structured record of no bytes', () => {
    expect(structured('')).toEqual(quarantined('unreadable', 'not JSON'));
  });
});

describe('unreadable', () => {
  it.each([
    ['text', 'hello', 'not JSON'],
    ['cut off', '{"specversion":"1.0"', 'not JSON'],
    ['a list', [], 'not a CloudEvent'],
    ['null', 'null', 'not a CloudEvent'],
    ['another version', { ...frame, specversion: '0.3' }, 'specversion'],
    ['no id', { ...frame, id: undefined }, 'id'],
    ['an empty source', { ...frame, source: '' }, 'source'],
    ['a type that is no text', { ...frame, type: 7 }, 'type'],
    ['a lone surrogate', '{"specversion":"\\ud800"}', 'lone surrogate'],
    ['a lone surrogate as a key', '{"\\uDC00":1}', 'lone surrogate'],
  ])('%s', (_case, value, detail) => {
    expect(structured(value)).toEqual(quarantined('unreadable', detail));
  });

  it('a value that is not UTF-8', () => {
    const value = Buffer.concat([bytes('{"a":"'), Buffer.from([0xc3, 0x28]), bytes('"}')]);
    expect(decodeSourceRecord({ value, headers: structuredHeaders, now })).toEqual(
      quarantined('unreadable', 'invalid UTF-8'),
    );
  });

  it('over 1 MiB, not at it', () => {
    const spare = 1024 * 1024 - bytes({ ...frame, data: purchase, note: '' }).byteLength;
    expect(event({ note: 'x'.repeat(spare) })).toMatchObject({ kind: 'event' });
    expect(event({ note: 'x'.repeat(spare + 1) })).toEqual(quarantined('unreadable', 'larger'));
  });

  it('nested too deep, however deep', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const text = (depth: number): string =>
      JSON.stringify({ ...frame, data: purchase }).replace('{', `{"x":${nested(depth)},`);
    expect(structured(text(63))).toMatchObject({ kind: 'event' });
    expect(structured(text(64))).toEqual(quarantined('unreadable', 'nested'));
    expect(structured(nested(500_000))).toEqual(quarantined('unreadable', 'nested'));
    expect(event({ note: '[{"'.repeat(1000) })).toMatchObject({ kind: 'event' });
  });

  it('neither content mode, another format, a batch', () => {
    expect(binary({})).toEqual(quarantined('unreadable', 'neither'));
    expect(binary(undefined)).toEqual(quarantined('unreadable', 'neither'));
    for (const format of ['application/cloudevents+avro', 'application/cloudevents-batch+avro']) {
      expect(binary({ 'content-type': format })).toEqual(quarantined('unreadable', 'content-type'));
    }
  });
});

describe('a structured event whose record does not say so', () => {
  const whole = { ...frame, data: purchase };

  it.each([undefined, {}, { 'content-type': Buffer.from('application/json') }, { 'content-type': null }])(
    'is read by what it is: headers %j',
    (headers) => {
      expect(binary(headers, whole)).toEqual(structured(whole));
    },
  );

  it('is none where it has no specversion of its own, or another format is named', () => {
    const refused = quarantined('unreadable', 'neither a structured nor a binary');
    expect(binary({}, { ...whole, specversion: undefined })).toEqual(refused);
    expect(binary({}, [whole])).toEqual(refused);
    expect(binary({}, 'hello')).toEqual(refused);
    expect(binary({ 'content-type': 'application/xml' }, whole)).toEqual(refused);
  });

  it('keeps the trace of its record', () => {
    const { traceparent, ...untraced } = whole;
    expect(binary({ traceparent: Buffer.from(traceparent) }, untraced)).toMatchObject({ event: { traceparent } });
  });
});

describe('a batch', () => {
  const headers = { 'content-type': Buffer.from('application/cloudevents-batch+json; charset=UTF-8') };
  const whole = { ...frame, data: purchase };
  const batch = (value: unknown): readonly DecodedRecord[] =>
    decodeSourceRecords({ value: value === null ? null : bytes(value), headers, now });

  it('is its events in their order, each judged as if it had come alone', () => {
    const events = [whole, { ...whole, id: 'second', time: undefined }, 7, { ...whole, id: 'fourth' }];
    const decoded = batch(events);
    expect(decoded).toEqual([
      structured(events[0]),
      structured(events[1]),
      quarantined('unreadable', 'value[2]: not a CloudEvent'),
      structured(events[3]),
    ]);
    expect(decoded[1]).toEqual(quarantined('invalid', 'time'));
  });

  it('has numbers that lose digits in the event that holds them', () => {
    const text = JSON.stringify([whole, { ...whole, data: { ...purchase, extra: '@' } }]);
    const [first, second] = batch(text.replace('"@"', '9007199254740993'));
    expect(first).toMatchObject({ kind: 'event' });
    expect(second).toEqual(quarantined('invalid', 'data.(own field): number'));
    const many = JSON.stringify([{ ...whole, data: { ...purchase, extra: '@' } }, whole]);
    const places = `[${Array.from({ length: 10 }, () => '1e400').join()}]`;
    expect(batch(many.replace('"@"', places))).toEqual([quarantined('unreadable', 'numbers that lose digits')]);
  });

  it('of one event is that event where one is read, and is refused where there are more', () => {
    const one = (value: unknown): DecodedRecord => decodeSourceRecord({ value: bytes(value), headers, now });
    expect(one([whole])).toEqual(structured(whole));
    expect(one([whole, whole])).toEqual(quarantined('unreadable', 'several events'));
  });

  it('of none, or without a value, asks for nothing', () => {
    expect([batch([]), batch(null)]).toEqual([[{ kind: 'tombstone' }], [{ kind: 'tombstone' }]]);
  });

  it('is one list, of so many events at most', () => {
    expect(batch(whole)).toEqual([quarantined('unreadable', 'value: not a list of CloudEvents')]);
    expect(batch('[')).toEqual([quarantined('unreadable', 'not JSON')]);
    expect(batch(Array.from({ length: 1_001 }, () => 1))).toEqual([quarantined('unreadable', 'more than 1000')]);
  });
});

describe('unsupported type', () => {
  it.each([
    'loyalty.purchase.completed.v2',
    'loyalty.purchase.completed',
    'loyalty.purchase.lost.v1',
    'acmeloyalty.purchase.completed.v1',
    '.loyalty.purchase.completed.v1',
    'com..acme.loyalty.purchase.completed.v1',
    'constructor',
    '__proto__',
  ])('%s', (type) => {
    expect(event({ type, time: 'also wrong' })).toEqual(quarantined('unsupported-type', 'type'));
  });
});

describe('invalid', () => {
  it.each([
    [{ time: undefined }, 'time: required'],
    [{ time: null }, 'time: required'],
    [{ time: 1_700_000_000 }, 'time: must be an RFC 3339'],
    [{ time: '2026-11-21T10:15:04' }, 'time: must be an RFC 3339'],
    [{ time: '2026-02-29T10:15:04Z' }, 'time: must be an RFC 3339'],
    [{ time: '1999-12-31T23:59:59Z' }, 'time: must not be before'],
    [{ time: '2026-11-21T13:05:01Z' }, 'time: must not be more than'],
    [{ id: 'a\u0000b' }, 'id: has U+0000, which cannot be seen'],
    [{ id: 'a\u00adb' }, 'id: has U+00AD, which cannot be seen'],
    [{ source: '/pos\u2066/1' }, 'source: has U+2066, which cannot be seen'],
    [{ id: 'x'.repeat(257) }, 'id: '],
    [{ source: 'x'.repeat(1025) }, 'source: '],
    [{ subject: {} }, 'subject: '],
    [{ sequence: 1.5 }, 'sequence: '],
    [{ data: undefined }, 'data: '],
    [{ data: 'text' }, 'data: '],
  ])('frame %j', (changes, detail) => {
    expect(event(changes)).toEqual(quarantined('invalid', detail));
  });

  it.each([
    [{ memberId: 7 }, 'data.memberId: '],
    [{ program: '' }, 'data.program: '],
    [{ purchaseId: undefined }, 'data.purchaseId: '],
    [{ storeId: 'a\nb' }, 'data.storeId: has U+000A, which cannot be seen'],
    [{ memberId: 'm\u200d1' }, 'data.memberId: has U+200D, which cannot be seen'],
    [{ program: 'coffee\ufe0f' }, 'data.program: has U+FE0F, which cannot be seen'],
    [{ purchaseId: 'B\u{e0061}1' }, 'data.purchaseId: has U+E0061, which cannot be seen'],
    [{ total: undefined }, 'data.total: '],
    [{ total: { minor: -1, currency: 'EUR' } }, 'data.total.minor: '],
    [{ total: { minor: 59.99, currency: 'EUR' } }, 'data.total.minor: '],
    [{ total: { minor: '5999', currency: 'EUR' } }, 'data.total.minor: '],
    [{ total: { minor: 2 ** 53, currency: 'EUR' } }, 'data.total.minor: '],
    [{ total: { minor: 1, currency: 'eur' } }, 'data.total.currency: '],
    [{ total: { minor: 1, currency: 'EUR', digits: 9 } }, 'data.total.digits: '],
    [{ lines: [{ net: { minor: -5, currency: 'EUR' } }] }, 'data.lines[0].net.minor: '],
    [{ attributes: 'autumn' }, 'data.attributes: '],
  ])('purchase %j', (changes, detail) => {
    expect(data(changes)).toEqual(quarantined('invalid', detail));
  });

  it.each([
    ['loyalty.member.opted-out.v1', { scope: 'fax' }, 'data.scope: '],
    ['loyalty.member.merged.v1', { absorbed: [] }, 'data.absorbed: '],
    ['loyalty.member.updated.v1', { changed: 'tier' }, 'data.changed: '],
    ['loyalty.member.enrolled.v1', { smsSubscription: 'daily' }, 'data.smsSubscription: '],
    ['loyalty.member.enrolled.v1', { pass: { points: '1' } }, 'data.pass.points: '],
    ['loyalty.member.enrolled.v1', { memberId: null }, 'data.memberId: '],
    ['loyalty.reward.granted.v1', { reward: null }, 'data.reward: '],
    ['loyalty.reward.granted.v1', { reward: 'free\u200b-coffee' }, 'data.reward: has U+200B, which cannot be seen'],
    ['loyalty.reward.revoked.v1', { grantId: 'g\u3164' }, 'data.grantId: has U+3164, which cannot be seen'],
    ['loyalty.purchase.refunded.v1', { refundId: 'R\u202e1' }, 'data.refundId: has U+202E, which cannot be seen'],
    ['loyalty.purchase.refunded.v1', { returnId: 'R\u20601' }, 'data.returnId: has U+2060, which cannot be seen'],
    ['loyalty.purchase.voided.v1', { original: { refundId: 'R\u115f1' } }, 'data.original.refundId: has U+115F'],
    ['loyalty.member.merged.v1', { absorbed: ['m\u034f1'] }, 'data.absorbed[0]: has U+034F, which cannot be seen'],
    ['loyalty.reward.revoked.v1', { grantId: 1 }, 'data.grantId: '],
  ] as const)('%s %j', (type, changes, detail) => {
    const decoded = structured({ ...frame, type, data: { ...SOURCE_EVENT_SAMPLES[type], ...changes } });
    expect(decoded).toEqual(quarantined('invalid', detail));
  });

  it.each([
    ['12345678901234567890'],
    ['-9007199254740993'],
    ['9007199254740992.5'],
    ['1e400'],
    ['1E-400'],
    [`1${'0'.repeat(400)}`],
  ])('regression: a number that would be another one at the partner, wherever it stands: %s', (number) => {
    const text = JSON.stringify({ ...purchase, attributes: { list: [{ shopify: '@' }] } }).replace('"@"', number);
    const refused = quarantined('invalid', 'data.attributes.(own field)[0].(own field): number cannot be kept exactly');
    expect(binary(binaryHeaders, text)).toEqual(refused);
    const whole = JSON.stringify({ ...frame, data: '@' });
    expect(structured(whole.replace('"@"', text))).toEqual(refused);
    const base64 = Buffer.from(text).toString('base64');
    expect(structured({ ...frame, data_base64: base64 })).toEqual(refused);
    expect(structured(whole.replace('"@"', text).replace('{', `{"tillNumber":${number},`))).toEqual(
      quarantined('invalid', '(own field): number cannot be kept exactly'),
    );
  });

  it('names no field of a producer’s own, which may be called by a person’s name', () => {
    const attributes = '{"Ada Lovelace":{"total":1e400},"ada":[1e400]}';
    const text = JSON.stringify({ ...purchase, attributes: '@' }).replace('"@"', attributes);
    const decoded = binary({ ...binaryHeaders, ce_ada: 'x' }, text);
    expect(JSON.stringify(decoded)).not.toMatch(/ada/i);
    const rule = 'number cannot be kept exactly; send it as text';
    expect(decoded).toMatchObject({
      detail: `data.attributes.(own field).total: ${rule}; data.attributes.(own field)[0]: ${rule}`,
    });
  });

  it.each([
    ...['0.1', '59.990', '-0', '0e5', '1e3', '1.5E+2', '5e-324', '9007199254740991', '9007199254740994', '1e21'],
    ...['0.10000000000000001', '3.3333333333333333333333333333', '0.50000000000000000000'],
  ])('no number that stays the same, or a fraction: %s', (number) => {
    const text = JSON.stringify({ ...purchase, attributes: { rate: '@' } }).replace('"@"', number);
    expect(binary(binaryHeaders, text)).toMatchObject({ event: { data: { attributes: { rate: Number(number) } } } });
  });

  it('no number within text', () => {
    expect(data({ attributes: { id: '12345678901234567890', text: 'a"1e400' } })).toMatchObject({ kind: 'event' });
  });

  it('says where numbers are lost beside what else is wrong, the first ones, no name of any length', () => {
    const numbers = `{"${'k'.repeat(1_000)}":1e400,"n":[${Array.from({ length: 20 }, () => '1e400').join()}]}`;
    const text = JSON.stringify({ ...purchase, memberId: 7, attributes: '@' }).replace('"@"', numbers);
    const decoded = binary(binaryHeaders, text);
    expect(decoded).toEqual(quarantined('invalid', 'data.memberId: '));
    const detail = decoded.kind === 'quarantine' ? decoded.detail : '';
    expect(detail.match(/number cannot be kept exactly; send it as text/g)).toHaveLength(10);
    expect(detail).not.toContain('k'.repeat(300));
    expect(detail).not.toContain('400');
  });

  it('allows zero, an absent member and an absent store', () => {
    const changes = { total: { minor: 0, currency: 'JPY' }, memberId: null, storeId: '', lines: null };
    expect(data(changes)).toMatchObject({ kind: 'event', event: { data: { total: { minor: 0 } } } });
  });

  it('lists every problem, and never a value', () => {
    const secret = 'ada@example.org';
    const decoded = event({
      time: secret,
      data: { ...purchase, memberId: [secret], channel: { secret }, total: secret },
    });
    expect(decoded).toEqual(quarantined('invalid', 'time: '));
    expect(decoded).toEqual(quarantined('invalid', 'data.memberId: '));
    expect(decoded).toEqual(quarantined('invalid', 'data.channel: '));
    expect(JSON.stringify(decoded)).not.toContain('ada');
  });
});

describe('hostile keys', () => {
  it('drops __proto__ however it is written, and lets the last of two equal keys count', () => {
    const text = JSON.stringify({ ...frame, data: { ...purchase, attributes: '@' } }).replace(
      '"@"',
      '{"__proto__":{"a":1},"\\u005f_proto__":{"b":1},"campaign":"x","campaign":"y","constructor":"z"}',
    );
    const decoded = structured(text);
    expect(decoded).toMatchObject({ event: { data: { attributes: { campaign: 'y' } } } });
    const attributes = decoded.kind === 'event' && (decoded.event.data as { attributes: object }).attributes;
    expect(Object.keys(attributes || {})).toEqual(['campaign', 'constructor']);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('keeps no __proto__ anywhere, unknown fields included', () => {
    const hostile = '{"__proto__":{"polluted":true},"list":[{"\\u005F_proto__":{"polluted":true}}]}';
    const decoded = structured(JSON.stringify({ ...frame, data: { ...purchase, extra: '@' } }).replace('"@"', hostile));
    if (decoded.kind !== 'event') throw new Error(JSON.stringify(decoded));
    expect(JSON.stringify(decoded.event.sentData)).toContain('"extra":{"list":[{}]}');
    expect(JSON.stringify(decoded.event.data)).not.toContain('polluted');
  });
});
