import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

import { usePreferences } from '../shell/preferences.js';
import { type SearchTexts, textOnly } from '../shell/search-texts.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { type FilterName, filterChange, filterTexts, noFilters, type ReadFilters, readFilters } from './filters.js';

interface Filters extends ReadFilters {
  /** As they stand in the address. */
  readonly texts: Readonly<Partial<Record<FilterName, string>>>;
  readonly isOldestFirst: boolean;
  readonly turnOrder: () => void;
  readonly change: (name: FilterName, text: string | null) => void;
  /** While somebody types: the browser's "back" goes past it. */
  readonly retype: (name: FilterName, text: string) => void;
  /** All at once, those that are not named away. */
  readonly replaceAll: (search: SearchTexts) => void;
}

/** The filters of the address, and what they mean; `2h` means what it meant when it was asked for. */
export function useFilters(): Filters {
  const [search, changeSearch] = useSearchTexts();
  const navigate = useNavigate();
  const { timeZone } = usePreferences();
  const texts = filterTexts(search);
  const isOldestFirst = search.order === 'oldest';
  const key = JSON.stringify(texts);
  // eslint-disable-next-line react-hooks/purity -- a time that is relative is read once for each address, not at each drawing
  const read = useMemo(() => readFilters(JSON.parse(key) as SearchTexts, Date.now(), timeZone), [key, timeZone]);
  const retype = useCallback(
    (name: FilterName, text: string) => {
      const changes = filterChange(name, text);
      void navigate({ to: '.', replace: true, search: (before: SearchTexts) => textOnly({ ...before, ...changes }) });
    },
    [navigate],
  );
  return {
    ...read,
    texts,
    isOldestFirst,
    turnOrder: () => changeSearch({ order: isOldestFirst ? null : 'oldest' }),
    retype,
    change: (name, text) => changeSearch(filterChange(name, text ?? '')),
    replaceAll: (next) => changeSearch({ ...noFilters, ...next }),
  };
}
