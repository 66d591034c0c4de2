import fc from 'fast-check';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import decodeByKafkaJs from 'kafkajs/src/protocol/recordBatch/v0/decoder.js';

import {
  batchBytes,
  compressedMessages,
  oldMessageBytes,
  type OldMessage,
  type SentBatch,
  type SentRecord,
} from '../testing/kafka.js';
import { AnswerBudget, answerLimits, decodeRecordSet, pieceLimits, takenRecordBytesMax } from './record-set.js';
import { recordHeadersMax, type KafkaRecord } from './record-reader.js';

const mebibyte = 1024 * 1024;
const batchBytesMax = 64 * mebibyte;
/** Less than is taken otherwise. */
const answer = { bytesMax: mebibyte, recordsMax: 500 };
const large = mebibyte / 16;

function record(offsetDelta: number, value = 'v'): SentRecord {
  return { offsetDelta, key: Buffer.from('k'), value: Buffer.from(value) };
}

function records(count: number, valueBytes: number): SentRecord[] {
  const value = Buffer.alloc(valueBytes, ' ');
  return Array.from({ length: count }, (_, offsetDelta) => ({ offsetDelta, value }));
}

function decode(set: Buffer | readonly SentBatch[], from = 0, bytesMax = batchBytesMax): Promise<KafkaRecord[]> {
  const bytes = Buffer.isBuffer(set) ? set : Buffer.concat(set.map(batchBytes));
  return decodeRecordSet(bytes, { from, end: 2 ** 50 }, new AnswerBudget(bytesMax, answer));
}

/** As a consumer does: fetches from where it stands until there is nothing left. */
async function fetchAll(batches: readonly SentBatch[], bytesMax = batchBytesMax): Promise<KafkaRecord[][]> {
  const fetches: KafkaRecord[][] = [];
  const set = Buffer.concat(batches.map(batchBytes));
  const end = batches.at(-1);
  const endOffset = end === undefined ? 0 : end.baseOffset + (end.lastOffsetDelta ?? end.records.length - 1) + 1;
  for (let from = 0; from < endOffset; from = Number(fetches.at(-1)?.at(-1)?.offset) + 1) {
    const read = await decode(set, from, bytesMax);
    if (read.length === 0) throw new Error('a fetch that gets nowhere');
    fetches.push(read);
  }
  return fetches;
}

const offsetsOf = (read: readonly KafkaRecord[]): number[] => read.map(({ offset }) => Number(offset));
const bytesOf = ({ value }: KafkaRecord): number => value?.length ?? 0;

