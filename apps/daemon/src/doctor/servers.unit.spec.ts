import { judgeOwnership } from './installation.js';
import type { DeclaredSource } from '#contracts';
import { DEFAULT_TOPICS } from '#contracts';

import { troubleRemedy, troubleText } from './kafka-connection.js';
import {
  judgeCommitted,
  judgeGone,
  judgeGroup,
  judgeOpenTransactions,
  judgePositions,
  judgeRetention,
  judgeTopics,
  lookUpPositions,
  judgeShards,
} from './kafka.js';
import { ReadTopics } from './read-topics.js';
import { judgeRole, judgeServer, judgeSettings } from './postgres.js';

const topicNames = { members: 'm', purchases: 'p', rewards: 'r', outcomes: 'o', audit: 'a', deadLetter: null };
const topicsOf = (...names: readonly string[]) => new Map(names.map((name) => [name, { name, partitions: 12 }]));
const web: DeclaredSource = {
  ...{ topics: ['shop.orders'], format: 'json', map: '[]', types: [], programs: ['club'], may: [] },
};

describe('topics', () => {
  it('exist; or not, and then somebody must create them or turn them off', () => {
    const found = judgeTopics(topicNames, { wanted: new ReadTopics({}, topicNames), found: topicsOf('m', 'p', 'o') });
    expect(found.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'kafka.topics.m ok',
      'kafka.topics.p ok',
      'kafka.topics.r failed',
      'kafka.topics.o ok',
      'kafka.topics.a failed',
    ]);
    expect(found[2]?.remedy).not.toContain('none');
    expect(found[4]?.remedy).toContain('KAFKA_TOPIC_AUDIT=none');
  });

  it('of ours may be missing where sources are declared, unless somebody gave them a name', () => {
    const names = { ...DEFAULT_TOPICS, purchases: 'sales', outcomes: null, audit: null, deadLetter: null };
    const topics = { wanted: new ReadTopics({ sources: { web } }, names), found: topicsOf('shop.orders') };
    expect(judgeTopics(names, topics).map(({ name, state }) => `${name} ${state}`)).toEqual([
      'kafka.topics.loyalty.members skipped',
      'kafka.topics.sales failed',
      'kafka.topics.loyalty.rewards skipped',
    ]);
    // Somebody used it.
    const position = { topic: 'loyalty.members', partition: 0, nextOffset: 5 };
    expect(judgeGone(topics, [position])).toMatchObject([{ name: 'kafka.gap.loyalty.members', state: 'failed' }]);
    expect(judgeGone(topics, [{ ...position, topic: 'shop.orders' }])).toEqual([]);
    const withNone = { wanted: new ReadTopics({}, names), found: topicsOf() };
    expect(judgeTopics(names, withNone).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  });

  it('that a source names are that source’s alone', () => {
    const sources = { web: { ...web, topics: ['m'] } };
    const found = judgeTopics(topicNames, { wanted: new ReadTopics({ sources }, topicNames), found: topicsOf() });
    expect(found.map(({ name }) => name)).not.toContain('kafka.topics.m');
  });

  const day = 86_400_000;
  it.each([
    ['for a week', { retentionMs: 7 * day, isCompacted: false }, 'kafka.retention ok'],
    ['for ever', { retentionMs: null, isCompacted: false }, 'kafka.retention ok'],
    ['shorter than an outage lasts', { retentionMs: day, isCompacted: false }, 'kafka.retention.p warning'],
    ['only the last of a member', { retentionMs: null, isCompacted: true }, 'kafka.retention.p failed'],
  ])('keep their records: %s', (_how, settings, expected) => {
    const found = judgeRetention([{ name: 'p', minInsyncReplicas: null, ...settings }]);
    expect(found.map(({ name, state }) => `${name} ${state}`)).toEqual([expected]);
  });
});

describe('the group', () => {
  const group = (state: string, members: number) =>
    judgeGroup('g', { state, members, isOwn: () => null, shards: { members: [], topics: [] } }).state;

  it('has members and is stable', () => {
    expect([group('Stable', 2), group('Empty', 0), group('Dead', 0), group('PreparingRebalance', 1)]).toEqual([
      'ok',
      'warning',
      'warning',
      'warning',
    ]);
  });
});

