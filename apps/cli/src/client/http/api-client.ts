import { CommandFailure } from '../../command-line/command-failure.js';
import { productVersion } from '../../command-line/product-version.js';
import type { Connection } from '../connection/connection.js';
import { ApiFailure, problemOf } from './api-failure.js';
import type { Answer } from './exchange.js';
import { exchange } from './exchange.js';
import { networkFailure } from './network-failure.js';

/** More than the largest answer: one intent with a record of 1 MiB and all its attempts. */
const answerBytesMax = 64 * 1024 * 1024;
const apiPath = '/api/v1';

export type Query = Readonly<Record<string, string>>;

interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** An id as a part of a path. */
export function pathPart(id: string): string {
  return encodeURIComponent(id);
}

function contentHeaders(content: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
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

  async post(path: string, body: unknown): Promise<unknown> {
    return this.ask({ method: 'POST', path, body });
  }

  async delete(path: string, body: unknown): Promise<unknown> {
    return this.ask({ method: 'DELETE', path, body });
  }

  private async ask(request: Request): Promise<unknown> {
    const { status, text } = await this.exchange(request);
    const body = parsed(text);
    if (status < 200 || status > 299) throw new ApiFailure(problemOf(status, body));
    if (typeof body === 'object' && body !== null) return body;
    throw new CommandFailure(`${this.connection.server} did not answer with JSON: is it loyaltyd's operations API?`);
  }

  private async exchange({ method, path, body }: Request): Promise<Answer> {
    const { server, token, timeoutMs } = this.connection;
    const headers = { authorization: `Bearer ${token}`, 'user-agent': `loyaltyd/${productVersion()}` };
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
