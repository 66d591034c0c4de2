import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answer.js';

/** Held in memory once, however large the body and however many callers read one. */
const padding = Buffer.alloc(64 * 1024, 'x');

/** Streams the answer with one more property that pads it to `bytes`; as fast as the caller reads, and no faster. */
export function writeOversized(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  // A caller that has had enough goes away, which is the point.
  pipeline(Readable.from(padded(answer)), response).catch(() => undefined);
}

function* padded({ body, bytes = 0 }: Answer): Generator<string | Buffer> {
  yield opening(body);
  for (let left = bytes; left > 0; left -= padding.length) yield padding.subarray(0, Math.min(left, padding.length));
  yield '"}';
}

/** The answer's object, left open at its last property. */
function opening(body: string): string {
  if (!body.endsWith('}')) return '{"padding":"';
  return body === '{}' ? '{"padding":"' : `${body.slice(0, -1)},"padding":"`;
}
