import type { PreparedRecord, RecordResult } from '#intents';

import { VirtualClock } from '#test-support';
import { eventRecord, testPrograms } from '../testing/events.js';
import { recordingLogger, recordingMetrics, type LogLine } from '../testing/fakes.js';
import { MemberOrder, rememberedMembersMax, warnedSourcesMax, warnIntervalMs } from './member-order.js';
import { prepareRecord } from './prepare-record.js';

const topic = 'loyalty.purchases';
const context = {
  source: { topic, partition: 0 },
  authority: null,
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
  let order: MemberOrder;
  let counts: ReadonlyMap<string, number>;
  let lines: LogLine[];

  beforeEach(() => {
    clock = new VirtualClock();
    const log = recordingLogger();
    const counted = recordingMetrics();
    ({ lines } = log);
    ({ counts } = counted);
    order = new MemberOrder({ clock, logger: log.logger, metrics: counted.metrics });
  });

  function take(...records: readonly PreparedRecord[]): void {
    order.recorded({ source: context.source, records, results: records.map(() => recorded) });
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
    order.recorded({
      source: context.source,
      records,
      results: [duplicate, { kind: 'quarantined', reason: 'invalid' }, recorded],
    });
    expect([counts.size, lines.length]).toEqual([0, 0]);
  });

  it.each(['loyalty.purchase.refunded.v1', 'loyalty.purchase.voided.v1'] as const)(
    'regression: may be any where a record names no member: %s without the card',
    (name) => {
      const event = eventRecord({ id: 'e-1', name, data: { memberId: undefined } });
      const returned = prepareRecord(event, context);
      expect(returned.verdict.kind).toBe('routed');
      take(returned, prepareRecord({ ...event, key: null }, context));
      expect([counts.size, lines]).toEqual([0, []]);
    },
  );

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

function ofMember(memberId: string): PreparedRecord {
  const event = eventRecord({
    id: 'e-1',
    name: 'loyalty.purchase.completed.v1',
    frame: { source: '/pos/1' },
    data: { memberId },
  });
  return prepareRecord(event, context);
}

describe('members in two partitions', () => {
  let order: MemberOrder;
  let counts: ReadonlyMap<string, number>;
  let lines: LogLine[];

  beforeEach(() => {
    const log = recordingLogger();
    const counted = recordingMetrics();
    ({ lines } = log);
    ({ counts } = counted);
    order = new MemberOrder({ clock: new VirtualClock(), logger: log.logger, metrics: counted.metrics });
  });

  function take(partition: number, ids: readonly string[], of = topic, result: RecordResult = recorded): void {
    const source = { topic: of, partition };
    order.recorded({ source, records: ids.map(ofMember), results: ids.map(() => result) });
  }

  const count = (): number => counts.get('two-partitions') ?? 0;

  it('regression: are counted, each once, and told once an hour with the source', () => {
    take(0, ['m_1', 'm_2']);
    take(3, ['m_3', 'm_1']);
    take(0, ['m_1', 'm_2', 'm_2']);
    take(3, ['m_1', 'm_2', 'm_3']);
    expect(count()).toBe(2);
    expect(lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
      { level: 'warn', fields: { topic, partitions: [0, 3], source: '/pos/1' } },
    ]);
  });

  it('are no members of two topics, nor what was only told again', () => {
    take(0, ['m_1']);
    take(1, ['m_1'], 'loyalty.members');
    take(1, ['m_1'], topic, { kind: 'ignored', reason: 'duplicate-event' });
    expect(count()).toBe(0);
  });

  it('are not those who move once the partitions are given out anew', () => {
    take(0, ['m_1']);
    order.reassigned();
    take(1, ['m_1']);
    expect(count()).toBe(0);
  });

  it('are found among so many members as are remembered', () => {
    take(0, ['first', 'second']);
    const others = Array.from({ length: rememberedMembersMax - 1 }, (_, index) => `m_${index}`);
    const [template] = [ofMember('template')];
    const verdictOf = (memberId: string): PreparedRecord['verdict'] =>
      template.verdict.kind === 'routed'
        ? { ...template.verdict, intents: template.verdict.intents.map((intent) => ({ ...intent, memberId })) }
        : template.verdict;
    const records = others.map((memberId) => ({ ...template, verdict: verdictOf(memberId) }));
    order.recorded({ source: { topic, partition: 0 }, records, results: records.map(() => recorded) });
    take(1, ['first']);
    expect(count()).toBe(0);
    take(1, ['m_7']);
    expect(count()).toBe(1);
  });
});
