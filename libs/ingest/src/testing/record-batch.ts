import { gzipSync, zstdCompressSync } from 'node:zlib';

/** A record as producers send it. */
export interface SentRecord {
  readonly offsetDelta: number;
  readonly timestampDelta?: number;
  readonly key?: Buffer | null;
  readonly value?: Buffer | null;
  readonly headers?: readonly (readonly [string, Buffer | null])[];
}

export interface SentBatch {
  readonly baseOffset: number;
  readonly records: readonly SentRecord[];
  /** By default not compressed. */
  readonly codec?: 'none' | 'gzip' | 'zstd';
  readonly baseTimestamp?: number;
  /** By default that of the last record. */
  readonly lastOffsetDelta?: number;
  /** Bits of the attributes beside the codec. */
  readonly attributes?: number;
  readonly producerId?: number;
  /** Changes what is sent. */
  readonly damage?: (payload: Buffer) => Buffer;
  /** Another number of records than there are. */
  readonly count?: number;
}

const codecs = {
  none: { number: 0, compress: (bytes: Buffer) => bytes },
  gzip: { number: 1, compress: (bytes: Buffer) => gzipSync(bytes) },
  zstd: { number: 4, compress: (bytes: Buffer) => zstdCompressSync(bytes) },
};

function varint(number: number): Buffer {
  let left = number < 0 ? -number * 2 - 1 : number * 2;
  const bytes: number[] = [];
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

function part(bytes: Buffer | null): Buffer[] {
  return bytes === null ? [varint(-1)] : [varint(bytes.length), bytes];
}

/** One record of a batch of format 2. */
export function recordBytes({
  offsetDelta,
  timestampDelta = 0,
  key = null,
  value = null,
  headers = [],
}: SentRecord): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(timestampDelta),
    varint(offsetDelta),
    ...part(key),
    ...part(value),
    varint(headers.length),
    ...headers.flatMap(([name, text]) => [...part(Buffer.from(name)), ...part(text)]),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

const absent = { codec: 'none', baseTimestamp: 1_000, attributes: 0, producerId: -1 } as const;

/** A record batch of format 2 as a broker has it; without the checksum, which nobody reads here. */
export function batchBytes(sent: SentBatch): Buffer {
  const { records } = sent;
  const { codec, baseTimestamp, attributes, producerId, lastOffsetDelta, count } = {
    ...{ ...absent, lastOffsetDelta: records.at(-1)?.offsetDelta ?? 0, count: records.length },
    ...sent,
  };
  const compressed = codecs[codec].compress(Buffer.concat(records.map(recordBytes)));
  const payload = sent.damage === undefined ? compressed : sent.damage(compressed);
  const head = Buffer.alloc(61);
  head.writeBigInt64BE(BigInt(sent.baseOffset), 0);
  head.writeInt32BE(49 + payload.length, 8);
  head.writeInt8(2, 16);
  head.writeInt16BE(codecs[codec].number | attributes, 21);
  head.writeInt32BE(lastOffsetDelta, 23);
  head.writeBigInt64BE(BigInt(baseTimestamp), 27);
  head.writeBigInt64BE(BigInt(baseTimestamp + 99), 35);
  head.writeBigInt64BE(BigInt(producerId), 43);
  head.writeInt32BE(count, 57);
  return Buffer.concat([head, payload]);
}
