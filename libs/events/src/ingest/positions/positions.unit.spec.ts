import { SystemRandom } from '#platform';

import { VirtualClock } from '#test-support';
import type { FetchedBatch, FetchedRecord } from '#kafka';
import { FakeOffsets, FakeSource, recordingLogger, recordingMetrics } from '../testing/fakes.js';
import { recordRetryMsMax } from '../loop/ingest-step.js';
import { gapRecheckMs, Positions } from './positions.js';

const partition = { topic: 'p', partition: 0 };

function setUp(stored?: number, last: { readonly offset: number; readonly text: string } | null = null) {
  const source = new FakeSource();
  const database = new FakeOffsets();
  const proof = last === null ? {} : { last_offset: last.offset, last_fingerprint: Buffer.from(last.text) };
  if (stored !== undefined) database.store({ ...partition, incarnation: 2, next_offset: stored, ...proof });
  const clock = new VirtualClock();
  const { logger, lines } = recordingLogger();
  const { metrics, counts } = recordingMetrics();
  const fingerprint = ({ value }: FetchedRecord): Uint8Array => value ?? new Uint8Array();
  const tools = { source, database, clock, random: new SystemRandom(), logger, metrics, fingerprint };
  const positions = new Positions(tools, { kind: 'earliest' });
  return { source, database, clock, lines, counts, positions };
}

function fetched(fetchedFrom: number, ...texts: readonly string[]): FetchedBatch {
  const records = texts.map((text, index) => {
    const offset = fetchedFrom + index;
    return { offset, brokerAt: 0, key: null, value: Buffer.from(text), headers: undefined };
  });
  const nextOffset = fetchedFrom + Math.max(1, records.length);
  return { ...partition, fetchedFrom, nextOffset, highWatermark: 100, records };
}

const placed = (fetchFrom: number, position = fetchFrom, storedOffset = position): object => ({
  ...{ kind: 'placed', fetchFrom, position, storedOffset },
});

