import type { IncomingMessage, RequestOptions } from 'node:http';

import { apiDepthMax, decodeUtf8, readJsonText } from '#contracts/json';

import {
  CommandFailure,
  exitError,
  exitNotAllowed,
  exitNothingMatched,
  exitUsage,
} from '../command-line/command-failure.js';
import { productVersion } from '../command-line/product-version.js';
import type { Connection } from './connection.js';
import { safeLine } from './text.js';

interface Exchange extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly body?: string;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The server did not answer in time. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
  readonly code = 'TIMED_OUT';
}

/** Plain Node: `fetch` would take 30 ms of a command's start. A redirect is an answer like another. */
async function send(
  url: string,
  exchange: Omit<Exchange, 'timeoutMs' | 'answerBytesMax'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const { method, headers, body } = exchange;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal }, resolve);
    // Stays: what breaks later is reported by the answer, and would end the process without a listener here.
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
  // Empty where it is no text: such an answer is none of ours.
  return decodeUtf8(Buffer.concat(chunks)) ?? '';
}

/** One request and its whole answer. @throws {TimedOut}, {CommandFailure} where it is too long, or as Node does */
async function exchange(url: string, asked: Exchange): Promise<Answer> {
  const signal = AbortSignal.timeout(asked.timeoutMs);
  try {
    const answer = await send(url, asked, signal);
    return { status: answer.statusCode ?? 0, text: await textOf(answer, asked.answerBytesMax) };
  } catch (error) {
    throw signal.aborted ? new TimedOut() : error;
  }
}

/** What a problem document says (RFC 9457), as far as it is needed here. */
interface Problem {
  readonly status: number;
  /** The end of `type`; null where the answer was no problem document of ours. */
  readonly code: string | null;
  readonly title: string;
  readonly detail: string | null;
}

/** The server refused; nothing was changed. */
export class ApiFailure extends CommandFailure {
  constructor(readonly problem: Problem) {
    super(lineOf(problem), exitCodeOf(problem));
  }
}

/** No answer came: the server is away, or the network. */
export class NoAnswer extends CommandFailure {}

const notAllowed = [401, 403];
/** The code of a problem where the server does not know what was asked for at all. */
export const noSuchPath = 'http-404';
const nothingThere = /^(?:no-such-|nothing-to-)/;
const codePrefix = 'urn:loyaltyd:problem:';

function exitCodeOf({ status, code }: Problem): number {
  if (notAllowed.includes(status)) return exitNotAllowed;
  // A proxy, or another program's 404: nothing is known of what was asked for.
  if (code === null || code === noSuchPath) return exitError;
  if (status === 404 || nothingThere.test(code)) return exitNothingMatched;
  return status === 400 ? exitUsage : exitError;
}

/** Lists of what is wrong come as several lines, each with a cross before it. */
function oneLine(text: string): string {
  return safeLine(text.replace(/✖ /g, '').replace(/\s*\n\s*/g, ' '));
}

function lineOf({ status, code, title, detail }: Problem): string {
  if (code === null) return `the server answered with HTTP ${status} and no reason: is it loyaltyd's operations API?`;
  if (code === noSuchPath) return 'the server has no such path: is it loyaltyd, of this version or a newer one?';
  return oneLine(detail === null ? `${title} (${code})` : `${title}: ${detail} (${code})`);
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

/** What a refusal says. */
function problemOf(status: number, body: unknown): Problem {
  const { type, title, detail } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<
    Record<string, unknown>
  >;
  const isOurs = typeof type === 'string' && type.startsWith(codePrefix);
  const code = isOurs ? type.slice(codePrefix.length) : null;
  return { status, code, title: textOr(title, 'It was refused'), detail: textOr(detail, null) };
}

/** Nothing can have been sent. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be resolved now',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  ETIMEDOUT: 'the connection was not accepted in time',
};
const certificate = /CERT|SELF_SIGNED|TLS|SSL/;

function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return [code, name].find((word) => typeof word === 'string') ?? 'unknown error';
}

/** The failure of a request to which no answer came. */
function networkFailure(error: unknown, server: string, sent: { readonly mayHaveActed: boolean }): Error {
  const code = codeOf(error);
  const known = unreached[code];
  if (known !== undefined) return new NoAnswer(`cannot reach ${server}: ${known} (${code})`);
  if (certificate.test(code)) {
    const hint = 'NODE_EXTRA_CA_CERTS names a file of further authorities';
    return new CommandFailure(`cannot trust the certificate of ${server} (${code}); ${hint}`);
  }
  const what = error instanceof TimedOut ? 'no answer in time (--timeout)' : `the connection broke (${code})`;
  const doubt = sent.mayHaveActed ? '; it may have been done: look before you ask again' : '';
  return new NoAnswer(`${server}: ${what}${doubt}`);
}

/** More than the largest answer: one intent with a record of 1 MiB and all its attempts. */
const answerBytesMax = 64 * 1024 * 1024;
const apiPath = '/api/v1';

export type Query = Readonly<Record<string, string>>;

interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

function contentHeaders(content: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) };
}

