import { useEffect, useEffectEvent } from 'react';

import { connectionAway, onConnection } from '../api/connection.js';

/** What was to be read is read once somebody answers again. Not for what was to be done: that is never sent by itself. */
export function useRetryOnReturn(retry: (() => void) | undefined): void {
  const isWanted = retry !== undefined;
  const again = useEffectEvent(() => retry?.());
  useEffect(() => {
    if (!isWanted) return undefined;
    return onConnection(() => {
      if (connectionAway() === null) again();
    });
  }, [isWanted]);
}
