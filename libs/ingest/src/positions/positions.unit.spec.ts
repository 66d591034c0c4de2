import { SystemRandom } from '#platform';

import type { FetchedBatch } from '../source/source.js';
import { FakeOffsets } from '../testing/fake-offsets.js';
import { FakeSource } from '../testing/fake-source.js';
import { recordingLogger, recordingMetrics } from '../testing/recording-log.js';
import { VirtualClock } from '../testing/virtual-clock.js';
import { gapRecheckMs, Positions } from './positions.js';

const partition = { topic: 'p', partition: 0 };

function setUp(stored?: number) {
  const source = new FakeSource();
  const database = new FakeOffsets();
  if (stored !== undefined) database.rows.push({ ...partition, incarnation: 2, next_offset: stored });
  const clock = new VirtualClock();
  const { logger, lines } = recordingLogger();
  const { metrics, counts } = recordingMetrics();
  const tools = { source, database, clock, random: new SystemRandom(), logger, metrics };
  const positions = new Positions(tools, { kind: 'earliest' });
  return { source, database, clock, lines, counts, positions };
}

function fetched(fetchedFrom: number): FetchedBatch {
  return { ...partition, fetchedFrom, nextOffset: fetchedFrom + 1, highWatermark: 100, records: [] };
}

describe('an assigned partition', () => {
  it('is sought to its stored offset, then resumed', async () => {
    const { positions, source, clock } = setUp(40);
    positions.assign([partition]);
    expect(positions.expectedFrom(fetched(0))).toBeNull();
    await clock.advance(0);
    expect(source.told).toEqual(['seek p/0 40', 'resume p/0']);
    expect(positions.expectedFrom(fetched(0))).toBe(40);
    expect(positions.sourceOf(partition)).toEqual({ clusterId: 'c', ...partition, incarnation: 2 });
  });

  it('is stored first when it was never seen', async () => {
    const { positions, database, source, clock } = setUp();
    source.watermarks = [{ partition: 0, low: 7, high: 100 }];
    positions.assign([partition]);
    await clock.advance(0);
    expect(database.rows).toEqual([{ ...partition, incarnation: 1, next_offset: 7 }]);
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

  it('stays stopped at a gap, reported once, until somebody accepts it', async () => {
    const { positions, database, source, clock, counts } = setUp(40);
    source.watermarks = [{ partition: 0, low: 50, high: 100 }];
    positions.assign([partition]);
    await clock.advance(3 * gapRecheckMs);
    expect(source.told).toEqual([]);
    expect(counts.get('gap')).toBe(1);
    database.rows[0]!.next_offset = 50;
    await clock.advance(gapRecheckMs);
    expect(source.told).toEqual(['seek p/0 50', 'resume p/0']);
  });
});

describe('a source that is elsewhere', () => {
  it('is sent back to where we stand', async () => {
    const { positions, source, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.reposition(partition);
    expect(positions.expectedFrom(fetched(60))).toBeNull();
    await clock.advance(0);
    expect(source.told.slice(2)).toEqual(['pause p/0', 'seek p/0 40', 'resume p/0']);
    expect(positions.expectedFrom(fetched(40))).toBe(40);
  });

  it('is believed when it comes from there and nothing was lost: the rest was filtered out', async () => {
    const { positions, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.reposition(partition);
    await clock.advance(0);
    expect(positions.expectedFrom(fetched(60))).toBe(60);
    positions.progressed(partition, 61);
    expect(positions.expectedFrom(fetched(70))).toBe(61);
  });
});

describe('what the client passed over', () => {
  it('moves the partition on when it begins where we stand, not when it lies beyond', async () => {
    const { positions, clock } = setUp(40);
    positions.assign([partition]);
    await clock.advance(0);
    positions.skipped({ ...partition, from: 45, nextOffset: 50 });
    expect(positions.expectedFrom(fetched(0))).toBe(40);
    positions.skipped({ ...partition, from: 40, nextOffset: 42 });
    expect(positions.expectedFrom(fetched(0))).toBe(42);
  });
});
