import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

import type { Answer, RequestParts } from './api-types.js';
import { PageRows, type Rows } from './page-rows.js';
import { apiPages, type PagedPath } from './queries.js';

/** So long what was read of a list is kept while it is not shown: somebody looks at one row after the other. */
const keptMs = 15 * 60_000;

/** A list of the API as far as it was read: what `DataTable` shows. */
export interface Pages<Row> {
  readonly rows: Rows<Row>;
  /** When its first page was read, epoch ms; null: it was not, and nobody knows whether there is anything. */
  readonly readAtMs: number | null;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** How many pages in a row brought nothing: where little fits a filter, the daemon searches a part for each page. */
  readonly emptyPages: number;
  /** The next page; after a failure the same once more. */
  readonly loadMore: () => void;
  /** Begins again with the newest. */
  readonly refresh: () => void;
}

type RowOf<P extends PagedPath> = Answer<P> extends { readonly items: readonly (infer Row)[] } ? Row : never;

export function usePages<P extends PagedPath>(path: P, parts: RequestParts<P, 'get'>): Pages<RowOf<P>> {
  const client = useQueryClient();
  const options = apiPages(path, parts);
  const { data, dataUpdatedAt, hasNextPage, isFetching, error, fetchNextPage, refetch } = useInfiniteQuery({
    ...options,
    gcTime: keptMs,
  });
  const pages = data?.pages;
  const rows = useMemo(() => new PageRows((pages ?? []) as readonly { items: readonly RowOf<P>[] }[]), [pages]);
  const lastFull = (data?.pages ?? []).findLastIndex(({ items }) => items.length > 0);
  return {
    rows,
    readAtMs: data === undefined ? null : dataUpdatedAt,
    hasMore: hasNextPage,
    isLoading: isFetching,
    error,
    emptyPages: (data?.pages.length ?? 0) - 1 - lastFull,
    loadMore: () => {
      if (isFetching) return;
      void (data === undefined ? refetch() : fetchNextPage());
    },
    refresh: () => {
      void client.resetQueries({ queryKey: options.queryKey });
    },
  };
}
