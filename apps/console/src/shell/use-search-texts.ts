import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

import { type SearchTexts, textOnly } from './search-texts.js';

/** Null takes one away. */
type Changes = Readonly<Record<string, string | null>>;

/** A screen's filters live in its address: it can be sent to a colleague, and the browser's "back" undoes them. */
export function useSearchTexts(): readonly [SearchTexts, (changes: Changes) => void] {
  const texts = textOnly(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Changes) => {
      void navigate({ to: '.', search: (before: SearchTexts) => textOnly({ ...before, ...changes }) });
    },
    [navigate],
  );
  return [texts, change];
}
