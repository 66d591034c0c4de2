import { gzipSync, zstdCompressSync } from 'node:zlib';

import fc from 'fast-check';

import { decompress as decompressAnd, type Compression } from './decompress.js';
import { DecompressionError, GrowingBuffer } from './buffers.js';

const mebibyte = 1024 * 1024;
const decompress = (compression: Compression, bytes: Buffer, bytesMax: number): Promise<Buffer> =>
  decompressAnd(compression, bytes, bytesMax, (payload) => payload);
const decompressSnappy = (bytes: Buffer): Promise<Buffer> => decompress('snappy', bytes, mebibyte);
const decompressLz4 = (bytes: Buffer): Promise<Buffer> => decompress('lz4', bytes, mebibyte);

const text = 'abcabcabcabcabcabc!';

describe('Snappy', () => {
  // Length 19; literal "abc"; copy 15 from 3 back (two-byte offset); literal "!".
  const raw = Buffer.from([19, 0x08, 0x61, 0x62, 0x63, 0x3a, 3, 0, 0x00, 0x21]);

  it('reads raw blocks', async () => {
    expect((await decompressSnappy(raw)).toString()).toBe(text);
  });

  it("reads Java's framing of several blocks", async () => {
    const header = Buffer.from('82534e4150505900000000010000000100', 'hex').subarray(0, 16);
    const block = Buffer.concat([Buffer.from([0, 0, 0, raw.length]), raw]);
    expect((await decompressSnappy(Buffer.concat([header, block, block]))).toString()).toBe(text + text);
  });

  it('reads every form of literal and copy', async () => {
    const long = Buffer.alloc(300, 'x');
    const literal = Buffer.concat([Buffer.from([0xf4, 43, 1]), long]);
    const shortCopy = Buffer.from([0x21, 44]);
    const farCopy = Buffer.from([0x0f, 44, 1, 0, 0]);
    const block = Buffer.concat([Buffer.from([0xb4, 2]), literal, shortCopy, farCopy]);
    expect(await decompressSnappy(block)).toEqual(Buffer.alloc(308, 'x'));
  });
});

describe('LZ4', () => {
  const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
  // Literals "abc", a match of 15 from 3 back, then the literal "!" alone.
  const block = Buffer.from([0x3b, 0x61, 0x62, 0x63, 3, 0, 0x10, 0x21]);
  const end = Buffer.from([0, 0, 0, 0]);
  const sized = (bytes: Buffer, flag = 0): Buffer => Buffer.concat([Buffer.from([bytes.length, 0, 0, flag]), bytes]);

  it('reads compressed and raw blocks', async () => {
    const frame = Buffer.concat([header, sized(block), sized(Buffer.from('raw'), 0x80), end]);
    expect((await decompressLz4(frame)).toString()).toBe(`${text}raw`);
  });

  it('reads frames with content size and block checksums', async () => {
    const full = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x78, 0x40, ...Array<number>(8).fill(0), 0x82]);
    const checksum = Buffer.from([1, 2, 3, 4]);
    expect((await decompressLz4(Buffer.concat([full, sized(block), checksum, end]))).toString()).toBe(text);
  });
});

/** The same letter over and over, as each of them writes it; its end may lie anywhere. */
const bombs: Readonly<Record<Compression, (bytes: number) => Buffer>> = {
  gzip: (bytes) => gzipSync(Buffer.alloc(bytes, ' ')),
  zstd: (bytes) => zstdCompressSync(Buffer.alloc(bytes, ' ')),
  // One literal, then copies of 64 from one back.
  snappy: (bytes) => {
    const length: number[] = [];
    for (let left = bytes; left > 0; left = Math.floor(left / 128)) length.push((left % 128) + (left < 128 ? 0 : 128));
    const copies = Array.from({ length: Math.floor((bytes - 1) / 64) }, () => [0xfe, 1, 0]);
    const rest = Array.from({ length: (bytes - 1) % 64 }, () => [0x00, 0x20]);
    return Buffer.from([...length, 0x00, 0x20, ...copies.flat(), ...rest.flat()]);
  },
  // One literal and one copy from one back that is as long as wanted, then a last literal.
  lz4: (bytes) => {
    const more = bytes - 2 - 19;
    const length = [...Array<number>(Math.floor(more / 255)).fill(255), more % 255];
    const block = Buffer.from([0x1f, 0x20, 1, 0, ...length, 0x10, 0x20]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(block.length);
    return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]), size, block, Buffer.alloc(4)]);
  },
};