describe('a record set', () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  const header = fc.tuple(fc.constantFrom('a', 'b', 'é'), fc.option(bytes));
  const body = fc.record({
    timestampDelta: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
    key: fc.option(bytes),
    value: fc.option(bytes),
    headers: fc.array(header, { maxLength: 6 }),
  });
  const batch = fc.record({
    baseOffset: fc.integer({ min: 0, max: 2 ** 45 }),
    baseTimestamp: fc.integer({ min: 0, max: 2 ** 45 }),
    codec: fc.constantFrom('none', 'gzip', 'zstd'),
    attributes: fc.constantFrom(0, 0x08, 0x10, 0x20, 0x38),
    producerId: fc.integer({ min: -1, max: 2 ** 31 }),
    records: fc.array(body, { minLength: 1, maxLength: 20 }),
  });

  it('is read as KafkaJS reads it, and says where the broker\u2019s clock has set the time', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async ({ records: bodies, ...rest }) => {
        const sent = {
          ...rest,
          records: bodies.map((one, index) => ({ ...one, offsetDelta: index * 2 })),
        } as SentBatch;
        const theirs = sent.codec === 'zstd' ? { ...sent, codec: 'gzip' as const } : sent;
        const { records: expected } = await decodeByKafkaJs(new Decoder(batchBytes(theirs)));
        const read = await decode([sent]);
        const { producerId, attributes } = rest;
        const context = { producerId: String(producerId), inTransaction: (attributes & 0x10) !== 0 };
        const more = { batchContext: context, ...((attributes & 0x08) === 0 ? {} : { isAppendTime: true }) };
        expect(expected.map((one) => ({ ...one, ...more }))).toEqual(read);
      }),
      { numRuns: 150 },
    );
  });

  it('has headers of any name', async () => {
    const value = Buffer.from('x');
    const [read] = await decode([{ baseOffset: 0, records: [{ offsetDelta: 0, headers: [['__proto__', value]] }] }]);
    expect(Object.entries(read?.headers ?? {})).toEqual([['__proto__', value]]);
  });

  it('is read from the offset that was asked for, up to the batch that is cut off', async () => {
    const batches = [0, 3, 6].map((baseOffset) =>
      batchBytes({ baseOffset, records: [0, 1, 2].map((at) => record(at)) }),
    );
    const set = Buffer.concat(batches).subarray(0, -1);
    expect(offsetsOf(await decode(set, 1))).toEqual([1, 2, 3, 4, 5]);
    expect(offsetsOf(await decode(set, 4))).toEqual([4, 5]);
    expect(await decode(set, 6)).toEqual([]);
  });

  it('goes beyond what compaction took, and says from where to where', async () => {
    const empty = { baseOffset: 7, records: [], lastOffsetDelta: 4 };
    const behind = { baseOffset: 0, records: [record(0)], lastOffsetDelta: 6 };
    const read = await decode([behind, empty], 3);
    expect(offsetsOf(read)).toEqual([3, 11]);
    expect(read.every(({ isControlRecord }) => isControlRecord)).toBe(true);
  });

  it('never throws and never reads elsewhere, whatever the bytes of a batch are', async () => {
    const sample = { baseOffset: 5, records: [record(0), record(1, 'another'), record(2)] };
    const place = fc.nat(batchBytes(sample).length - 62);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(place, fc.nat(255)), { maxLength: 8 }), fc.nat(3), async (changes, more) => {
        const damage = (payload: Buffer): Buffer => {
          for (const [at, byte] of changes) payload[at] = byte;
          return payload;
        };
        const read = await decode([{ ...sample, damage, count: 2 ** 31 - 1 - more }]);
        const offsets = offsetsOf(read);
        expect(offsets).toEqual([...offsets].sort((one, other) => one - other));
        expect(offsets.at(-1)).toBe(7);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a batch that is set aside', () => {
  it('is oversized: its offsets and its bytes stand for it, between its neighbours', async () => {
    const bomb = { baseOffset: 2, codec: 'gzip', records: records(9, mebibyte) } as const;
    const behind = { baseOffset: 11, records: [record(0)] };
    const set = [{ baseOffset: 0, records: [record(0), record(1)] }, bomb, behind];
    const [first, second, ...more] = await fetchAll(set, 4 * mebibyte);
    expect(offsetsOf(first ?? [])).toEqual([0, 1, 10]);
    expect(offsetsOf(second ?? [])).toEqual([11]);
    expect(more).toEqual([]);
    expect(first?.[2]).toMatchObject({ key: null, value: null, headers: {} });
    const { reason, detail, firstOffset, bytes } = first?.[2]?.undecoded ?? {};
    const expected = batchBytes(bomb);
    expect({ reason, firstOffset }).toEqual({ reason: 'oversized', firstOffset: 2 });
    const sizes = `more than ${4 * mebibyte} bytes; ${expected.length} bytes as sent`;
    expect(detail).toBe(`record batch, offsets 2 to 10: gzip: ${sizes}`);
    expect(Buffer.compare(bytes ?? Buffer.alloc(0), expected)).toBe(0);
  });

  it('is set aside for its later records, where the earlier ones were consumed', async () => {
    const bomb = { baseOffset: 2, codec: 'zstd', records: records(9, mebibyte) } as const;
    const [read] = await decode([bomb], 7, 4 * mebibyte);
    expect(read).toMatchObject({ offset: '10', undecoded: { firstOffset: 7 } });
  });

  it('is unreadable: cut off, garbage, of an unknown codec', async () => {
    const sent = { baseOffset: 0, codec: 'gzip', records: [record(0), record(1)] } as const;
    for (const broken of [
      { ...sent, damage: (payload: Buffer) => payload.subarray(0, -4) },
      { ...sent, damage: (payload: Buffer) => Buffer.alloc(payload.length, 7) },
      { ...sent, attributes: 6 },
    ]) {
      const [one, ...others] = await decode([broken]);
      expect(one).toMatchObject({ offset: '1', undecoded: { reason: 'unreadable', firstOffset: 0 } });
      expect(others).toEqual([]);
    }
  });

  it('is unreadable from the record on that is damaged', async () => {
    const damage = (payload: Buffer): Buffer => payload.subarray(0, -3);
    const read = await decode([{ baseOffset: 4, records: [record(0), record(1), record(2)], damage }]);
    expect(offsetsOf(read)).toEqual([4, 5, 6]);
    expect(read[2]?.undecoded).toMatchObject({ reason: 'unreadable', firstOffset: 6 });
  });

  it('is unreadable from the record on that has more headers than anybody needs', async () => {
    const headers = Array.from({ length: recordHeadersMax + 1 }, () => ['', null] as const);
    const read = await decode([{ baseOffset: 0, records: [record(0), { ...record(1), headers }, record(2)] }]);
    expect(offsetsOf(read)).toEqual([0, 2]);
    expect(read[1]?.undecoded).toMatchObject({ reason: 'unreadable', firstOffset: 1 });
  });

  it('never takes an offset twice, where its frame announces more records than offsets', async () => {
    for (const more of [record(1), record(2), record(7)]) {
      const read = await decode([{ baseOffset: 4, records: [record(0), record(1), more], lastOffsetDelta: 1 }]);
      expect(offsetsOf(read)).toEqual([4, 5]);
      expect(read[1]?.undecoded).toMatchObject({ reason: 'unreadable', firstOffset: 5 });
    }
  });

  it('is one record alone, where only that one is larger than what is taken out of a batch', async () => {
    const large = { offsetDelta: 1, value: Buffer.alloc(takenRecordBytesMax, ' ') };
    const fetches = await fetchAll([{ baseOffset: 0, codec: 'gzip', records: [record(0), large, record(2)] }]);
    expect(fetches.map(offsetsOf)).toEqual([[0], [1], [2]]);
    expect(fetches[1]?.[0]?.undecoded).toMatchObject({ reason: 'oversized', firstOffset: 1 });
  });
});

