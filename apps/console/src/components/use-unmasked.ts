import { useCallback, useEffect, useState } from 'react';

/** So long personal values stand on the screen. */
export const shownSeconds = 60;

interface Unmasked<Values> {
  readonly values: Values | null;
  readonly secondsLeft: number;
  /** Null hides them. */
  readonly show: (values: Values | null) => void;
  readonly hide: () => void;
}

/** Personal values for a minute. They are kept nowhere but here, and gone with the screen. */
export function useUnmasked<Values>(): Unmasked<Values> {
  const [values, setValues] = useState<Values | null>(null);
  const [secondsLeft, setSecondsLeft] = useState(0);
  const show = useCallback((next: Values | null) => {
    setValues(next);
    setSecondsLeft(shownSeconds);
  }, []);
  const hide = useCallback(() => setValues(null), []);
  useEffect(() => {
    if (values === null) return undefined;
    const endMs = Date.now() + shownSeconds * 1_000;
    // Timers rest in tabs that nobody looks at: the clock decides.
    const timer = setInterval(() => {
      const left = Math.ceil((endMs - Date.now()) / 1_000);
      setSecondsLeft(left);
      if (left <= 0) setValues(null);
    }, 1_000);
    return () => clearInterval(timer);
  }, [values]);
  return { values, secondsLeft, show, hide };
}
