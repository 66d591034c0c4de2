import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';

import { apiPages, apiQuery } from '../api/queries.js';
import type { IntentFilters } from './filters.js';
import { headChange, type IntentPage, mergeHead, pageRows } from './live-head.js';

const pollMs = 3_000;
const headRows = 100;
/** Further down somebody reads: what they read does not move. */
const topPx = 120;

type Data = InfiniteData<IntentPage, string | null>;

function subscribeToScroll(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}

function useIsScrolled(): boolean {
  return useSyncExternalStore(subscribeToScroll, () => window.scrollY > topPx);
}

interface LiveTail {
  /** Rows that came and are not shown; `isMore`: at least so many. */
  readonly newRows: number;
  readonly isMore: boolean;
  /** Shows them. */
  readonly takeIn: () => void;
}

/**
 * Looks for what is new, where the newest stand first, and puts it above what is shown, unless somebody pauses it, reads further down, or is about to
 * choose a row (`isHeld`): then it is counted.
 */
export function useLiveTail(
  query: IntentFilters,
  { isHeld, isOn }: { readonly isHeld: boolean; readonly isOn: boolean },
): LiveTail {
  const client = useQueryClient();
  const isScrolled = useIsScrolled();
  const { queryKey } = apiPages('/intents', { query: { ...query, limit: pageRows } });
  const options = apiQuery('/intents', { query: { ...query, limit: headRows } });
  const { data: newest } = useQuery({ ...options, refetchInterval: pollMs, staleTime: 0, retry: false, enabled: isOn });
  const head = isOn ? newest : undefined;
  const shown = client.getQueryData<Data>(queryKey);
  const isWaiting = isHeld || isScrolled;
  const hash = JSON.stringify(query);

  const takeIn = useCallback(() => {
    if (head === undefined || client.isFetching({ queryKey, exact: true }) > 0) return;
    client.setQueryData<Data>(queryKey, (before) => {
      if (before === undefined) return before;
      const pages = mergeHead(before.pages, head);
      return pages === before.pages
        ? before
        : { pages: [...pages], pageParams: pages.map((_, index) => before.pageParams[index] ?? null) };
    });
    // The key is a new list at each drawing; `hash` says whether it differs.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [client, head, hash]);
  useEffect(() => {
    // Who comes back is scrolled to where they were after this was drawn.
    if (!isWaiting && window.scrollY <= topPx) takeIn();
  }, [isWaiting, takeIn]);

  const pages = shown?.pages;
  const change = useMemo(
    () => (head === undefined || pages === undefined ? null : headChange(pages, head)),
    [head, pages],
  );
  return { newRows: change?.newRows ?? 0, isMore: change?.isMore ?? false, takeIn };
}
