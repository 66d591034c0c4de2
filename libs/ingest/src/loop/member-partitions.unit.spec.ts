import type { PreparedRecord, RecordResult } from '#intents';

import { VirtualClock } from '#test-support';
import { eventRecord, testPrograms } from '../testing/events.js';
import { recordingLogger, recordingMetrics, type LogLine } from '../testing/fakes.js';
import { MemberPartitions, rememberedMembersMax } from './member-partitions.js';
import { prepareRecord } from './prepare-record.js';

const topic = 'loyalty.purchases';

function record(memberId: string): PreparedRecord {
  const event = eventRecord({
    id: 'e-1',
    name: 'loyalty.purchase.completed.v1',
    frame: { source: '/pos/1' },
    data: { memberId },
  });
  const source = { topic, partition: 0 };
  const now = Date.UTC(2026, 10, 21, 12);
  return prepareRecord(event, { source, programs: testPrograms().file, now });
}

const recorded: RecordResult = { kind: 'recorded' };

describe('members in two partitions', () => {
  let members: MemberPartitions;
  let counts: ReadonlyMap<string, number>;
  let lines: LogLine[];

  beforeEach(() => {
    const log = recordingLogger();
    const counted = recordingMetrics();
    ({ lines } = log);
    ({ counts } = counted);
    members = new MemberPartitions({ clock: new VirtualClock(), logger: log.logger, metrics: counted.metrics });
  });

  function take(partition: number, ids: readonly string[], of = topic, result: RecordResult = recorded): void {
    const source = { topic: of, partition };
    members.recorded({ source, records: ids.map(record), results: ids.map(() => result) });
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
    members.forget();
    take(1, ['m_1']);
    expect(count()).toBe(0);
  });

  it('are found among so many members as are remembered', () => {
    take(0, ['first', 'second']);
    const others = Array.from({ length: rememberedMembersMax - 1 }, (_, index) => `m_${index}`);
    const [template] = [record('template')];
    const verdictOf = (memberId: string): PreparedRecord['verdict'] =>
      template.verdict.kind === 'routed'
        ? { ...template.verdict, intents: template.verdict.intents.map((intent) => ({ ...intent, memberId })) }
        : template.verdict;
    const records = others.map((memberId) => ({ ...template, verdict: verdictOf(memberId) }));
    members.recorded({ source: { topic, partition: 0 }, records, results: records.map(() => recorded) });
    take(1, ['first']);
    expect(count()).toBe(0);
    take(1, ['m_7']);
    expect(count()).toBe(1);
  });
});
