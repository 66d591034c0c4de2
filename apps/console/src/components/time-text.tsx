import { type ReactNode, useSyncExternalStore } from 'react';

import { usePreferences } from '../shell/preferences.js';
import { absoluteTextWithZone, listText, relativeText } from './time-words.js';

const tickMs = 5_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

/** One clock for all times in the page. */
function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now();
    timer = setInterval(tick, tickMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

export const useNowMs = (): number => useSyncExternalStore(subscribe, () => nowMs);

interface TimeTextProps {
  /** As the API writes it; null: a dash. */
  readonly at: string | null;
  /** It may be still to come; else it has happened, and where the clock here is a little behind it is now. */
  readonly mayCome?: boolean;
  /** Says both, where there is room. */
  readonly isLong?: boolean;
}

function shortText(atMs: number, now: number, preferences: ReturnType<typeof usePreferences>): string {
  return preferences.times === 'absolute' ? listText(atMs, now, preferences.timeZone) : relativeText(atMs, now);
}

/** A moment: how long ago, or when, as somebody has chosen; the other one when it is pointed at. */
export function TimeText({ at, isLong = false, mayCome = false }: TimeTextProps): ReactNode {
  const preferences = usePreferences();
  const clockMs = useNowMs();
  if (at === null) return <span aria-label="no time">–</span>;
  const atMs = Date.parse(at);
  const now = mayCome ? clockMs : Math.max(clockMs, atMs);
  const exact = absoluteTextWithZone(atMs, preferences.timeZone);
  const text = isLong ? `${exact}, ${relativeText(atMs, now)}` : shortText(atMs, now, preferences);
  return (
    <time dateTime={at} title={`${exact}, ${relativeText(atMs, now)}`}>
      {text}
    </time>
  );
}
