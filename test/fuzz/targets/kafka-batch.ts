import { gzipSync, zstdCompressSync } from 'node:zlib';

import { AnswerBudget, decodeRecordSet, takenRecordBytesMax } from '#kafka';
import type { Chance } from '#shop';

import { joinHead, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes } from '../mutate.js';

/** Small, so that every limit is met. */
const batchBytesMax = 256 * 1024;
const answer = { bytesMax: 16 * 1024, recordsMax: 50 };
/** Fetches of one set; each must get on by a record at least. */
const fetchesMax = 20_000;

const codecNumbers = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4, unknown: 5 } as const;
type Codec = keyof typeof codecNumbers;
const codecs = Object.keys(codecNumbers) as Codec[];

function varint(number: number): Buffer {
  let left = number < 0 ? -number * 2 - 1 : number * 2;
  const bytes: number[] = [];
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) + 0x80);
  return Buffer.from([...bytes, left]);
}

function part(bytes: Buffer | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);
}

function recordBytes(offsetDelta: number, value: Buffer | null, headers: number): Buffer {
  const pairs = Array.from({ length: headers }, () => Buffer.concat([part(Buffer.from('h')), part(Buffer.from('x'))]));
  const body = Buffer.concat([
    Buffer.of(0),
    varint(7),
    varint(offsetDelta),
    part(Buffer.from('k')),
    part(value),
    varint(headers),
    ...pairs,
  ]);
  return Buffer.concat([varint(body.length), body]);
}

/** Snappy without copies: its length, then literals. */
function snappyOf(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let left = bytes.length; ; left = Math.floor(left / 128)) {
    parts.push(Buffer.of((left % 128) + (left < 128 ? 0 : 128)));
    if (left < 128) break;
  }
  for (let at = 0; at < bytes.length; at += 60) {
    const literal = bytes.subarray(at, at + 60);
    parts.push(Buffer.of((literal.length - 1) << 2), literal);
  }
  return Buffer.concat(parts);
}

/** An LZ4 frame of one block that is not compressed. */
function lz4Of(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE((bytes.length | 0x80000000) >>> 0);
  return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]), size, bytes, Buffer.alloc(4)]);
}

function compressed(codec: Codec, bytes: Buffer): Buffer {
  switch (codec) {
    case 'gzip':
      return gzipSync(bytes);
    case 'zstd':
      return zstdCompressSync(bytes);
    case 'snappy':
      return snappyOf(bytes);
    case 'lz4':
      return lz4Of(bytes);
    case 'none':
    case 'unknown':
      return bytes;
    default:
      return codec satisfies never;
  }
}

interface Frame {
  readonly codec: Codec;
  readonly baseOffset: number;
  readonly count: number;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
}

const headBytes = 61;
const lengthAt = 8;
const lengthStart = 12;

/** A record batch of format 2: https://kafka.apache.org/documentation/#recordbatch. Nobody here reads its checksum. */
function batchBytes({ codec, baseOffset, count, lastOffsetDelta, attributes }: Frame, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeBigInt64BE(BigInt(baseOffset), 0);
  head.writeInt32BE(headBytes - lengthStart + payload.length, lengthAt);
  head.writeInt8(2, 16);
  head.writeInt16BE(codecNumbers[codec] | attributes, 21);
  head.writeInt32BE(lastOffsetDelta, 23);
  head.writeBigInt64BE(1_795_252_504_000n, 27);
  head.writeBigInt64BE(1_795_252_504_099n, 35);
  head.writeBigInt64BE(-1n, 43);
  head.writeInt32BE(count, 57);
  return Buffer.concat([head, payload]);
}

function recordsOf(chance: Chance, count: number): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => {
      const bytes = chance.pick([0, 1, 12, 300, chance.below(6_000)]);
      return recordBytes(index, chance.happens(0.1) ? null : Buffer.alloc(bytes, 'v'), chance.pick([0, 0, 1, 3]));
    }),
  );
}

