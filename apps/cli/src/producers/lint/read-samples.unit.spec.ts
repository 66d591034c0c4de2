import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';

import { collected, piecesOf } from '../testing/fixtures.js';
import type { ReadPart } from './read-samples.js';
import { readSamples } from './read-samples.js';
import { sampleBytesMax } from './split-samples.js';

const none = piecesOf(Buffer.alloc(0));

const partText = (part: ReadPart): string => {
  if ('isCutOff' in part) return `${part.line} cut off`;
  return `${part.line} ${part.bytes === null ? 'too long' : part.bytes.toString().trim()}`;
};

const read = async (bytes: Uint8Array | string, pieceLength?: number): Promise<string[]> => {
  const stdin = piecesOf(Buffer.from(bytes), pieceLength);
  return (await collected(readSamples('-', stdin))).map(partText);
};

describe('the format of a file', () => {
  it.each([
    ['nothing', '', []],
    ['nothing but white space', ' \r\n\t\n', []],
    ['one object', '{"a":1}', ['1 {"a":1}']],
    ['one object over several lines', '{\n "a": [\n1]\n}\n', ['1 {\n "a": [\n1]\n}']],
    ['several such objects', '{\n"a":1}\n\n{\n"a":2} {\n}', ['1 {\n"a":1}', '4 {\n"a":2}', '5 {\n}']],
    ['a line each', '{"a":1}\n\n{"a":2}\r\n{"a":3}', ['1 {"a":1}', '3 {"a":2}', '4 {"a":3}']],
    ['a line each, one of them broken', '{"a":1}\n{"a":\n{"a":3}\n', ['1 {"a":1}', '2 {"a":', '3 {"a":3}']],
    ['an array', '[{"a":1}, {"b":[1,"]"]},\n\n{"c":"\\",["}\n]', ['1 {"a":1}', '1 {"b":[1,"]"]}', '3 {"c":"\\",["}']],
    ['an empty array', ' [ ] ', []],
    ['an array of other things', '[1,null,"x,y",[2,3]]', ['1 1', '1 null', '1 "x,y"', '1 [2,3]']],
    ['an array that is cut off', '[{"a":1},\n{"b"', ['1 {"a":1}', '2 {"b"', '2 cut off']],
    ['an array cut off between its members', '[{"a":1}\n', ['1 {"a":1}', '2 cut off']],
    ['an array and something else', '[{"a":1}]\nmore {}', ['1 {"a":1}', '2 more {}']],
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
      expect((await collected(readSamples(file, none))).map(partText)).toEqual(['1 {"a":', '2 {"a":2}']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is not changed by a byte order mark', async () => {
    expect(await read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"a":1}')]), 1)).toEqual([
      '1 {"a":1}',
    ]);
  });

  it('finds the same samples in an array, in lines and in values over several lines', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 40 }), async (samples, pieceLength) => {
        const texts = samples.map((sample) => JSON.stringify(sample));
        const layouts = [
          texts.join('\n'),
          `[${texts.join(',\n')}]`,
          `{\n"first":0}\n${samples.map((sample) => JSON.stringify(sample, null, 2)).join('\n')}`,
        ];
        const found = await Promise.all(
          layouts.map(async (text) => {
            const parts = await collected(readSamples('-', piecesOf(Buffer.from(text), pieceLength)));
            return parts.map((part) => JSON.parse('bytes' in part ? String(part.bytes) : 'null') as unknown);
          }),
        );
        const written = texts.map((text) => JSON.parse(text) as unknown);
        expect(found).toEqual([written, written, [{ first: 0 }, ...written]]);
      }),
    );
  });
});

describe('a sample that is too long', () => {
  const long = 'x'.repeat(sampleBytesMax);

  it.each([
    ['a line', `{"a":1}\n{"a":"${long}"}\n{"a":3}`, ['1 {"a":1}', '2 too long', '3 {"a":3}']],
    ['a member', `[{"a":1},\n{"a":"${long}"},\n{"a":3}]`, ['1 {"a":1}', '2 too long', '3 {"a":3}']],
    ['an object', `{"a":"${long}"}\n{"a":3}`, ['1 too long', '2 {"a":3}']],
  ])('is passed over as %s; the rest goes on', async (_what, text, samples) => {
    expect(await read(text, 65_536)).toEqual(samples);
  });

  it('may be as long as the limit', async () => {
    const text = `"${'x'.repeat(sampleBytesMax - 2)}"`;
    expect(await read(text, 65_536)).toEqual([`1 ${text}`]);
  });
});

describe('a file that cannot be read', () => {
  const problemOf = async (name: string, bytes: readonly number[] = []): Promise<string> => {
    try {
      await collected(readSamples(name, piecesOf(Buffer.from(bytes), 1)));
      return 'none';
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
});
