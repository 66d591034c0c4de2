import { endSession, sessionToken } from '../session/session-store.js';
import { type ApiProblem, noAnswer, problemOf } from './api-problem.js';
import type { Answer, Method, PathOf, RequestParts } from './api-types.js';
import { meansAway, suspect } from './connection.js';

interface AnyParts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface Aborted {
  readonly signal?: AbortSignal;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Below wherever the page lies: a proxy may serve it below any path. */
export function apiUrl(path: string, { params = {}, query = {} }: AnyParts = {}): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(textOf(params[name])));
  const url = new URL(`api/v1${filled}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    // An empty text is one: `source=` asks for what names no source.
    if (value !== undefined && value !== null) url.searchParams.set(name, textOf(value));
  }
  return url;
}

export function authorization(): Readonly<Record<string, string>> {
  const token = sessionToken();
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Why a session ends that the daemon does not accept any more. */
export function refuseSession(problem: ApiProblem): void {
  if (problem.status === 401 && sessionToken() !== null) {
    endSession(`The daemon does not accept your token any more: ${problem.detail ?? problem.title}`);
  }
}

async function request(method: Method, path: string, parts: AnyParts & Aborted): Promise<Response> {
  const body = parts.body === undefined ? null : JSON.stringify(parts.body);
  const response = await fetch(apiUrl(path, parts), {
    method: method.toUpperCase(),
    headers: {
      accept: 'application/json',
      ...authorization(),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body,
    signal: parts.signal ?? null,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  }).catch((error: unknown) => {
    if (parts.signal?.aborted === true) throw error;
    throw failed(noAnswer({ isRead: method === 'get' }));
  });
  if (response.ok) return response;
  const problem = failed(await problemOf(response));
  refuseSession(problem);
  throw problem;
}

/** One that means that nobody is there is looked into. */
function failed(problem: ApiProblem): ApiProblem {
  if (meansAway(problem)) suspect();
  return problem;
}

async function answerOf<T>(method: Method, path: string, parts: AnyParts & Aborted): Promise<T> {
  const response = await request(method, path, parts);
  return (await response.json()) as T;
}

/** Reads. Throws `ApiProblem`. */
export async function apiGet<P extends PathOf<'get'>>(
  path: P,
  parts: RequestParts<P, 'get'> & Aborted,
): Promise<Answer<P>> {
  return answerOf('get', path, parts);
}

/** Reads a file, whole: one that ends early throws `ApiProblem`, too. */
export async function apiFile<P extends PathOf<'get'>>(path: P, parts: RequestParts<P, 'get'>): Promise<Blob> {
  const response = await request('get', path, parts);
  return response.blob().catch(() => {
    throw failed(noAnswer({ isRead: true }));
  });
}

/** Does something. Throws `ApiProblem`; with status 0 nobody knows whether it was done: look before trying again. */
export async function apiPost<P extends PathOf<'post'>>(
  path: P,
  parts: RequestParts<P, 'post'> & Aborted,
): Promise<Answer<P, 'post'>> {
  return answerOf('post', path, parts);
}

export async function apiDelete<P extends PathOf<'delete'>>(
  path: P,
  parts: RequestParts<P, 'delete'>,
): Promise<Answer<P, 'delete'>> {
  return answerOf('delete', path, parts);
}