/** A batch whose records, compressed bytes or frame are broken, or none of them. */
function madeBatch(chance: Chance, baseOffset: number): Buffer {
  const codec = chance.pick(codecs);
  const count = chance.pick([1, 2, 3, 10, 60]);
  const plain = recordsOf(chance, count);
  const records = chance.happens(0.3) ? mutateBytes(plain, chance) : plain;
  const bytes = compressed(codec, records);
  const payload = chance.happens(0.4) ? mutateBytes(bytes, chance) : bytes;
  const odd = (usual: number): number =>
    chance.happens(0.05) ? chance.pick([0, -1, 1, usual + 1, usual * 2, 2 ** 31 - 1, -(2 ** 31)]) : usual;
  const attributes = chance.pick([0, 0, 0, 0x08, 0x10, 0x20]);
  return batchBytes({ codec, baseOffset, count: odd(count), lastOffsetDelta: odd(count - 1), attributes }, payload);
}

function madeSet(chance: Chance): Buffer {
  let offset = chance.pick([0, 5, 2 ** 40]);
  const batches: Buffer[] = [];
  for (let left = 1 + chance.below(3); left > 0; left -= 1) {
    const batch = madeBatch(chance, offset);
    batches.push(batch);
    offset += Math.max(1, batch.readInt32BE(57)) + chance.below(2);
    if (offset > 2 ** 41) break;
  }
  const set = Buffer.concat(batches);
  return chance.happens(0.1) ? set.subarray(0, chance.below(set.length)) : set;
}

/** CRC-32C, bit by bit: apart from how the product computes it. */
function crc32c(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ ((sum & 1) * 0x82f63b78);
  }
  return ~sum >>> 0;
}

/** The lengths of batches are the broker's own, their format is the one that is read here, and their producers take the sum. */
function mended(set: Buffer): Buffer {
  const copy = Buffer.from(set);
  for (let start = 0; start + headBytes <= copy.length;) {
    const length = copy.readInt32BE(start + lengthAt);
    const isWhole = length >= headBytes - lengthStart && start + lengthStart + length <= copy.length;
    if (!isWhole) copy.writeInt32BE(copy.length - start - lengthStart, start + lengthAt);
    copy.writeInt8(2, start + 16);
    const end = start + lengthStart + copy.readInt32BE(start + lengthAt);
    copy.writeUInt32BE(crc32c(copy.subarray(start + 21, end)), start + 17);
    start = end;
  }
  return copy;
}

function make(chance: Chance, pool: readonly Buffer[]): Buffer {
  const kept = splitHead(chance.pick(pool));
  const set = kept === null || chance.happens(0.5) ? madeSet(chance) : mutateBytes(kept.body, chance, [], pool);
  return joinHead({ from: chance.pick([0, 0, 0, 1, 2, 7, 2 ** 40]) }, mended(set));
}

interface WholeBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly count: number;
}

/** What the frames say, read apart from how the product reads them. */
function wholeBatches(set: Buffer): WholeBatch[] {
  const batches: WholeBatch[] = [];
  for (let start = 0; start + headBytes <= set.length;) {
    const end = start + lengthStart + set.readInt32BE(start + lengthAt);
    if (end > set.length) break;
    const baseOffset = Number(set.readBigInt64BE(start));
    batches.push({
      baseOffset,
      lastOffset: baseOffset + set.readInt32BE(start + 23),
      count: set.readInt32BE(start + 57),
    });
    start = end;
  }
  return batches;
}

/** Offsets are numbers here, and brokers give them out in order, from 0 on. */
function isPossible(batches: readonly WholeBatch[]): boolean {
  let next = 0;
  return batches.every(({ baseOffset, lastOffset }) => {
    const isInOrder = baseOffset >= next && lastOffset >= baseOffset && Number.isSafeInteger(lastOffset);
    next = lastOffset + 1;
    return isInOrder;
  });
}

type Read = Awaited<ReturnType<typeof decodeRecordSet>>[number];

/** Stands for offsets at which compaction has left nothing. */
function isPassedOver({ timestamp, key, isControlRecord }: Read): boolean {
  return isControlRecord && timestamp === '0' && key === null;
}

