import { partitionBytesMax, PartitionLog, splitBatches } from './topic-store.js';

/** A batch of format 2 as a producer sends it: header, and records nobody here looks into. */
const batch = (records: number, { payloadBytes = 10, maxTimestamp = 0 } = {}): Buffer => {
  const bytes = Buffer.alloc(61 + payloadBytes);
  bytes.writeInt32BE(bytes.length - 12, 8);
  bytes.writeInt8(2, 16);
  bytes.writeInt32BE(records - 1, 23);
  bytes.writeBigInt64BE(BigInt(maxTimestamp), 27);
  bytes.writeBigInt64BE(BigInt(maxTimestamp), 35);
  return bytes;
};

const baseOffset = (bytes: Buffer | undefined): number => Number(bytes?.readBigInt64BE(0) ?? -1);

describe('a partition log', () => {
  it('numbers records one after the other', () => {
    const log = new PartitionLog();
    expect([log.append([batch(3)]), log.append([batch(2), batch(1)]), log.endOffset]).toEqual([0, 3, 6]);
    expect(log.read(0, 1_000_000).map(baseOffset)).toEqual([0, 3, 5]);
  });

  it('reads from the batch that holds an offset, at least one batch, and within the limit', () => {
    const log = new PartitionLog();
    log.append([batch(3), batch(3), batch(3)]);
    expect(log.read(4, 1).map(baseOffset)).toEqual([3]);
    expect(log.read(4, 2 * 71).map(baseOffset)).toEqual([3, 6]);
    expect(log.read(9, 1_000)).toEqual([]);
  });

  it('finds the first batch with a record at or after a time', () => {
    const log = new PartitionLog();
    log.append([batch(2, { maxTimestamp: 1_000 }), batch(2, { maxTimestamp: 2_000 })]);
    expect(log.findByTime(1_001)?.baseOffset).toBe(2);
    expect(log.findByTime(2_001)).toBeUndefined();
  });

  it('drops the oldest batches beyond its size, and says where it starts', () => {
    const log = new PartitionLog();
    const payloadBytes = partitionBytesMax / 4;
    for (let count = 0; count < 5; count += 1) log.append([batch(1, { payloadBytes })]);
    expect([log.startOffset, log.endOffset]).toEqual([2, 5]);
    expect(log.read(3, 1).map(baseOffset)).toEqual([3]);
  });
});

describe('records from a producer', () => {
  it('are cut into their batches', () => {
    expect(splitBatches(Buffer.concat([batch(1), batch(2)]))).toHaveLength(2);
  });

  it.each([
    ['cut short', batch(1).subarray(0, 65)],
    ['too short for a header', Buffer.alloc(20)],
    ['of an old format', batch(1).fill(1, 16, 17)],
    ['of an impossible length', batch(1).fill(0, 8, 12)],
  ])('are refused when %s', (_what, records) => {
    expect(splitBatches(records)).toBeUndefined();
  });
});
