import { useSyncExternalStore } from 'react';

/** As the style sheets have it: below it tables leave out what is minor. */
const narrow = window.matchMedia('(max-width: 1000px)');

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
