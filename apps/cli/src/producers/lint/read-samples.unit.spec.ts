import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';

import { piecesOf } from '../testing/fixtures.js';
import type { Sample } from './read-samples.js';
import { fileBytesMax, readSamples } from './read-samples.js';

const none = piecesOf(Buffer.alloc(0));

const textOf = ({ line, bytes }: Sample): string => `${line} ${bytes.toString().trim()}`;

const read = async (bytes: Uint8Array | string, pieceLength?: number): Promise<string[]> => {
  const stdin = piecesOf(Buffer.from(bytes), pieceLength);
  return [...(await readSamples('-', stdin))].map(textOf);
};

describe('the format of a file', () => {
  it.each([
    ['nothing', '', []],
    ['nothing but white space', ' \r\n\t\n', []],
    ['one object', '{"a":1}', ['1 {"a":1}']],
    ['one object over several lines', '{\n "a": [\n1]\n}\n', ['1 {\n "a": [\n1]\n}']],
    ['several such objects, which are no JSON', '\n{\n"a":1}\n{\n}', ['2 {\n"a":1}\n{\n}']],
    ['a line each', '{"a":1}\n\n{"a":2}\r\n{"a":3}', ['1 {"a":1}', '3 {"a":2}', '4 {"a":3}']],
    ['a line each, one of them broken', '{"a":1}\n{"a":\n{"a":3}\n', ['1 {"a":1}', '2 {"a":', '3 {"a":3}']],
    ['an array', '[{"a":1}, {"b":[1,"]"]},\n\n{"c":"\\",["}\n]', ['1 {"a":1}', '2 {"b":[1,"]"]}', '3 {"c":"\\",["}']],
    [
      'an array with numbers that lose digits',
      '[{"a":1.10,"b":12345678901234567890}]',
      ['1 {"a":1.10,"b":12345678901234567890}'],
    ],
    ['an empty array', ' [ ] ', []],
    ['an array of other things', '[1,null,"x,y",[2,3]]', ['1 1', '2 null', '3 "x,y"', '4 [2,3]']],
    ['an array that is cut off', '\n[{"a":1},\n{"b"', ['2 [{"a":1},\n{"b"']],
    ['an array and something else', '[{"a":1}]\nmore {}', ['1 [{"a":1}]\nmore {}']],
    ['an object that is cut off', '{\n"a":1', ['1 {\n"a":1']],
    ['text', 'a,b\n1,2\n', ['1 a,b', '2 1,2']],
  ])('is told for %s, in pieces of any length', async (_what, text, samples) => {
    for (const pieceLength of [1, 2, 3, 7, 1000]) expect(await read(text, pieceLength)).toEqual(samples);
  });

  it('is a line each where the name says so', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-lint-'));
    try {
      const file = join(folder, 'samples.jsonl');
      await writeFile(file, '{"a":\n{"a":2}\n');
      expect([...(await readSamples(file, none))].map(textOf)).toEqual(['1 {"a":', '2 {"a":2}']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is not changed by a byte order mark', async () => {
    expect(await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"a":1}')]), 1)).toEqual([
      '1 {"a":1}',
    ]);
  });

  it('finds the same samples in an array and in lines', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 40 }), async (samples, pieceLength) => {
        const texts = samples.map((sample) => JSON.stringify(sample));
        for (const text of [texts.join('\n'), `[${texts.join(',\n')}]`]) {
          const found = await readSamples('-', piecesOf(Buffer.from(text), pieceLength));
          const parsed = [...found].map(({ bytes }) => JSON.parse(String(bytes)) as unknown);
          expect(parsed).toEqual(texts.map((written) => JSON.parse(written) as unknown));
        }
      }),
    );
  });
});

describe('a file that cannot be read', () => {
  const problemOf = async (name: string, bytes: readonly number[] = []): Promise<string> => {
    try {
      return `none: ${[...(await readSamples(name, piecesOf(Buffer.from(bytes), 1)))].length}`;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['/no/such/file', 'no such file'],
    ['/dev/null/x', 'no such file'],
    [tmpdir(), 'is a directory'],
  ])('says why of %s', async (name, problem) => {
    expect(await problemOf(name)).toBe(problem);
  });

  it.each([
    [[0xff, 0xfe, 0x7b, 0x00], 'is UTF-16; save it as UTF-8'],
    [[0xfe, 0xff, 0x00, 0x7b], 'is UTF-16; save it as UTF-8'],
    [[0x1f, 0x8b, 0x08, 0x00], 'is compressed by gzip; unpack it first'],
    [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed by zstd; unpack it first'],
    [[0x50, 0x4b, 0x03, 0x04], 'is a zip archive; unpack it first'],
  ])('knows what begins with %j', async (bytes, problem) => {
    expect(await problemOf('-', bytes)).toBe(problem);
  });

  it('is one that is too long, which is not read to its end', async () => {
    let pieces = 0;
    async function* endless(): AsyncGenerator<Buffer, void> {
      const piece = Buffer.alloc(32 * 1024 * 1024, ' ');
      for (;;) {
        pieces += 1;
        yield await Promise.resolve(piece);
      }
    }
    await expect(readSamples('-', endless())).rejects.toThrow(`is longer than ${fileBytesMax} bytes; split it`);
    expect(pieces).toBe(9);
  });
});