function judgeFetch(read: readonly Read[], from: number): void {
  let [next, bytes] = [from, 0];
  for (const record of read) {
    const { offset, value, key, undecoded } = record;
    const at = Number(offset);
    if (isPassedOver(record)) continue;
    mustHold(at >= next, 'an offset comes twice, or out of order', { offset, next });
    if (undecoded !== undefined) {
      const { firstOffset } = undecoded;
      mustHold(firstOffset >= next && firstOffset <= at, 'what is set aside overlaps what was read', {
        offset,
        firstOffset,
        next,
      });
    }
    next = at + 1;
    bytes += (value?.length ?? 0) + (key?.length ?? 0);
  }
  mustHold(read.length <= answer.recordsMax + 1, 'more records than an answer may hold', read.length);
  mustHold(bytes <= answer.bytesMax + takenRecordBytesMax, 'more bytes than an answer may hold', bytes);
}

/** As a consumer does: fetches from where it stands until nothing is left. */
async function fetchAll(set: Buffer, from: number, endOffset: number): Promise<Read[]> {
  const all: Read[] = [];
  for (let [next, fetches] = [from, 0]; next < endOffset; fetches += 1) {
    const bounds = { from: next, end: endOffset };
    const read = await decodeRecordSet(set, bounds, new AnswerBudget(batchBytesMax, answer));
    judgeFetch(read, next);
    const last = read.at(-1);
    mustHold(last !== undefined && fetches < fetchesMax, 'a fetch gets nowhere', { next, endOffset });
    all.push(...read);
    next = Number(last.offset) + 1;
  }
  return all;
}

/** Each record that a frame announces was read, or is set aside with its neighbours. */
function judgeBatch({ baseOffset, lastOffset, count }: WholeBatch, all: readonly Read[], from: number): void {
  const own = all.filter(({ offset }) => Number(offset) >= baseOffset && Number(offset) <= lastOffset);
  const isSetAside = own.some(({ undecoded }) => undecoded !== undefined);
  if (isSetAside || from > baseOffset) return;
  const read = own.filter((record) => !isPassedOver(record)).length;
  const room = Math.min(Math.max(0, count), lastOffset - baseOffset + 1);
  mustHold(read >= room, 'records are passed over', { baseOffset, lastOffset, count, read });
}

/** The set, and from which offset it is read. */
function askedOf(input: Buffer): { readonly set: Buffer; readonly from: number } | null {
  const parts = splitHead(input);
  const { from } = (parts?.head ?? {}) as { readonly from?: unknown };
  if (parts === null || typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0) return null;
  return { set: mended(parts.body), from };
}

/** Record batches as brokers may hand them over: whatever producers have put into them. */
export function kafkaBatchTarget(): FuzzTarget {
  const judge = async (input: Buffer): Promise<string> => {
    const asked = askedOf(input);
    if (asked === null) return 'no set';
    const { set, from } = asked;
    const batches = wholeBatches(set);
    if (!isPossible(batches)) {
      // No broker gives out such offsets: nothing can be said of them but that they harm nobody.
      const bounds = { from, end: Number.MAX_SAFE_INTEGER };
      return `impossible offsets ${(await decodeRecordSet(set, bounds, new AnswerBudget(batchBytesMax, answer))).length}`;
    }
    const all = await fetchAll(set, from, (batches.at(-1)?.lastOffset ?? -1) + 1);
    for (const batch of batches) judgeBatch(batch, all, from);
    const details = all.flatMap(({ undecoded }) =>
      undecoded === undefined ? [] : [`${undecoded.reason} ${undecoded.detail}`],
    );
    return `${batches.length} ${all.length > answer.recordsMax ? 'many' : 'few'} ${[...new Set(details)].slice(0, 2).join('; ')}`;
  };
  const samples = codecs.map((codec) => {
    const records = Buffer.concat([0, 1, 2].map((delta) => recordBytes(delta, Buffer.from(`value ${delta}`), delta)));
    const frame = { codec, baseOffset: 0, count: 3, lastOffsetDelta: 2, attributes: 0 };
    return joinHead({ from: 0 }, batchBytes(frame, compressed(codec, records)));
  });
  const bomb = compressed('gzip', recordBytes(0, Buffer.alloc(2 * batchBytesMax), 0));
  const bombFrame = { codec: 'gzip', baseOffset: 0, count: 1, lastOffsetDelta: 0, attributes: 0 } as const;
  samples.push(joinHead({ from: 0 }, batchBytes(bombFrame, bomb)));
  return { name: 'kafka-batch', samples, make, judge };
}
