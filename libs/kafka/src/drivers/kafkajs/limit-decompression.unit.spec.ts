import fetchProtocol from 'kafkajs/src/protocol/requests/fetch/index.js';

import { batchBytes, compressedMessages, oldMessageBytes } from '../../testing/kafka.js';
import { limitDecompression } from './limit-decompression.js';

const mebibyte = 1024 * 1024;
const topic = 'loyalty.purchases';

function int(bytes: 2 | 4 | 8, number: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(number));
  else buffer.writeIntBE(number, 0, bytes);
  return buffer;
}

/** What a broker answers to a fetch of version 4, of one partition. */
function answerOf(set: Buffer, highWatermark: number): Buffer {
  const name = Buffer.concat([int(2, topic.length), Buffer.from(topic)]);
  const head = Buffer.concat([int(4, 0), int(2, 0), int(8, highWatermark), int(8, highWatermark), int(4, -1)]);
  return Buffer.concat([int(4, 0), int(4, 1), name, int(4, 1), head, int(4, set.length), set]);
}

interface Decoded {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly messages: readonly { readonly offset: string; readonly undecoded?: { readonly reason: string } }[];
    }[];
  }[];
}

/** What KafkaJS gets of an answer: `OFFSET`, or `OFFSET REASON` of what is set aside. */
async function fetched(set: Buffer, highWatermark = 20): Promise<string[]> {
  const partitions = [{ partition: 0, fetchOffset: '3' }];
  const exchange = fetchProtocol.protocol({ version: 4 })({ topics: [{ topic, partitions }] });
  const { responses } = (await exchange.response.decode(answerOf(set, highWatermark))) as Decoded;
  const messages = responses[0]?.partitions[0]?.messages ?? [];
  return messages.map(({ offset, undecoded }) => (undecoded === undefined ? offset : `${offset} ${undecoded.reason}`));
}

describe('regression: an answer that stopped its partition for ever', () => {
  const behind = batchBytes({ baseOffset: 5, records: [{ offsetDelta: 0, value: Buffer.from('v') }] });

  beforeEach(() => {
    limitDecompression({ batchBytesMax: 2 * mebibyte, brokers: 1 });
  });

  it.each([0, 1] as const)('of a bomb in format %i is read, and set aside as oversized', async (format) => {
    const bomb = compressedMessages(
      [3, 4].map((offset) => ({ offset, format, value: Buffer.alloc(3 * mebibyte, ' ') })),
      format,
    );
    expect(await fetched(bomb)).toEqual(['4 oversized']);
    expect(await fetched(behind)).toEqual(['5']);
  });

  it('of a batch shorter than its own head is read, and what lies there set aside as unreadable', async () => {
    const short = batchBytes({ baseOffset: 3, records: [{ offsetDelta: 0 }, { offsetDelta: 1 }] });
    short.writeInt32BE(9, 8);
    expect(await fetched(short)).toEqual(['4 unreadable']);
    short.writeInt32BE(-100, 8);
    expect(await fetched(short)).toEqual(['4 unreadable']);
  });

  it('of a batch that says it is longer than all that came is read, and set aside as unreadable', async () => {
    const long = batchBytes({ baseOffset: 3, records: [{ offsetDelta: 0 }, { offsetDelta: 1 }] });
    long.writeInt32BE(2 ** 20, 8);
    expect(await fetched(long)).toEqual(['4 unreadable']);
    expect(await fetched(Buffer.concat([long, behind]))).toEqual(['4 unreadable']);
    const cutOff = behind.subarray(0, behind.length - 1);
    expect(await fetched(cutOff)).toEqual(['5 unreadable']);
    expect(await fetched(Buffer.concat([behind, cutOff]))).toEqual(['5']);
  });

  it('of a broken head passes over nothing beyond what there is', async () => {
    const broken = batchBytes({
      baseOffset: 3,
      records: [{ offsetDelta: 0 }],
      lastOffsetDelta: 2 ** 31 - 1,
      count: 2 ** 31 - 1,
    });
    broken.writeUInt32BE(1, 17);
    expect(await fetched(broken, 9)).toEqual(['3 unreadable']);
    const elsewhere = batchBytes({ baseOffset: 2 ** 40, records: [{ offsetDelta: 0 }] });
    expect(await fetched(elsewhere, 9)).toEqual(['3 unreadable']);
  });

  it('of old messages is read beside newer ones', async () => {
    const old = oldMessageBytes({ offset: 4, format: 1, value: Buffer.from('v') });
    expect(await fetched(Buffer.concat([old, behind]))).toEqual(['4', '5']);
  });
});

it('regression: takes what came while the broker read, beyond the end that its answer tells', async () => {
  limitDecompression({ batchBytesMax: mebibyte, brokers: 1 });
  const batch = (baseOffset: number): Buffer => {
    return batchBytes({ baseOffset, records: [0, 1].map((offsetDelta) => ({ offsetDelta, value: Buffer.from('v') })) });
  };
  expect(await fetched(batch(3), 3)).toEqual(['3', '4']);
  expect(await fetched(batch(2), 3)).toEqual(['3']);
  expect(await fetched(Buffer.concat([batch(3), batch(5), batch(7)]), 6)).toEqual(['3', '4', '5', '6', '7', '8']);
});

it('refuses to speak to brokers of before 0.11, of which it could not read a bomb', () => {
  limitDecompression({ batchBytesMax: mebibyte, brokers: 1 });
  expect(() => fetchProtocol.protocol({ version: 3 })).toThrow('version 3');
});
