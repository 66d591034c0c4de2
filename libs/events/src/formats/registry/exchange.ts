import type { IncomingMessage } from 'node:http';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';

import type { Clock } from '#platform';
import { UnavailableError } from '../source-format.js';
import type { RegistrySettings } from './registry-settings.js';

interface HttpAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

interface HttpQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What its answer may be at most. */
  readonly bytesMax: number;
}

type Peer = Pick<RegistrySettings, 'ca' | 'cert' | 'key' | 'timeoutMs'>;

/**
 * One request, on a connection of its own: a schema is asked for once. Nothing is followed: what we are known by goes to the address
 * that was configured, and to no other.
 * @throws UnavailableError where nothing was answered; its message holds a code, and nothing that was sent
 */
export async function exchange(clock: Pick<Clock, 'after'>, peer: Peer, question: HttpQuestion): Promise<HttpAnswer> {
  const end = new AbortController();
  const cancel = clock.after(peer.timeoutMs, () => end.abort());
  try {
    return await answerOf(peer, question, end.signal);
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(end.signal.aborted ? 'timeout' : codeOf(error));
  } finally {
    cancel();
  }
}

function answerOf(
  { ca, cert, key }: Peer,
  { url, headers, bytesMax }: HttpQuestion,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const tls = { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
  const options = { agent: false, signal, headers, ...tls };
  const send = url.startsWith('https:') ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      readAnswer(response, bytesMax).then(resolve, reject);
    });
    request.on('error', reject).end();
  });
}

async function readAnswer(response: IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new UnavailableError('the answer is too long');
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(chunks) };
}

/** Of Node or OpenSSL: `ECONNREFUSED`, `DEPTH_ZERO_SELF_SIGNED_CERT`. */
function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'failed';
}