describe('what is larger in all', () => {
  it('is taken in parts: of one batch', async () => {
    const fetches = await fetchAll([{ baseOffset: 0, codec: 'gzip', records: records(40, large) }]);
    expect(fetches.flatMap(offsetsOf)).toEqual(Array.from({ length: 40 }, (_, offset) => offset));
    expect(fetches).toHaveLength(3);
    for (const read of fetches) {
      const bytes = read.reduce((sum, one) => sum + bytesOf(one), 0);
      expect(bytes).toBeLessThanOrEqual(answer.bytesMax + large);
      // What is kept with them is not much more.
      expect(read[0]?.value?.buffer.byteLength).toBeLessThan(answer.bytesMax + 2 * large);
    }
  });

  it('is taken in parts: of many batches', async () => {
    const batches = [0, 1, 2, 3, 4].map((at): SentBatch => {
      return { baseOffset: at * 10, codec: 'zstd', records: records(10, large) };
    });
    const fetches = await fetchAll(batches);
    expect(fetches.flatMap(offsetsOf)).toEqual(Array.from({ length: 50 }, (_, offset) => offset));
    expect(fetches.length).toBeGreaterThan(2);
  });

  it('is taken in parts: so many tiny records', async () => {
    const count = 3 * answer.recordsMax + 1;
    const fetches = await fetchAll([{ baseOffset: 0, codec: 'gzip', records: records(count, 0) }]);
    expect(fetches.map(({ length }) => length)).toEqual([500, 500, 500, 1]);
  });

  it('lets no answer decompress one bomb after the other', async () => {
    const bomb = (baseOffset: number): SentBatch => ({ baseOffset, codec: 'zstd', records: records(5, mebibyte) });
    const fetches = await fetchAll([bomb(0), bomb(5), bomb(10)], 4 * mebibyte);
    expect(fetches.map(offsetsOf)).toEqual([[4], [9], [14]]);
  });

  it('leaves partitions to the next fetch once the budget of the answer is used up', async () => {
    const budget = new AnswerBudget(batchBytesMax, answer);
    const set = batchBytes({ baseOffset: 0, codec: 'zstd', records: records(20, large) });
    const bounds = { from: 0, end: 20 };
    expect(await decodeRecordSet(set, bounds, budget)).toHaveLength(16);
    expect(await decodeRecordSet(set, bounds, budget)).toEqual([]);
  });

  it('is less from each broker, the more there are', () => {
    expect(answerLimits(1)).toEqual({ bytesMax: 16 * mebibyte, recordsMax: 50_000 });
    for (const answers of [2, 3, 6, 12, 32]) {
      const { bytesMax, recordsMax } = answerLimits(answers);
      expect(answers * bytesMax).toBeLessThanOrEqual(32 * mebibyte);
      expect(answers * recordsMax).toBeLessThanOrEqual(100_000);
    }
    expect(answerLimits(1_000)).toEqual({ bytesMax: mebibyte, recordsMax: 2_000 });
  });

  it('is taken apart in a few pieces where somebody waits for all of it, however large it may be', () => {
    expect(pieceLimits(mebibyte).bytesMax).toBe(16 * mebibyte);
    expect(pieceLimits(1024 * mebibyte).bytesMax).toBe(128 * mebibyte);
  });
});

