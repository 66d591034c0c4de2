import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { waitUntil } from '#embedded';

import { OperatorsDoor } from './testing/operators-door.js';
import { completed, own, sent } from './testing/sent-events.js';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

const page = '/api/v1/intents?limit=100';
/** Of what it is as it stands, at most so much is sent of a page. */
const shareMax = 0.12;

describe('answers of the API', () => {
  let door: OperatorsDoor;

  beforeAll(async () => {
    door = await OperatorsDoor.open();
    for (let count = 0; count < 100; count += 1) await door.ingest(sent(own(completed)));
  });

  afterAll(() => door.close());

  /** As it comes over the wire. */
  async function get(path: string, coding: string | null, token: string | null = 'viewer'): Promise<Answer> {
    const headers = {
      connection: 'close',
      ...(coding !== null && { 'accept-encoding': coding }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const asked = request(await door.url, { path, headers });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
  }

  /** A page is short where reading it takes too long. */
  const wholePage = (
    coding: string | null,
    read: (bytes: Buffer) => Buffer,
  ): Promise<Answer & { readonly text: string }> =>
    waitUntil(
      async () => {
        const answer = await get(page, coding);
        const text = read(answer.bytes).toString();
        return (JSON.parse(text) as { readonly items: unknown[] }).items.length === 100
          ? { ...answer, text }
          : undefined;
      },
      { what: 'a page of 100', timeoutMs: 60_000 },
    );

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const)('to %s are in %s, a tenth of what they are', async (accepted, coding, decompressed) => {
    const plain = await wholePage(null, (bytes) => bytes);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const { status, headers, bytes, text } = await wholePage(accepted, decompressed);
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'accept-encoding']);
    expect(headers['content-length']).toBe(String(bytes.byteLength));
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(text).toBe(plain.text);
    expect(plain.bytes.byteLength).toBeGreaterThan(40_000);
    expect(bytes.byteLength).toBeLessThan(shareMax * plain.bytes.byteLength);
  });

  it.each([
    ['to who does not read it', page, 'identity', 'viewer'],
    ['to who refuses it', page, 'br;q=0, gzip;q=0', 'viewer'],
    ['where they are small', '/api/v1/me', 'br', 'viewer'],
    ['where they are problems', '/api/v1/intents?limit=none', 'br', 'viewer'],
    ['to who has no token', '/api/v1/contracts', 'br', null],
    ['to who has a wrong one', page, 'br', 'stranger'],
  ])('stay as they are %s', async (_what, path, accepted, token) => {
    const { headers, bytes } = await get(path, accepted, token);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(() => JSON.parse(bytes.toString()) as unknown).not.toThrow();
  });

  it('are streamed as they are', async () => {
    const headers = { 'accept-encoding': 'br', authorization: 'Bearer viewer' };
    const asked = request(await door.url, { path: '/api/v1/stream', headers });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8' });
    expect(answer.headers).not.toHaveProperty('content-encoding');
    asked.destroy();
  });
});
