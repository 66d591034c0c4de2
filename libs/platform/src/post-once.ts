import type { IncomingMessage } from 'node:http';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';

import { errorCode, errorName, SafeError } from './errors.js';

export interface OnePost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Authorities in PEM in place of the public ones. */
  readonly ca: string | null;
  /** Of us, in PEM; both or neither. */
  readonly cert?: string | null;
  readonly key?: string | null;
  /** From connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Ends it early, as if there were no answer. */
  readonly signal?: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** There was no whole answer; `reason` is `timeout`, `answer-too-long`, or Node's or OpenSSL's code. */
export class NoAnswerError extends SafeError {
  override readonly name = 'NoAnswerError';

  constructor(readonly reason: string) {
    super(`no answer (${reason})`);
  }
}

/** Far more than any answer of a token endpoint, of Vault or of who takes notices. */
const answerBytesMax = 65_536;

/**
 * A POST on a connection of its own, for what is asked a few times an hour: keys, tokens and notices. Nothing is followed: a secret
 * goes to the address that was configured, and to no other. @throws {NoAnswerError}
 */
export async function postOnce({
  url,
  headers,
  body,
  timeoutMs,
  signal: stopping,
  ...tls
}: OnePost): Promise<PostAnswer> {
  const send = url.startsWith('https:') ? requestTls : requestPlain;
  const tooLate = AbortSignal.timeout(timeoutMs);
  const signal = stopping === undefined ? tooLate : AbortSignal.any([tooLate, stopping]);
  const options = { method: 'POST', agent: false, signal, headers, ...givenOf(tls) };
  try {
    return await new Promise<PostAnswer>((resolve, reject) => {
      const request = send(url, options, (response) => {
        readAnswer(response).then(resolve, reject);
      });
      request.on('error', reject).end(body);
    });
  } catch (error) {
    throw tooLate.aborted ? new NoAnswerError('timeout') : failure(error);
  }
}

function givenOf({ ca, cert = null, key = null }: Pick<OnePost, 'ca' | 'cert' | 'key'>): Record<string, string> {
  return { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
}

function failure(error: unknown): NoAnswerError {
  return error instanceof NoAnswerError ? error : new NoAnswerError(errorCode(error) ?? errorName(error));
}

async function readAnswer(response: IncomingMessage): Promise<PostAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new NoAnswerError('answer-too-long');
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = response;
  return { status, headers, text: Buffer.concat(chunks).toString('utf8') };
}
