import type { PreparedRecord, RecordResult } from '#intents';

import { VirtualClock } from '#test-support';
import { eventRecord, testPrograms } from '../testing/events.js';
import { recordingLogger, recordingMetrics, type LogLine } from '../testing/fakes.js';
import { prepareRecord } from './prepare-record.js';
import { RecordKeys, warnIntervalMs, warnedSourcesMax } from './record-keys.js';

const topic = 'loyalty.purchases';
const context = {
  source: { topic, partition: 0 },
  programs: testPrograms().file,
  now: Date.UTC(2026, 10, 21, 12),
};

function record(key: string | null, source = '/pos/1'): PreparedRecord {
  const event = eventRecord({ id: 'e-1', name: 'loyalty.purchase.completed.v1', frame: { source } });
  return prepareRecord({ ...event, key: key === null ? null : Buffer.from(key) }, context);
}

const recorded: RecordResult = { kind: 'recorded' };
const duplicate: RecordResult = { kind: 'ignored', reason: 'duplicate-event' };

describe('the keys of records', () => {
  let clock: VirtualClock;
  let keys: RecordKeys;
  let counts: ReadonlyMap<string, number>;
  let lines: LogLine[];

  beforeEach(() => {
    clock = new VirtualClock();
    const log = recordingLogger();
    const counted = recordingMetrics();
    ({ lines } = log);
    ({ counts } = counted);
    keys = new RecordKeys({ clock, logger: log.logger, metrics: counted.metrics });
  });

  function take(...records: readonly PreparedRecord[]): void {
    keys.recorded({ topic, records, results: records.map(() => recorded) });
  }

  it('regression: another than the member, or none, is counted and its source told', () => {
    take(record('m_81273'), record('B07-118834'), record(null), record(null), record('', '/pos/2'));
    expect(counts).toEqual(
      new Map([
        ['key:other', 2],
        ['key:none', 2],
      ]),
    );
    expect(lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
      { level: 'warn', fields: { topic, source: '/pos/1', other: 1, none: 2 } },
      { level: 'warn', fields: { topic, source: '/pos/2', other: 1, none: 0 } },
    ]);
  });

  it('are nobody’s risk where nothing is recorded of it', () => {
    const broken = { ...record(null), verdict: { kind: 'quarantine', reason: 'invalid', detail: 'x' } } as const;
    const records = [record(null), broken, broken];
    keys.recorded({ topic, records, results: [duplicate, { kind: 'quarantined', reason: 'invalid' }, recorded] });
    expect([counts.size, lines.length]).toEqual([0, 0]);
  });

  it('are told once an hour for each source, with what came meanwhile', async () => {
    take(record(null));
    await clock.advance(warnIntervalMs - 1);
    take(record('x'), record(null));
    expect(lines).toHaveLength(1);
    await clock.advance(1);
    take(record(null));
    expect(lines[1]?.fields).toMatchObject({ source: '/pos/1', other: 1, none: 2 });
    expect(lines).toHaveLength(2);
  });

  it('are told of so many sources and no more; whoever’s hour is over makes room', async () => {
    const many = Array.from({ length: warnedSourcesMax + 1 }, (_, number) => record(null, `/pos/${number}`));
    take(...many, ...many);
    expect(lines).toHaveLength(warnedSourcesMax);
    await clock.advance(warnIntervalMs);
    take(record(null, '/new'), record(null, '/newer'), record(null, '/pos/999'), record(null, '/new'));
    expect(lines.slice(warnedSourcesMax).map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ source: '/new', none: 2 }),
      expect.objectContaining({ source: '/newer', none: 1 }),
      expect.objectContaining({ source: '/pos/999', none: 1 }),
    ]);
    expect(counts.get('key:none')).toBe(2 * many.length + 4);
  });
});
