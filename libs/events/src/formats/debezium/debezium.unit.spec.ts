import { FORMAT_NAMES, type FormatName, needsRegistry, openFormat } from '../open-format.js';
import type { Documents } from '../source-format.js';

const read = (format: FormatName, value: unknown, updates = false): Documents => {
  const bytes = value === null ? null : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return openFormat(format, null, { updates }).read({ value: bytes }) as Documents;
};
const one = (document: unknown): unknown => ({ kind: 'documents', documents: [document] });

const row = { id: 9, total: 'F28=', placed_at: 1_796_063_415_123_456 };
const exact = { id: '9', total: 'F28=', placed_at: '1796063415123456' };
const envelope = (op: string, after: unknown = row): object => ({
  before: null,
  after,
  op,
  source: { table: 'orders' },
});

/** As Connect's converter writes it with `schemas.enable`. */
const decimal = { type: 'bytes', name: 'org.apache.kafka.connect.data.Decimal', parameters: { scale: '2' } };
const rowSchema = {
  type: 'struct',
  fields: [
    { type: 'int64', field: 'id' },
    { ...decimal, field: 'total' },
    { type: 'array', items: decimal, field: 'parts' },
    { type: 'map', values: decimal, field: 'taxes' },
    { type: 'struct', name: 'io.debezium.data.VariableScaleDecimal', field: 'rate' },
    { type: 'int64', name: 'io.debezium.time.MicroTimestamp', field: 'placed_at' },
  ],
};
const schema = {
  type: 'struct',
  fields: [
    { ...rowSchema, field: 'before' },
    { ...rowSchema, field: 'after' },
  ],
};

describe("Debezium's envelope", () => {
  it.each([
    ['c', one(exact)],
    ['r', one(exact)],
    ['u', { kind: 'ignored', reason: 'update' }],
    ['d', { kind: 'ignored', reason: 'delete' }],
    ['t', { kind: 'ignored', reason: 'delete' }],
    ['m', { kind: 'unreadable', detail: 'value.op: must be one of c, r, u, d and t' }],
  ])('is the row that was made: op %s', (op, expected) => {
    expect(read('debezium-json', envelope(op))).toEqual(expected);
    expect(read('debezium-json', { schema: null, payload: envelope(op) })).toEqual(expected);
  });

  it('is a row that was changed only where the source says so', () => {
    expect(read('debezium-json', envelope('u'), true)).toEqual(one(exact));
  });

  it('is nothing where a row is gone', () => {
    expect(read('debezium-json', null)).toEqual({ kind: 'ignored', reason: 'tombstone' });
    expect(read('debezium-json', 'null')).toEqual({ kind: 'ignored', reason: 'tombstone' });
    expect(read('debezium-json', { schema, payload: null })).toEqual({ kind: 'ignored', reason: 'tombstone' });
  });

  it.each([{}, [], 1, { op: 'c' }, { after: {} }])('is not what has no change in it: %j', (value) => {
    expect(read('debezium-json', value)).toEqual({ kind: 'unreadable', detail: "value: not Debezium's envelope" });
  });

  it('needs a row after the change', () => {
    const refused = { kind: 'unreadable', detail: 'value.after: required' };
    expect(read('debezium-json', envelope('c', null))).toEqual(refused);
  });

  it('has decimals where its schema says where their point is', () => {
    const after = {
      ...row,
      parts: ['AQ==', '/w=='],
      taxes: { vat: 'AQ==', none: null },
      rate: { scale: 3, value: '+y4=' },
    };
    expect(read('debezium-json', { schema, payload: envelope('c', after) })).toEqual(
      one({ ...exact, total: '59.99', parts: ['0.01', '-0.01'], taxes: { vat: '0.01', none: null }, rate: '-1.234' }),
    );
    expect(read('debezium-json', { schema, payload: envelope('c', { ...row, rate: { value: 'AQ==' } }) })).toEqual({
      kind: 'unreadable',
      detail: 'value: a decimal without its scale',
    });
  });
});

describe('rows of an outbox', () => {
  const payload = { orderId: 9_007_199_254_740_991, total: '59.90' };
  const document = { orderId: '9007199254740991', total: '59.90' };
  const text = JSON.stringify(payload);

  it('are the payload as the event router writes it, as an object or as a text', () => {
    expect(read('outbox-json', payload)).toEqual(one(document));
    expect(read('outbox-json', JSON.stringify(text))).toEqual(one(document));
    expect(read('outbox-json', { schema: { type: 'string' }, payload: text })).toEqual(one(document));
  });

  it('have their payload taken out of its text, as they stand in the table', () => {
    const change = envelope('c', { id: 'e-1', type: 'OrderPaid', payload: text });
    expect(read('outbox-json', change)).toEqual(one({ id: 'e-1', type: 'OrderPaid', payload: document }));
    expect(read('outbox-json', { eventType: 'OrderPaid', payload: text })).toEqual(
      one({ eventType: 'OrderPaid', payload: document }),
    );
    expect(read('outbox-json', { payload: 'paid' })).toEqual(one({ payload: 'paid' }));
    expect(read('outbox-json', { payload: '7' })).toEqual(one({ payload: '7' }));
  });

  it('are ignored when they are cleared away, and refused where the text is no JSON', () => {
    expect(read('outbox-json', envelope('d', null))).toEqual({ kind: 'ignored', reason: 'delete' });
    expect(read('outbox-json', null)).toEqual({ kind: 'ignored', reason: 'tombstone' });
    expect(read('outbox-json', '"paid"')).toEqual({ kind: 'unreadable', detail: 'value: not JSON' });
  });
});

describe('formats', () => {
  it('without a registry say that they need one', () => {
    for (const name of FORMAT_NAMES.filter(needsRegistry)) {
      expect(() => openFormat(name, null)).toThrow(`the format ${name} needs SCHEMA_REGISTRY_URL`);
    }
  });

  it('are told apart from bytes that are none of theirs', () => {
    expect(read('json', '{"a":1.50}')).toEqual(one({ a: '1.50' }));
    expect(read('json', '{')).toEqual({ kind: 'unreadable', detail: 'value: not JSON' });
    expect(read('json', null)).toEqual({ kind: 'ignored', reason: 'tombstone' });
    const refused = { kind: 'unreadable', detail: "value: names no schema: not Confluent's wire format" };
    expect(read('json-schema', '{}')).toEqual(refused);
  });
});
