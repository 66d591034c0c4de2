import zlib from 'node:zlib';
import { decoded } from './content-coding.js';
import type { HttpResult } from './http-exchange.js';

const text = '{"transactionId":5}';
const bytesMax = 1_000;

function answered(body: Buffer, coding?: string, headers: Readonly<Record<string, string>> = {}): HttpResult {
  const all = { ...headers, ...(coding !== undefined && { 'content-encoding': coding }) };
  return { phase: 'answered', error: null, status: 200, headers: all, body };
}

const { gzipSync: gzip, deflateSync: deflate, deflateRawSync: raw, brotliCompressSync: br, zstdCompressSync } = zlib;

describe('decoded', () => {
  it.each([
    ['gzip', gzip(text)],
    ['GZIP', gzip(text)],
    ['x-gzip', gzip(text)],
    ['deflate', deflate(text)],
    ['deflate', deflate(text, { level: 9 })],
    ['deflate', raw(text)],
    ['br', br(text)],
    ['zstd', zstdCompressSync(text)],
    ['identity, gzip', gzip(text)],
    ['gzip, br', br(gzip(text))],
    ['deflate,gzip , br', br(gzip(deflate(text)))],
    ['', Buffer.from(text)],
    ['identity', Buffer.from(text)],
  ])('undoes %j', (coding, body) => {
    const result = decoded(answered(body, coding, { 'content-length': '9', 'x-id': '7' }), bytesMax);
    expect(result).toEqual({ ...answered(Buffer.from(text)), headers: { 'x-id': '7' } });
  });

  it.each([
    ['nobody knows', 'compress', gzip(text)],
    ['is a charset', 'utf-8', Buffer.from(text)],
    ['is not there', 'gzip', Buffer.from(text)],
    ['breaks off', 'gzip', gzip(text).subarray(0, 12)],
    ['is damaged', 'br', Buffer.from([1, 2, 3, 4])],
    ['is one of too many', 'gzip, gzip, gzip, gzip', gzip(gzip(gzip(gzip(text))))],
    ['there is no body of', 'gzip', Buffer.alloc(0)],
  ])('leaves alone what %s', (_what, coding, body) => {
    const result = answered(body, coding);
    expect(decoded(result, bytesMax)).toBe(result);
  });

  it.each(['gzip', 'br', 'zstd'])('a small answer that grows beyond the bound was too large: %s', (coding) => {
    const bomb = Buffer.alloc(bytesMax + 1, 'x');
    const small = { gzip: gzip(bomb), br: br(bomb), zstd: zstdCompressSync(bomb) }[coding]!;
    const result = decoded(answered(small, coding), bytesMax);
    expect(result).toMatchObject({ phase: 'sent', error: 'response-too-large', status: 200 });
    expect(result.body).toHaveLength(0);
    expect(decoded(answered(gzip(bomb.subarray(1)), 'gzip'), bytesMax).body).toHaveLength(bytesMax);
  });

  it('has nothing to do with an answer that was not read to its end', () => {
    const lost: HttpResult = { ...answered(gzip(text).subarray(0, 9), 'gzip'), phase: 'sent', error: 'truncated' };
    expect(decoded(lost, bytesMax)).toBe(lost);
  });
});