/**
 * Asks the operations API. Every method resolves with the body of the answer, and throws a `CommandFailure` that tells
 * in one line what is wrong.
 */
export class ApiClient {
  constructor(private readonly connection: Connection) {}

  async get(path: string, query: Query = {}): Promise<unknown> {
    const text = new URLSearchParams(query).toString();
    return this.ask({ method: 'GET', path: text === '' ? path : `${path}?${text}` });
  }

  /** Text as it comes, however long. @throws {CommandFailure} also where nothing comes for as long as an answer may take */
  async *text(path: string, query: Query): AsyncGenerator<string> {
    const { server, timeoutMs } = this.connection;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), timeoutMs);
    try {
      const url = `${server}${apiPath}${path}?${new URLSearchParams(query).toString()}`;
      const answer = await send(url, { method: 'GET', headers: this.headers() }, silence.signal);
      const { statusCode: status = 0 } = answer;
      if (status !== 200) {
        const body = readJsonText(await textOf(answer, answerBytesMax), { depthMax: apiDepthMax });
        throw new ApiFailure(problemOf(status, body));
      }
      answer.setEncoding('utf8');
      for await (const part of answer as AsyncIterable<string>) {
        timer.refresh();
        yield part;
      }
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      throw networkFailure(silence.signal.aborted ? new TimedOut() : error, server, { mayHaveActed: false });
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  async post(path: string, body: unknown): Promise<unknown> {
    return this.ask({ method: 'POST', path, body });
  }

  async delete(path: string, body: unknown): Promise<unknown> {
    return this.ask({ method: 'DELETE', path, body });
  }

  private async ask(request: Request): Promise<unknown> {
    const { status, text } = await this.exchange(request);
    const body = readJsonText(text, { depthMax: apiDepthMax });
    if (status < 200 || status > 299) throw new ApiFailure(problemOf(status, body));
    if (typeof body === 'object' && body !== null) return body;
    throw new CommandFailure(`${this.connection.server} did not answer with JSON: is it loyaltyd's operations API?`);
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.connection.token}`, 'user-agent': `loyaltyd/${productVersion()}` };
  }

  private async exchange({ method, path, body }: Request): Promise<Answer> {
    const { server, timeoutMs } = this.connection;
    const headers = this.headers();
    const content = body === undefined ? undefined : JSON.stringify(body);
    try {
      return await exchange(`${server}${apiPath}${path}`, {
        ...{ method, timeoutMs, answerBytesMax },
        headers: content === undefined ? headers : { ...headers, ...contentHeaders(content) },
        ...(content === undefined ? {} : { body: content }),
      });
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      throw networkFailure(error, server, { mayHaveActed: method !== 'GET' });
    }
  }
}

/** Items that one request asks for at most. */
const pageMax = 500;

/** A part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** More matches than were asked for. */
  readonly hasMore: boolean;
}

export interface ListRequest<T> {
  readonly path: string;
  readonly query: Query;
  /** Items wanted at most. */
  readonly limit: number;
  readonly isWanted: (item: T) => boolean;
}

interface ListAnswer<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

function listAnswer<T>(body: unknown, _request: ListRequest<T>): ListAnswer<T> {
  const { items, nextCursor = null } = body as { readonly items?: unknown; readonly nextCursor?: string | null };
  if (Array.isArray(items)) return { items: items as readonly T[], nextCursor };
  throw new CommandFailure('the server did not answer with a list: is it of another version?');
}

/** A list that the API answers as a whole, in any order. */
export async function* wholeList<T>(client: ApiClient, request: ListRequest<T>): AsyncGenerator<Page<T>> {
  const { path, query, limit, isWanted } = request;
  const { items } = listAnswer(await client.get(path, query), request);
  const wanted = items.filter(isWanted);
  yield { items: wanted.slice(0, limit), hasMore: wanted.length > limit };
}

function at(cursor: string | null): Query {
  return cursor === null ? {} : { cursor };
}

function upToUnwanted<T>(items: readonly T[], isWanted: (item: T) => boolean): readonly T[] {
  const end = items.findIndex((item) => !isWanted(item));
  return end === -1 ? items : items.slice(0, end);
}

/**
 * A list that the API answers in pages, the newest first; it ends at the first item that is not wanted. A page may be
 * short, even empty, and yet not be the last.
 */
export async function* pagedList<T>(client: ApiClient, request: ListRequest<T>): AsyncGenerator<Page<T>> {
  const { path, query, limit, isWanted } = request;
  let cursor: string | null = null;
  let left = limit;
  do {
    const asked: Query = { ...query, ...at(cursor), limit: String(Math.min(left, pageMax)) };
    const { items, nextCursor }: ListAnswer<T> = listAnswer(await client.get(path, asked), request);
    if (nextCursor !== null && nextCursor === cursor) throw new CommandFailure('the list of the server does not end');
    const wanted = upToUnwanted(items, isWanted);
    left -= items.length;
    cursor = wanted.length < items.length ? null : nextCursor;
    yield { items: wanted, hasMore: left <= 0 && cursor !== null };
  } while (cursor !== null && left > 0);
}
