import type { HttpResult } from '../http/http-transport.js';
import { evidenceBodyBytesMax } from '../limits.js';
import type { ResponseEvidence } from '../port/call.js';

/** What came back, cut for keeping. `null` when not even a status line was read. */
export function responseEvidence({ status, headers, body, phase }: HttpResult): ResponseEvidence | null {
  if (status === null) return null;
  const isTooLong = body.length > evidenceBodyBytesMax;
  const kept = isTooLong ? body.subarray(0, evidenceBodyBytesMax) : body;
  return { status, headers, body: kept.toString('utf8'), truncated: isTooLong || phase !== 'answered' };
}