describe('a batch of which nothing can be believed', () => {
  const before = { baseOffset: 0, records: [record(0), record(1)] };
  const broken = { baseOffset: 2, records: [record(0), record(1), record(2)] };
  const behind = { baseOffset: 5, records: [record(0)] };

  /** The set of all three, with something done to the one in the middle. */
  function damaged(damage: (batch: Buffer) => Buffer): Buffer {
    return Buffer.concat([batchBytes(before), damage(batchBytes(broken)), batchBytes(behind)]);
  }

  /** As a consumer reads it that has all of it to fetch. */
  async function readAll(set: Buffer): Promise<KafkaRecord[]> {
    const all: KafkaRecord[] = [];
    for (let from = 0; from < 6;) {
      const read = await decodeRecordSet(set, { from, end: 6 }, new AnswerBudget(batchBytesMax, answer));
      if (read.length === 0) throw new Error('a fetch that gets nowhere');
      all.push(...read);
      from = Number(read.at(-1)?.offset) + 1;
    }
    return all;
  }

  const change =
    (at: number, byte: number) =>
    (batch: Buffer): Buffer => {
      batch[at] = byte;
      return batch;
    };

  it.each([
    ['a bit of a value', change(-1 + 72, 0x77)],
    ['its time', change(30, 1)],
    ['its codec', change(22, 1)],
    ['its number of records', change(60, 200)],
    ['its last offset, which tells of millions', change(23, 0x70)],
    ['its checksum', change(17, 0x55)],
  ])('is unreadable where its checksum does not fit, and what lies behind it is taken: %s', async (_what, damage) => {
    const set = damaged(damage);
    const read = await readAll(set);
    expect(offsetsOf(read)).toEqual([0, 1, 4, 5]);
    expect(read[2]?.undecoded).toMatchObject({ reason: 'unreadable', firstOffset: 2 });
    expect(read[2]?.undecoded?.detail).toMatch(/its checksum does not fit; \d+ bytes as sent$/);
    expect(read[2]?.undecoded?.bytes).toEqual(damage(batchBytes(broken)));
  });

  it('is unreadable where its format is not known', async () => {
    const read = await readAll(damaged(change(16, 9)));
    expect(offsetsOf(read)).toEqual([0, 1, 4, 5]);
    expect(read[2]?.undecoded?.detail).toContain('format 9 is not known');
  });

  it('regression: ends no consumer where it is shorter than its own head, and takes the rest of its set with it', async () => {
    const set = damaged((batch) => {
      batch.writeInt32BE(3, 8);
      return batch;
    });
    const [, , rest, ...others] = await decode(set);
    expect(rest?.undecoded).toMatchObject({ reason: 'unreadable', firstOffset: 2 });
    expect(rest?.undecoded?.bytes).toHaveLength(batchBytes(broken).length + batchBytes(behind).length);
    expect(offsetsOf([rest!])).toEqual([4]);
    expect(others).toEqual([]);
  });

  it('never throws, never goes back, and never beyond the end, whatever bytes of a set are changed', async () => {
    const whole = damaged((batch) => batch);
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(5), async (bytes, from) => {
        const set = Buffer.from(whole);
        for (const [at, byte] of bytes) set[at] = byte;
        const read = await decodeRecordSet(set, { from, end: 6 }, new AnswerBudget(batchBytesMax, answer));
        for (const { offset, undecoded } of read) {
          expect(Number(offset)).toBeLessThan(6);
          if (undecoded !== undefined) expect(Number(offset)).toBeGreaterThanOrEqual(undecoded.firstOffset);
        }
        expect(offsetsOf(read)).toEqual(offsetsOf(read).toSorted((one, other) => one - other));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe.each([0, 1] as const)('what brokers kept before 0.11: messages of format %i', (format) => {
  const timestamp = format === 0 ? 0 : 1_234;
  const message = (offset: number, value = `v${offset}`): OldMessage => {
    return { offset, format, timestamp, key: Buffer.from('k'), value: Buffer.from(value) };
  };
  const read = (set: Buffer, from = 0, bytesMax = batchBytesMax): Promise<KafkaRecord[]> => decode(set, from, bytesMax);
  const valuesOf = (records: readonly KafkaRecord[]): (string | undefined)[] =>
    records.map(({ value }) => value?.toString());

  it('are read beside newer ones, alone and compressed', async () => {
    const set = Buffer.concat([
      oldMessageBytes(message(3)),
      compressedMessages([message(4), message(6), message(7)], format),
      batchBytes({ baseOffset: 8, records: [record(0)] }),
    ]);
    const all = await read(set);
    expect(offsetsOf(all)).toEqual([3, 4, 6, 7, 8]);
    expect(valuesOf(all)).toEqual(['v3', 'v4', 'v6', 'v7', 'v']);
    expect(all[1]).toMatchObject({ timestamp: String(timestamp), key: Buffer.from('k'), headers: {} });
    expect(offsetsOf(await read(set, 6))).toEqual([6, 7, 8]);
    const first = oldMessageBytes(message(3)).length;
    expect(offsetsOf(await read(set.subarray(0, first + 20)))).toEqual([3]);
  });

  it('are oversized where they grow beyond the limit, and the partition goes on', async () => {
    const bomb = Array.from({ length: 9 }, (_, at) => message(4 + at, ' '.repeat(mebibyte)));
    const compressed = compressedMessages(bomb, format);
    const set = Buffer.concat([oldMessageBytes(message(3)), compressed]);
    const [, one, ...others] = await read(set, 0, 4 * mebibyte);
    expect(one).toMatchObject({ offset: '12', undecoded: { reason: 'oversized', firstOffset: 4 } });
    expect(one?.undecoded?.bytes).toEqual(compressed);
    expect(others).toEqual([]);
  });

  it.each([
    ['another checksum', (bytes: Buffer): Buffer => (bytes.writeUInt32BE(1, 12), bytes)],
    ['a key longer than all', (bytes: Buffer): Buffer => (bytes.writeInt32BE(9_999, format === 0 ? 18 : 26), bytes)],
  ])('are unreadable by themselves where they are damaged: %s', async (_what, damage) => {
    const set = Buffer.concat([damage(oldMessageBytes(message(3))), oldMessageBytes(message(4))]);
    const [first, ...others] = await read(set, 3);
    expect(first).toMatchObject({ offset: '3', undecoded: { reason: 'unreadable', firstOffset: 3 } });
    expect(valuesOf([...others, ...(await read(oldMessageBytes(message(4)), 4))])).toContain('v4');
  });

  it('are unreadable from the one on that is compressed once more', async () => {
    const nested = { ...message(5), codec: 'gzip' as const };
    const [first, rest, ...others] = await read(compressedMessages([message(4), nested], format));
    expect(valuesOf([first!])).toEqual(['v4']);
    expect(rest?.undecoded).toMatchObject({ reason: 'unreadable', firstOffset: 5 });
    expect(others).toEqual([]);
  });
});
