import fc from 'fast-check';

import { decompressLz4 } from './decompress-lz4.js';
import { decompressSnappy } from './decompress-snappy.js';
import { DecompressionError } from './decompression-error.js';

const text = 'abcabcabcabcabcabc!';

describe('Snappy', () => {
  // Length 19; literal "abc"; copy 15 from 3 back (two-byte offset); literal "!".
  const raw = Buffer.from([19, 0x08, 0x61, 0x62, 0x63, 0x3a, 3, 0, 0x00, 0x21]);

  it('reads raw blocks', () => {
    expect(decompressSnappy(raw).toString()).toBe(text);
  });

  it("reads Java's framing of several blocks", () => {
    const header = Buffer.from('82534e4150505900000000010000000100', 'hex').subarray(0, 16);
    const block = Buffer.concat([Buffer.from([0, 0, 0, raw.length]), raw]);
    expect(decompressSnappy(Buffer.concat([header, block, block])).toString()).toBe(text + text);
  });

  it('reads every form of literal and copy', () => {
    const long = Buffer.alloc(300, 'x');
    const literal = Buffer.concat([Buffer.from([0xf4, 43, 1]), long]);
    const shortCopy = Buffer.from([0x21, 44]);
    const farCopy = Buffer.from([0x0f, 44, 1, 0, 0]);
    const block = Buffer.concat([Buffer.from([0xb4, 2]), literal, shortCopy, farCopy]);
    expect(decompressSnappy(block)).toEqual(Buffer.alloc(308, 'x'));
  });
});

describe('LZ4', () => {
  const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
  // Literals "abc", a match of 15 from 3 back, then the literal "!" alone.
  const block = Buffer.from([0x3b, 0x61, 0x62, 0x63, 3, 0, 0x10, 0x21]);
  const end = Buffer.from([0, 0, 0, 0]);
  const sized = (bytes: Buffer, flag = 0): Buffer => Buffer.concat([Buffer.from([bytes.length, 0, 0, flag]), bytes]);

  it('reads compressed and raw blocks', () => {
    const frame = Buffer.concat([header, sized(block), sized(Buffer.from('raw'), 0x80), end]);
    expect(decompressLz4(frame).toString()).toBe(`${text}raw`);
  });

  it('reads frames with content size and block checksums', () => {
    const full = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x78, 0x40, ...Array<number>(8).fill(0), 0x82]);
    const checksum = Buffer.from([1, 2, 3, 4]);
    expect(decompressLz4(Buffer.concat([full, sized(block), checksum, end])).toString()).toBe(text);
  });
});

describe.each([
  ['Snappy', decompressSnappy],
  ['LZ4', decompressLz4],
])('%s', (_name, decompress) => {
  it('refuses whatever is damaged, and never reads or writes elsewhere', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decompress(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(DecompressionError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
