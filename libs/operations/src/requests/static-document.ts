import { createHash } from 'node:crypto';

/** What does not change while the process runs: its bytes are the same for everybody, and made once. */
export interface StaticDocument {
  readonly bytes: Buffer;
  /** Strong: other bytes have another one (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

export function staticDocument(bytes: Buffer): StaticDocument {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** The part of the HTTP request that is needed here. */
export interface ConditionalRequest {
  readonly headers: { readonly 'if-none-match'?: string | undefined };
}

/** The part of the HTTP answer that is needed here, whatever the server. */
export interface StaticReply {
  status(code: number): StaticReply;
  headers(values: Readonly<Record<string, string>>): StaticReply;
  send(body?: Buffer | string): unknown;
}

const notModified = 304;
/** May be kept, and is asked for each time: nothing of it is secret. */
export const revalidated = 'no-cache';

/** RFC 9110, section 13.1.2: compared weakly. */
function isKnown(etag: string, { headers: { 'if-none-match': known = '' } }: ConditionalRequest): boolean {
  return known.split(',').some((each) => [etag, `W/${etag}`, '*'].includes(each.trim()));
}

/** Sends a document, or 304 to who has it already. @param headers its type, and what else is said of it */
export function sendStatic(
  { bytes, etag }: StaticDocument,
  request: ConditionalRequest,
  reply: StaticReply,
  headers: Readonly<Record<string, string>>,
): void {
  reply.headers({ 'cache-control': revalidated, ...headers, etag });
  if (isKnown(etag, request)) reply.status(notModified).send();
  else reply.send(bytes);
}
