import { useCallback, useEffect, useState } from 'react';

import type { Answer } from '../api/api-types.js';

export type UnmaskedMember = Answer<'/members/{program}/{memberId}/unmask', 'post'>;

/** So long personal values stand on the screen. */
export const shownSeconds = 60;

interface Unmasked {
  readonly member: UnmaskedMember | null;
  readonly secondsLeft: number;
  readonly show: (member: UnmaskedMember) => void;
  readonly hide: () => void;
}

/** Personal values for a minute. They are kept nowhere but here, and gone with the screen. */
export function useUnmasked(): Unmasked {
  const [member, setMember] = useState<UnmaskedMember | null>(null);
  const [secondsLeft, setSecondsLeft] = useState(0);
  const hide = useCallback(() => setMember(null), []);
  const show = useCallback((next: UnmaskedMember) => {
    setMember(next);
    setSecondsLeft(shownSeconds);
  }, []);
  useEffect(() => {
    if (member === null) return undefined;
    const endMs = Date.now() + shownSeconds * 1_000;
    // Timers rest in tabs that nobody looks at: the clock decides.
    const timer = setInterval(() => {
      const left = Math.ceil((endMs - Date.now()) / 1_000);
      setSecondsLeft(left);
      if (left <= 0) setMember(null);
    }, 1_000);
    return () => clearInterval(timer);
  }, [member]);
  return { member, secondsLeft, show, hide };
}
