import { CloudEvent, Kafka, type KafkaMessage } from 'cloudevents';
import fc from 'fast-check';
import { z } from 'zod';
import { describeIssues, lossyPaths } from '#contracts';
import { decodeSourceRecord } from './source-events.js';
import { SOURCE_EVENT_SAMPLES } from './source-events.js';
import { frameShape } from './core/source-event.js';
import { isSourceEventName, SOURCE_EVENT_SCHEMAS } from './source-events.js';
import type { SourceRecord } from './core/source-record.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const headerName = fc.constantFrom('content-type', 'ce_id', 'ce_source', 'ce_type', 'ce_time', 'ce_specversion', 'x');
const headerValue = fc.oneof(
  fc.constantFrom('application/cloudevents+json', '1.0', 'loyalty.purchase.completed.v1', ...['', 'a']),
  fc.uint8Array({ maxLength: 8 }),
  fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 2 }),
  fc.constant(undefined),
);
const headers = fc.dictionary(headerName, headerValue);

const printable = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text));
const sample = fc.constantFrom(...Object.entries(SOURCE_EVENT_SAMPLES));
const oracleEvent = fc
  .record({
    id: printable,
    source: fc.webPath().map((path) => `/pos${path}`),
    subject: fc.option(printable, { nil: undefined }),
    time: fc.date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date(now), noInvalidDate: true }),
    sequence: fc.option(fc.nat().map(String), { nil: undefined }),
    sample,
    // Keys named __proto__ are dropped on purpose, which the oracle does not do.
    extra: fc.jsonValue({ maxDepth: 3 }).filter((json) => !JSON.stringify(json).includes('__proto__')),
  })
  .map(({ sample: [type, data], time, extra, ...rest }) => ({
    ...(JSON.parse(JSON.stringify(rest)) as typeof rest),
    type,
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data: { ...data, extra },
  }));

/** What a Kafka client makes of the library's message: bytes. */
function onTheWire(message: KafkaMessage): SourceRecord {
  const value = typeof message.value === 'string' ? message.value : JSON.stringify(message.value);
  const named = Object.entries(message.headers).filter(([, text]) => text !== undefined);
  const buffers = named.map(([name, text]): [string, Buffer] => [name, Buffer.from(String(text))]);
  return { value: Buffer.from(value), headers: Object.fromEntries(buffers), now };
}

describe('the cloudevents library as oracle', () => {
  it.each(['structured', 'binary'] as const)('reads what its %s mode writes', (mode) => {
    fc.assert(
      fc.property(oracleEvent, (sent) => {
        const oracle = new CloudEvent<unknown>(sent as ConstructorParameters<typeof CloudEvent<unknown>>[0]);
        const message: unknown = Kafka[mode](oracle);
        const decoded = decodeSourceRecord(onTheWire(message as KafkaMessage));
        if (decoded.kind !== 'event') throw new Error(JSON.stringify(decoded));
        const { id, source, type, subject, time, sequence, sentData } = decoded.event;
        expect({ id, source, type, subject, time, sequence, sentData }).toEqual({
          id: oracle.id,
          source: oracle.source,
          type: oracle.type,
          subject: oracle.subject ?? null,
          time: oracle.time,
          sequence: oracle['sequence'] ?? null,
          sentData: JSON.parse(JSON.stringify(oracle.data)) as unknown,
        });
      }),
    );
  });
});

describe('whatever arrives', () => {
  it('never throws, on bytes', () => {
    fc.assert(
      fc.property(
        fc.option(fc.uint8Array({ maxLength: 64 })),
        fc.option(headers, { nil: undefined }),
        (value, names) => {
          expect(['event', 'tombstone', 'quarantine']).toContain(
            decodeSourceRecord({ value, headers: names, now }).kind,
          );
        },
      ),
    );
  });

  it('never throws, on JSON in place of any part', () => {
    const frame = { specversion: '1.0', id: 'i', source: '/s', time: '2026-11-21T10:15:04Z' };
    const path = fc.constantFrom(
      'data',
      'id',
      'time',
      'type',
      'memberId',
      'total',
      'changed',
      'absorbed',
      'person',
      'pass',
    );
    fc.assert(
      fc.property(sample, path, fc.jsonValue(), ([type, data], part, json) => {
        const mangled = { ...frame, type, data: { ...data, [part]: json }, ...(part in frame ? { [part]: json } : {}) };
        const value = Buffer.from(JSON.stringify(part === 'data' ? { ...mangled, data: json } : mangled));
        const record = { value, headers: { 'content-type': 'application/cloudevents+json' }, now };
        const first = decodeSourceRecord(record);
        expect(['event', 'quarantine']).toContain(first.kind);
        expect(decodeSourceRecord(record)).toEqual(first);
      }),
    );
  });
});

describe('a compiled schema', () => {
  const paths = ['memberId', 'program', 'total', 'lines', 'attributes', 'changed', 'person', 'pass', 'reward', 'scope'];
  const parts = ['id', 'subject', 'sequence', 'traceparent', 'data', ...paths.map((path) => `data.${path}`)];
  const near = fc.constantFrom<unknown[]>('', 'x', 0, -1, 1.5, true, null, [], {}, ['\u0007'], 'x'.repeat(257));
  const money = fc.record({ minor: near, currency: fc.constantFrom('EUR', 'eur'), digits: near, more: near });
  const values = fc.oneof(near, fc.jsonValue({ maxDepth: 2 }), money, fc.array(fc.record({ net: money, sku: near })));
  const changes = fc.array(fc.tuple(fc.constantFrom(...parts), values), { maxLength: 3 });
  // What reading JSON refuses or changes is not the schema's business.
  const isRead = (text: string): boolean => !text.includes('__proto__') && lossyPaths(text, 1).length === 0;

  it('takes and refuses what the schema itself does, in the same words', () => {
    const property = fc.property(sample, changes, ([type, data], changed) => {
      const frame = { specversion: '1.0', id: 'i', source: '/s', time: '2026-11-21T10:15:04Z', type };
      const event: Record<string, unknown> = { ...frame, data: { ...data } };
      for (const [path, value] of changed) {
        const [part = '', within] = path.split('.');
        event[part] = within === undefined ? value : { ...(event[part] as object | null), [within]: value };
      }
      const text = JSON.stringify(event);
      fc.pre(isRead(text) && isSourceEventName(type) && typeof event['id'] === 'string' && event['id'] !== '');
      const headers = { 'content-type': 'application/cloudevents+json' };
      const decoded = decodeSourceRecord({ value: Buffer.from(text), headers, now });
      const sent = JSON.parse(text) as { data: unknown };
      const schema = z.object({ ...frameShape, data: SOURCE_EVENT_SCHEMAS[type] });
      const parsed = schema.safeParse(sent);
      if (!parsed.success) {
        expect(decoded).toEqual({
          kind: 'quarantine',
          reason: 'invalid',
          detail: describeIssues(parsed.error.issues).join('; '),
        });
        return;
      }
      const { time } = frame;
      const read = { ...parsed.data, name: type, time, timeMs: Date.parse(time), sentData: sent.data };
      expect(decoded).toEqual({ kind: 'event', event: read });
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