describe('positions', () => {
  const ends = (low: number, high: number, stable = high) => new Map([['p', [{ partition: 0, low, high, stable }]]]);
  const at = (stored: number | null) => (stored === null ? [] : [{ topic: 'p', partition: 0, nextOffset: stored }]);
  const told = (looked: Parameters<typeof judgePositions>[0]): readonly string[] =>
    judgePositions(looked).map(({ name, state }) => `${name} ${state}`);
  const judge = (low: number, high: number, stored: number | null) =>
    told({ before: at(stored), watermarks: ends(low, high), after: at(stored) });

  it.each([
    { where: 'at the end', place: [0, 50, 50], expected: ['kafka.lag ok', 'kafka.gap ok'] },
    { where: 'never consumed', place: [10, 50, null], expected: ['kafka.lag ok', 'kafka.gap ok'] },
    { where: 'far behind', place: [0, 200_000, 10], expected: ['kafka.lag warning', 'kafka.gap ok'] },
    { where: 'before the oldest record', place: [20, 50, 10], expected: ['kafka.lag ok', 'kafka.gap.p/0 failed'] },
    { where: 'beyond the newest', place: [0, 5, 10], expected: ['kafka.lag ok', 'kafka.gap.p/0 warning'] },
  ] as const)('$where', ({ place: [low, high, stored], expected }) => {
    expect(judge(low, high, stored)).toEqual(expected);
  });

  it.each([
    ['no transaction', 50, [], ['kafka.transaction ok']],
    ['one that has just written', 40, [-59_999], ['kafka.transaction ok']],
    ['one that stays open', 40, [-60_000], ['kafka.transaction.p/0 failed']],
    ['one that nobody can name', 40, [], ['kafka.transaction.p/0 warning']],
  ] as const)('regression: %s', (_what, stable, writtenAt, expected) => {
    const now = 1_000_000;
    const of = { topic: 'p', partition: 0, producerId: '7', startOffset: 40 };
    const open = writtenAt.map((ms) => ({ ...of, lastAt: now + ms }));
    const found = judgeOpenTransactions(ends(0, 50, stable), open, now);
    expect(found.map(({ name, state }) => `${name} ${state}`)).toEqual(expected);
    for (const { state, detail } of found) {
      if (state === 'failed') expect(detail).toMatch(/producer 7.*60 s ago.*10 records from 40 on/);
    }
  });

  it('regression: records that come, are consumed and deleted while the broker answers are no gap', async () => {
    let [low, high, stored] = [0, 50, 50];
    /** Ten more come and are consumed, and retention takes all that were there before. */
    const traffic = (): void => {
      [low, high, stored] = [high, high + 10, stored + 10];
    };
    const busy = async <Value>(read: () => Value): Promise<Value> => {
      traffic();
      const value = read();
      await Promise.resolve();
      traffic();
      return value;
    };
    const looked = await lookUpPositions(
      () => busy(() => at(stored)),
      () => busy(() => ends(low, high)),
    );
    expect(told(looked)).toEqual(['kafka.lag ok', 'kafka.gap ok']);
  });

  it('of no topic say nothing', () => {
    expect(judgePositions({ before: [], watermarks: new Map(), after: [] })).toMatchObject([
      { name: 'kafka.lag', state: 'skipped' },
    ]);
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

const wellSettings: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
};

describe('settings of Postgres', () => {
  const judge = (changes: Record<string, string> = {}) =>
    judgeSettings(new Map(Object.entries({ ...wellSettings, ...changes })));

  it('are well, and told', () => {
    expect(judge()).toMatchObject([{ name: 'postgres.settings', state: 'ok' }]);
    expect(judge()[0]?.detail).toBe('fsync=on, full_page_writes=on, synchronous_commit=on');
    expect(judge({ synchronous_commit: 'local' })).toMatchObject([{ state: 'ok' }]);
  });

  it('are advised on where they only cost more than they need', () => {
    const [finding] = judge({ wal_compression: 'off' });
    expect(finding?.state).toBe('ok');
    expect(finding?.detail).toContain('wal_compression=off: lz4 or zstd');
    expect(judge({ wal_compression: 'lz4' })[0]?.detail).toMatch(/, wal_compression=lz4$/);
  });

  it.each(['fsync', 'full_page_writes', 'synchronous_commit'])('%s=off is a failure, alone', (setting) => {
    expect(judge({ [setting]: 'off' })).toMatchObject([{ name: `postgres.settings.${setting}`, state: 'failed' }]);
  });
});

describe('the server', () => {
  const server = { versionNumber: 180_004, version: '18.4', isStandby: false, isReadOnly: false };

  it.each([
    [140_011, 'failed'],
    [150_000, 'ok'],
    [180_004, 'ok'],
    [190_000, 'warning'],
  ])('of version %i is %s', (versionNumber, state) => {
    expect(judgeServer({ ...server, versionNumber })[0]?.state).toBe(state);
  });

  it('takes writes, or says why not', () => {
    const primary = (more: object): string | undefined => judgeServer({ ...server, ...more })[1]?.detail;
    expect(primary({})).toBe('it takes writes');
    expect(primary({ isStandby: true })).toContain('standby');
    expect(primary({ isReadOnly: true })).toContain('default_transaction_read_only');
  });
});

describe('the role', () => {
  const role = { name: 'daemon', isOwner: false, lacks: [], exceeds: [] };

  it('may do what it needs, and no more', () => {
    expect(judgeRole(role)).toMatchObject({ state: 'ok' });
    expect(judgeRole({ ...role, isOwner: true })).toMatchObject({ name: 'postgres.role', state: 'warning' });
    const exceeds = ['DELETE ON intent'];
    expect(judgeRole({ ...role, exceeds })).toMatchObject({
      state: 'warning',
      detail: 'daemon may more than it needs: DELETE ON intent',
    });
    const lacks = ['INSERT (seq) ON intent'];
    expect(judgeRole({ ...role, lacks, exceeds })).toMatchObject({
      state: 'failed',
      detail: 'daemon lacks INSERT (seq) ON intent',
    });
  });
});

describe('who may record and send', () => {
  const held = { epoch: 3, place: '77/5', here: '77/5', state: 'held', shard: null } as const;

  it('is whom the epoch was given to', () => {
    expect(judgeOwnership(held)).toMatchObject({ name: 'installation.ownership', state: 'ok' });
    expect(judgeOwnership(null)).toMatchObject({ state: 'skipped' });
  });

  it.each([
    [{ ...held, here: '78/5' }, 'this database is a copy: epoch 3 was given to 77/5, this one is 78/5'],
    [{ ...held, state: 'released' as const }, 'given up by `loyaltyd disown`'],
  ])('is no copy, nor who has given it up', (ownership, detail) => {
    expect(judgeOwnership(ownership)).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining(detail) as string,
    });
  });
});

describe('the shards of a shop', () => {
  const claim = { shop: 'coffee', place: '77/5', epoch: 1, partitions: [0], count: 2 };
  const topics = new Map([['sales', [0, 1]]]);
  const judged = (...claims: (typeof claim)[]) =>
    judgeShards({ members: claims.map((each, at) => ({ memberId: `${at}`, claim: each })), topics: ['sales'] }, topics);

  it('read every partition together', () => {
    expect(judged(claim, { ...claim, place: '78/5', partitions: [1] })).toMatchObject({ state: 'ok' });
  });

  it('are told of what nobody reads', () => {
    expect(judged(claim)).toMatchObject({
      name: 'kafka.shards',
      state: 'failed',
      detail: 'read by nobody: sales/1 (unowned)',
    });
    expect(judged(claim, { ...claim, place: '78/5', partitions: [0, 1] }).detail).toBe(
      'read by nobody: sales/0 (contested)',
    );
  });
});
