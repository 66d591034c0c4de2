import { movedTo, openParts, partsToRead } from './parts-to-read.js';
import type { BrokersPartition } from './topic-reader.js';

const topic = 'shop.orders';

const found = (change: Partial<BrokersPartition> = {}): BrokersPartition => ({
  ...{ topic, partition: 0, low: 0, stable: 100, at: 40, knownAt: 0 },
  ...change,
});

const ingested = (nextOffset: number, { partition = 0, incarnation = 1 } = {}) => ({
  ...{ topic, partition, incarnation, nextOffset, last: null },
});

const offsets = null;

describe('what is read again of a topic', () => {
  it('goes from the time that was asked for up to where ingest is, in the incarnation that it has now', () => {
    const standing = { brokers: [found()], ingested: [ingested(90, { incarnation: 3 })], offsets };
    expect(partsToRead(standing)).toEqual({
      kind: 'planned',
      parts: [{ topic, partition: 0, incarnation: 3, from: 40, next: 40, end: 90 }],
    });
  });

  it('is nothing of a partition that ingest has not met, that has nothing since then, or that is not named', () => {
    const brokers = [found(), found({ partition: 1, at: 95 }), found({ partition: 2 })];
    const known = [ingested(90, { partition: 1 }), ingested(90, { partition: 2 })];
    expect(partsToRead({ brokers, ingested: known, offsets: { 1: 90 } })).toEqual({ kind: 'planned', parts: [] });
    expect(partsToRead({ brokers, ingested: known, offsets })).toMatchObject({ parts: [{ partition: 2 }] });
  });

  it('begins at the oldest record that is left', () => {
    const standing = { brokers: [found({ low: 60 })], ingested: [ingested(90)], offsets: { 0: 12 } };
    expect(partsToRead(standing)).toMatchObject({ parts: [{ from: 60, end: 90 }] });
  });

  it.each([
    [{ brokers: [found({ knownAt: 30 })], offsets: { 0: 12 } }, /before offset 30 .*RETENTION_DEDUP_DAYS/],
    [{ brokers: [found({ stable: 80 })], offsets }, /ends at 80, and ingest has read it up to 90/],
    [{ brokers: [found()], offsets: { 0: 12, 7: 1 } }, /no partition 7/],
  ])('is refused in one sentence: %j', (standing, why) => {
    expect(partsToRead({ ...standing, ingested: [ingested(90)] })).toEqual({
      kind: 'refused',
      why: expect.stringMatching(why) as string,
    });
  });

  it('moves forward, to its end at most', () => {
    const planned = partsToRead({ brokers: [found()], ingested: [ingested(90)], offsets });
    const cursor = { clusterId: 'c', parts: planned.kind === 'planned' ? planned.parts : [] };
    const half = movedTo(cursor, { topic, partition: 0, nextOffset: 50 });
    expect(openParts(half)).toMatchObject([{ from: 40, next: 50 }]);
    expect(movedTo(half, { topic, partition: 0, nextOffset: 45 })).toEqual(half);
    expect(openParts(movedTo(half, { topic, partition: 0, nextOffset: 95 }))).toEqual([]);
  });
});
