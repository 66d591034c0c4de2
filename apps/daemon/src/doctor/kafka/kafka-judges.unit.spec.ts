import type { InspectedTopic, TopicSettings } from '#ingest';

import { judgeGroup, judgeMembers } from './check-group.js';
import { judgePositions } from './check-positions.js';
import { judgeCommitted } from './check-restored.js';
import { judgeRetention } from './check-retention.js';
import { judgePartitions, judgeTopics } from './check-topics.js';
import { troubleRemedy, troubleText } from './describe-trouble.js';

const names = { members: 'm', purchases: 'p', rewards: 'r', outcomes: 'o', deadLetter: null };
const topic = (name: string, more: Partial<InspectedTopic> = {}): InspectedTopic => ({
  name,
  partitions: 12,
  copies: 3,
  lackingCopies: 0,
  ...more,
});
const all = (...topics: readonly InspectedTopic[]) => new Map(topics.map((each) => [each.name, each]));

describe('topics', () => {
  it('exist, with their copies; or not, and then somebody must create them', () => {
    const found = judgeTopics(names, all(topic('m'), topic('p', { lackingCopies: 2 }), topic('o')));
    expect(found.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'kafka.topics.m ok',
      'kafka.topics.p warning',
      'kafka.topics.r failed',
      'kafka.topics.o ok',
      'kafka.topics.dead-letter skipped',
      'kafka.partitions ok',
    ]);
  });

  it('have one number of partitions, or replicas get unequal shares', () => {
    expect(judgePartitions([topic('m'), topic('p', { partitions: 6 })])).toMatchObject([{ state: 'warning' }]);
    expect(judgePartitions([])).toMatchObject([{ state: 'ok' }]);
  });

  const settings = (name: string, more: Partial<TopicSettings> = {}): TopicSettings => ({
    name,
    retentionMs: 7 * 86_400_000,
    retentionBytes: null,
    isCompacted: false,
    ...more,
  });

  it('keep their records longer than an outage lasts', () => {
    const day = 86_400_000;
    expect(judgeRetention(names, [settings('m'), settings('o', { retentionMs: day })])).toMatchObject([
      { state: 'ok' },
    ]);
    expect(judgeRetention(names, [settings('p', { retentionMs: null })])).toMatchObject([{ detail: 'p for ever' }]);
    expect(judgeRetention(names, [settings('p', { retentionMs: day })])).toMatchObject([
      { name: 'kafka.retention.p', state: 'warning', detail: expect.stringContaining('24 h') as string },
    ]);
  });

  it('are not compacted: that loses all but the last record of a member', () => {
    expect(
      judgeRetention(names, [settings('p', { isCompacted: true }), settings('o', { isCompacted: true })]),
    ).toMatchObject([
      { name: 'kafka.retention.p', state: 'failed' },
      { name: 'kafka.retention.o', state: 'warning' },
    ]);
  });
});

describe('the group', () => {
  const group = (state: string, members: number) => judgeGroup('g', { state, members, isOwn: () => null }).state;

  it('has members and is stable', () => {
    expect([group('Stable', 2), group('Empty', 0), group('Dead', 0), group('PreparingRebalance', 1)]).toEqual([
      'ok',
      'warning',
      'warning',
      'warning',
    ]);
  });

  it('has no more members than a topic has partitions', () => {
    expect(judgeMembers([topic('m'), topic('p')], 12).state).toBe('ok');
    expect(judgeMembers([topic('m'), topic('p', { partitions: 2 })], 3)).toMatchObject({
      state: 'warning',
      detail: '3 consumers share 2 partitions of p',
    });
  });
});

describe('positions', () => {
  const judge = (low: number, high: number, stored: number | null) =>
    judgePositions(
      new Map([['p', [{ partition: 0, low, high }]]]),
      stored === null ? [] : [{ topic: 'p', partition: 0, nextOffset: stored }],
    ).map(({ name, state }) => `${name} ${state}`);

  it.each([
    { where: 'at the end', place: [0, 50, 50], expected: ['kafka.lag ok', 'kafka.gap ok'] },
    { where: 'never consumed', place: [10, 50, null], expected: ['kafka.lag ok', 'kafka.gap ok'] },
    { where: 'far behind', place: [0, 200_000, 10], expected: ['kafka.lag warning', 'kafka.gap ok'] },
    { where: 'before the oldest record', place: [20, 50, 10], expected: ['kafka.lag ok', 'kafka.gap.p/0 failed'] },
    { where: 'beyond the newest', place: [0, 5, 10], expected: ['kafka.lag ok', 'kafka.gap.p/0 warning'] },
  ] as const)('$where', ({ place: [low, high, stored], expected }) => {
    expect(judge(low, high, stored)).toEqual(expected);
  });

  it('of no topic say nothing', () => {
    expect(judgePositions(new Map(), [])).toMatchObject([{ name: 'kafka.lag', state: 'skipped' }]);
  });
});

describe('what Kafka remembers of our group', () => {
  const at = (nextOffset: number) => ({ topic: 'p', partition: 0, nextOffset });
  const recovery = { recoveredFrom: 0, startedAt: 1, producedUntil: 2, open: 0, undecided: 0 };

  it('is no more than the database knows', () => {
    expect(judgeCommitted([at(50)], [at(50)], null)).toMatchObject({ state: 'ok' });
    // Never consumed into this database: where it begins is a setting.
    expect(judgeCommitted([at(50)], [], null)).toMatchObject({ state: 'ok' });
  });

  it('is more after a restore: a failure until that is told', () => {
    const found = judgeCommitted([at(50)], [at(30)], null);
    expect(found).toMatchObject({ state: 'failed', remedy: expect.stringContaining('--recovered-from') as string });
    expect(found.detail).toContain('p/0 up to 50');
    expect(judgeCommitted([at(50)], [at(30)], recovery)).toMatchObject({ state: 'warning' });
  });
});

describe('trouble', () => {
  it('is told with the broker that it is about, also where another one named it', () => {
    const trouble = { kind: 'unreachable', code: 'ENOTFOUND', broker: 'kafka-0:9092' } as const;
    expect(troubleText(trouble, 'kafka-0:9092')).toBe('kafka-0:9092: cannot be reached (ENOTFOUND)');
    expect(troubleText(trouble, 'b:1')).toBe('b:1: kafka-0:9092, which it names, cannot be reached (ENOTFOUND)');
    expect(troubleText(trouble)).toContain('kafka-0:9092');
    expect(troubleText({ ...trouble, broker: null })).toBe('cannot be reached (ENOTFOUND)');
    expect(troubleRemedy(trouble)).toContain('advertised.listeners');
  });
});
