import { CommandFailure } from '../../command-line/command-failure.js';
import type { ApiClient, Query } from './api-client.js';

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

interface Answer<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

function answerOf<T>(body: unknown, _request: ListRequest<T>): Answer<T> {
  const { items, nextCursor = null } = body as { readonly items?: unknown; readonly nextCursor?: string | null };
  if (Array.isArray(items)) return { items: items as readonly T[], nextCursor };
  throw new CommandFailure('the server did not answer with a list: is it of another version?');
}

/** A list that the API answers as a whole, in any order. */
export async function* wholeList<T>(client: ApiClient, request: ListRequest<T>): AsyncGenerator<Page<T>> {
  const { path, query, limit, isWanted } = request;
  const { items } = answerOf(await client.get(path, query), request);
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
    const { items, nextCursor }: Answer<T> = answerOf(await client.get(path, asked), request);
    if (nextCursor !== null && nextCursor === cursor) throw new CommandFailure('the list of the server does not end');
    const wanted = upToUnwanted(items, isWanted);
    left -= items.length;
    cursor = wanted.length < items.length ? null : nextCursor;
    yield { items: wanted, hasMore: left <= 0 && cursor !== null };
  } while (cursor !== null && left > 0);
}
