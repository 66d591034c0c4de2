import { useSyncExternalStore } from 'react';

/** How somebody likes to look at things: kept in this browser, and of no consequence elsewhere. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly timeZone: 'local' | 'utc';
  readonly times: 'relative' | 'absolute';
  /** The columns of the list of intents, by id. */
  readonly intentColumns: readonly string[];
}

const key = 'loyaltyd.preferences';
export const usualIntentColumns: readonly string[] = [
  ...['status', 'when', 'member', 'program', 'operation', 'amount', 'purchase', 'store', 'why'],
];
const usual: Preferences = { theme: 'system', timeZone: 'local', times: 'relative', intentColumns: usualIntentColumns };
const listeners = new Set<() => void>();

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return values.some((one) => one === value);
}

function textsOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null;
}

function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Record<keyof Preferences, unknown>>;
    return {
      theme: isOneOf(['system', 'light', 'dark'], stored.theme) ? stored.theme : usual.theme,
      timeZone: isOneOf(['local', 'utc'], stored.timeZone) ? stored.timeZone : usual.timeZone,
      times: isOneOf(['relative', 'absolute'], stored.times) ? stored.times : usual.times,
      intentColumns: textsOf(stored.intentColumns) ?? usual.intentColumns,
    };
  } catch {
    // Storage is forbidden, or holds what is not ours.
    return usual;
  }
}

let preferences = read();

function showTheme(): void {
  const { theme } = preferences;
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme;
}

export function changePreferences(changes: Partial<Preferences>): void {
  preferences = { ...preferences, ...changes };
  try {
    localStorage.setItem(key, JSON.stringify(preferences));
  } catch {
    // It holds until the page is left.
  }
  showTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => preferences);
}

showTheme();
