import { useEffect, useState } from 'react';

const tickMs = 60_000;

/** Now, by the minute: hours are drawn by it. */
export function useHourClock(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
