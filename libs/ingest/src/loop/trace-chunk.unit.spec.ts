import type { PreparedRecord, RecordResult } from '#intents';
import { noTracer } from '#platform';
import { RecordingTracer } from '#test-support';
import { eventRecord, testPrograms } from '../testing/events.js';
import { prepareRecord } from './prepare-record.js';
import { traceChunk } from './trace-chunk.js';

const at = Date.UTC(2026, 10, 21, 12);
const source = { topic: 'loyalty.purchases', partition: 3 };
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function prepared(own: string | null): PreparedRecord {
  const sketch = { id: 'e-1', name: 'loyalty.purchase.completed.v1' } as const;
  const record = {
    ...eventRecord(sketch),
    ...(own === null ? {} : { headers: { ...eventRecord(sketch).headers, traceparent: own } }),
  };
  return prepareRecord(record, { source, programs: testPrograms().file, now: at });
}

const bad: PreparedRecord = {
  ...prepared(null),
  verdict: { kind: 'quarantine', reason: 'invalid', detail: 'data: x' },
};
const recorded: RecordResult = { kind: 'recorded' };

function contextOf({ verdict }: PreparedRecord): string | null | undefined {
  return verdict.kind === 'routed' ? verdict.traceparent : undefined;
}

describe('the spans of a chunk', () => {
  it('continue the traces of its records, and what is recorded continues them', () => {
    const tracer = new RecordingTracer();
    const chunk = traceChunk(tracer, { source, records: [prepared(traceparent), bad, prepared(null)], at });
    const [first, second] = tracer.spans;
    expect(tracer.spans.map(({ parent }) => parent)).toEqual([traceparent, null]);
    expect(chunk.records.map(contextOf)).toEqual([first?.traceparent, undefined, second?.traceparent]);

    chunk.recorded(
      [recorded, { kind: 'quarantined', reason: 'invalid' }, { kind: 'ignored', reason: 'duplicate-event' }],
      at + 5,
    );
    expect(first).toMatchObject({
      ...{ name: 'process loyalty.purchases', kind: 'consumer' },
      attributes: { 'messaging.destination.partition.id': '3', 'loyaltyd.event_type': 'loyalty.purchase.completed.v1' },
      ended: { at: at + 5, attributes: { 'loyaltyd.result': 'recorded' }, isError: false },
    });
    expect(second?.ended).toMatchObject({ attributes: { 'loyaltyd.result': 'duplicate-event' } });
  });

  it('are none where nothing is traced; the record keeps its own trace', () => {
    const records = [prepared(traceparent)];
    const chunk = traceChunk(noTracer, { source, records, at });
    chunk.recorded([recorded], at);
    expect(chunk.records).toBe(records);
    expect(chunk.records.map(contextOf)).toEqual([traceparent]);
  });
});
