import type { IncomingMessage, RequestOptions } from 'node:http';

import { CommandFailure } from '../../command-line/command-failure.js';

export interface Exchange extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly body?: string;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The server did not answer in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
  readonly code = 'TIMED_OUT';
}

/** Plain Node: `fetch` would take 30 ms of a command's start. A redirect is an answer like another. */
async function send(url: string, exchange: Exchange, signal: AbortSignal): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const { method, headers, body } = exchange;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal }, resolve);
    // Stays: what breaks later is told by the answer, and would end the process if nobody listened here.
    sent.on('error', reject);
    sent.end(body);
  });
}

async function textOf(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new CommandFailure(`the server's answer is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One request and its whole answer. @throws {TimedOut}, {CommandFailure} where it is too long, or as Node does */
export async function exchange(url: string, asked: Exchange): Promise<Answer> {
  const signal = AbortSignal.timeout(asked.timeoutMs);
  try {
    const answer = await send(url, asked, signal);
    return { status: answer.statusCode ?? 0, text: await textOf(answer, asked.answerBytesMax) };
  } catch (error) {
    throw signal.aborted ? new TimedOut() : error;
  }
}