/** What buffers hold while something is decompressed, as they count it themselves. */
async function heldDuring(work: () => Promise<void>): Promise<{ readonly most: number; readonly left: number }> {
  const { append, repeat } = GrowingBuffer.prototype;
  const buffers = new Set<GrowingBuffer>();
  let most = 0;
  const see = (buffer: GrowingBuffer): void => {
    buffers.add(buffer);
    most = Math.max(most, buffer.heldBytes);
  };
  GrowingBuffer.prototype.append = function (bytes) {
    append.call(this, bytes);
    see(this);
  };
  GrowingBuffer.prototype.repeat = function (distance, count) {
    repeat.call(this, distance, count);
    see(this);
  };
  try {
    await work();
  } finally {
    Object.assign(GrowingBuffer.prototype, { append, repeat });
  }
  return { most, left: [...buffers].reduce((sum, { heldBytes }) => sum + heldBytes, 0) };
}

describe.each(Object.keys(bombs) as Compression[])('%s', (compression) => {
  it('refuses whatever is damaged, and never reads or writes elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        try {
          await decompress(compression, Buffer.from(bytes), mebibyte);
        } catch (error) {
          expect(error).toBeInstanceOf(DecompressionError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes what just fits, and refuses one byte more', async () => {
    const bytes = await decompress(compression, bombs[compression](mebibyte), mebibyte);
    expect(bytes.equals(Buffer.alloc(mebibyte, ' '))).toBe(true);
    await expect(decompress(compression, bombs[compression](mebibyte + 1), mebibyte)).rejects.toMatchObject({
      kind: 'oversized',
    });
  });

  it.each([
    [4, 4],
    [16, 8],
  ])('with a limit of %i MiB takes at most %i MiB for what it refuses, and gives them back', async (limit, most) => {
    const bomb = bombs[compression](64 * mebibyte);
    const { most: held, left } = await heldDuring(() =>
      expect(decompress(compression, bomb, limit * mebibyte)).rejects.toMatchObject({ kind: 'oversized' }),
    );
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(most * mebibyte);
    expect(left).toBe(0);
  });

  it('refuses what is cut off', async () => {
    const whole = bombs[compression](mebibyte);
    const cut = whole.subarray(0, whole.length - 3);
    await expect(decompress(compression, cut, 2 * mebibyte)).rejects.toMatchObject({ kind: 'damaged' });
  });
});

it('counts all blocks of a Snappy frame together, and lets none copy from the one before', async () => {
  const header = Buffer.from('82534e4150505900000000010000000100', 'hex').subarray(0, 16);
  const framed = (...blocks: readonly Buffer[]): Buffer =>
    Buffer.concat([
      header,
      ...blocks.flatMap((block) => [Buffer.from([0, 0, block.length >> 8, block.length & 255]), block]),
    ]);
  const half = bombs.snappy(mebibyte / 2);
  expect(await decompressSnappy(framed(half, half))).toHaveLength(mebibyte);
  await expect(decompressSnappy(framed(half, half, half))).rejects.toMatchObject({ kind: 'oversized' });
  const thief = Buffer.from([4, 0x0e, 1, 0]);
  await expect(decompressSnappy(framed(half, thief))).rejects.toMatchObject({ kind: 'damaged' });
});

it('has one at a time in memory, and goes on where what is wanted cannot be taken out', async () => {
  const lengths: number[] = [];
  const refused = decompressAnd('gzip', bombs.gzip(9 * mebibyte), 16 * mebibyte, ({ length }) => {
    lengths.push(length);
    throw new RangeError('not wanted');
  });
  const small = decompressAnd('zstd', bombs.zstd(mebibyte), 16 * mebibyte, ({ length }) => lengths.push(length));
  await expect(refused).rejects.toThrow(RangeError);
  await small;
  expect(lengths).toEqual([9 * mebibyte, mebibyte]);
});