describe('an assigned partition', () => {
  it('is sought to its stored offset, then resumed', async () => {
    const { positions, source, clock } = setUp(40);
    positions.assign([partition]);
    expect(positions.arrived(fetched(0))).toEqual({ kind: 'unplaced' });
    await clock.advance(0);
    expect(source.told).toEqual(['seek p/0 40', 'resume p/0']);
    expect(positions.arrived(fetched(0))).toEqual(placed(40));
    expect(positions.sourceOf(partition)).toEqual({ clusterId: 'c', ...partition, incarnation: 2 });
  });

  it('is stored first when it was never seen', async () => {
    const { positions, database, source, clock } = setUp();
    source.watermarks = [{ partition: 0, low: 7, high: 100 }];
    positions.assign([partition]);
    await clock.advance(0);
    expect(database.rows).toMatchObject([{ ...partition, incarnation: 1, next_offset: 7 }]);
    expect(source.told).toEqual(['seek p/0 7', 'resume p/0']);
  });

  it('stays paused until the database answers', async () => {
    const { positions, database, source, clock } = setUp(40);
    database.isAway = true;
    positions.assign([partition]);
    await clock.advance(60_000);
    expect(source.told).toEqual([]);
    database.isAway = false;
    await clock.advance(10_000);
    expect(source.told).toEqual(['seek p/0 40', 'resume p/0']);
  });

  it('is left alone when it was taken away meanwhile', async () => {
    const { positions, source, clock } = setUp(40);
    positions.assign([partition]);
    positions.assign([]);
    await clock.advance(1_000);
    expect(source.told).toEqual([]);
    expect(positions.sourceOf(partition)).toBeNull();
  });

  it('stays stopped at a gap, reported once, until somebody accepts it; then goes on at the oldest record left', async () => {
    const { positions, database, source, clock, counts, lines } = setUp(40);
    source.watermarks = [{ partition: 0, low: 50, high: 100 }];
    positions.assign([partition]);
    await clock.advance(3 * gapRecheckMs);
    expect(source.told).toEqual([]);
    expect(counts.get('gap')).toBe(1);
    database.isGapAccepted = true;
    source.watermarks = [{ partition: 0, low: 55, high: 100 }];
    await clock.advance(gapRecheckMs);
    expect(source.told).toEqual(['seek p/0 55', 'resume p/0']);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a partition whose next record cannot be read yet', () => {
  const unread = { failure: 'http-503', chance: 0.5 };

  it('is paused, looked at again with growing delays, and told of until something of it is recorded', async () => {
    const { positions, source, clock, lines } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    source.told.length = 0;
    const waits: number[] = [];
    for (let times = 0; times < 20; times += 1) {
      positions.defer(partition, unread);
      const before = clock.now();
      while (source.told.at(-1) !== 'resume p/0') await clock.advance(10);
      waits.push(clock.now() - before);
      expect(source.told.splice(0)).toEqual(['pause p/0', 'resume p/0']);
    }
    expect(waits[1]).toBeGreaterThan(waits[0]!);
    expect(Math.max(...waits)).toBeLessThanOrEqual(recordRetryMsMax);
    expect(positions.waiting).toEqual([{ ...partition, forMs: waits.reduce((sum, each) => sum + each) }]);
    expect(positions.current).toEqual([{ ...partition, nextOffset: 40 }]);
    positions.progressed(partition, 41, 41);
    expect(positions.waiting).toEqual([]);
    expect(lines.map(({ level }) => level)).toEqual(['info', 'warn', 'info']);
  });

  it('is not resumed when it is not ours any more', async () => {
    const { positions, source, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.defer(partition, unread);
    positions.assign([]);
    await clock.advance(60_000);
    expect(source.told.at(-1)).toBe('pause p/0');
    expect(positions.waiting).toEqual([]);
  });
});

describe('a partition at a gap', () => {
  it('is counted once, however often it is assigned anew, and the next gap once more', async () => {
    const { positions, database, source, clock, counts } = setUp(40);
    source.watermarks = [{ partition: 0, low: 50, high: 100 }];
    for (let times = 0; times < 3; times += 1) {
      positions.assign([partition]);
      await clock.advance(0);
    }
    expect(counts.get('gap')).toBe(1);
    database.isGapAccepted = true;
    await clock.advance(gapRecheckMs);
    expect(source.told).toEqual(['seek p/0 50', 'resume p/0']);
    database.isGapAccepted = false;
    source.watermarks = [{ partition: 0, low: 60, high: 100 }];
    positions.assign([partition]);
    await clock.advance(0);
    expect(counts.get('gap')).toBe(2);
  });

  it('stands where it stopped, for as long as it is ours: its lag is told', async () => {
    const { positions, database, source, clock } = setUp(40);
    source.watermarks = [{ partition: 0, low: 50, high: 100 }];
    positions.assign([partition]);
    await clock.advance(2 * gapRecheckMs);
    expect(positions.current).toEqual([{ ...partition, nextOffset: 40 }]);
    positions.assign([]);
    await clock.advance(gapRecheckMs);
    expect(positions.current).toEqual([]);
    positions.assign([partition]);
    await clock.advance(0);
    database.isGapAccepted = true;
    await clock.advance(gapRecheckMs);
    expect(positions.current).toEqual([{ ...partition, nextOffset: 50 }]);
  });
});

describe('the last record consumed', () => {
  const last = { offset: 38, text: 'ours' };

  it('is fetched once more: where it is still there, the partition goes on where it stood', async () => {
    const { positions, source, clock } = setUp(40, last);
    positions.assign([partition]);
    await clock.advance(0);
    expect(source.told).toEqual(['seek p/0 38', 'resume p/0']);
    expect(positions.arrived(fetched(38, 'ours', 'next'))).toEqual(placed(38, 40));
    positions.progressed(partition, 41, 41);
    expect(positions.arrived(fetched(41, 'more'))).toEqual(placed(41));
  });

  it('begins a new incarnation at the oldest record when another one is there', async () => {
    const { positions, database, source, clock } = setUp(40, last);
    source.watermarks = [{ partition: 0, low: 3, high: 100 }];
    positions.assign([partition]);
    await clock.advance(0);
    const batch = fetched(38, 'theirs');
    expect(positions.arrived(batch)).toEqual({ kind: 'foreign' });
    positions.reposition(partition, 38);
    await clock.advance(0);
    expect(database.rows).toMatchObject([
      { incarnation: 2, next_offset: 40 },
      { incarnation: 3, next_offset: 3 },
    ]);
    expect(source.told.slice(2)).toEqual(['pause p/0', 'seek p/0 3', 'resume p/0']);
    expect(positions.sourceOf(partition)).toMatchObject({ incarnation: 3 });
  });

  it('proves nothing when it is not there any more, and nothing speaks against us', async () => {
    const { positions, clock } = setUp(40, last);
    positions.assign([partition]);
    await clock.advance(0);
    const compacted = { ...fetched(41, 'later'), fetchedFrom: 38 };
    expect(positions.arrived(compacted)).toEqual(placed(38, 40));
  });

  it('is not asked for when retention took it', async () => {
    const { positions, source, clock } = setUp(40, last);
    source.watermarks = [{ partition: 0, low: 39, high: 100 }];
    positions.assign([partition]);
    await clock.advance(0);
    expect(source.told).toEqual(['seek p/0 40', 'resume p/0']);
  });

  it('is not waited for where the client passed over it by itself', async () => {
    const { positions, clock } = setUp(40, last);
    positions.assign([partition]);
    await clock.advance(0);
    positions.skipped({ ...partition, from: 38, nextOffset: 40 });
    expect(positions.arrived(fetched(40, 'theirs'))).toEqual(placed(40));
  });
});

describe('a source that is elsewhere', () => {
  it('is sent back to where we stand', async () => {
    const { positions, source, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.reposition(partition, 60);
    expect(positions.arrived(fetched(60))).toEqual({ kind: 'unplaced' });
    await clock.advance(0);
    expect(source.told.slice(2)).toEqual(['pause p/0', 'seek p/0 40', 'resume p/0']);
    expect(positions.arrived(fetched(40))).toEqual(placed(40));
  });

  it('is believed when it comes from there and nothing was lost: the rest was filtered out', async () => {
    const { positions, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.reposition(partition, 60);
    await clock.advance(0);
    expect(positions.arrived(fetched(62))).toEqual(placed(40));
    expect(positions.arrived(fetched(60))).toEqual(placed(60, 60, 40));
    positions.progressed(partition, 61, 61);
    expect(positions.arrived(fetched(70))).toEqual(placed(61));
  });

  it('is never believed when it comes from before: a topic that was created anew begins there', async () => {
    const { positions, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.reposition(partition, 0);
    await clock.advance(0);
    expect(positions.arrived(fetched(0))).toEqual(placed(40));
  });
});

describe('what the client passed over', () => {
  it('moves the partition on when it begins where we stand, not when it lies beyond; the database stands where it was', async () => {
    const { positions, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.skipped({ ...partition, from: 45, nextOffset: 50 });
    expect(positions.arrived(fetched(0))).toEqual(placed(40));
    positions.skipped({ ...partition, from: 40, nextOffset: 42 });
    expect(positions.arrived(fetched(0))).toEqual(placed(42, 42, 40));
    positions.progressed(partition, 45, null);
    expect(positions.arrived(fetched(0))).toEqual(placed(45, 45, 40));
    positions.progressed(partition, 48, 48);
    expect(positions.arrived(fetched(0))).toEqual(placed(48));
  });
});
