import { useSyncExternalStore } from 'react';

import type { SearchTexts } from '../shell/search-texts.js';
import { filterTexts } from './filters.js';

/** Filters under a name. */
export interface View {
  readonly name: string;
  readonly search: SearchTexts;
}

export const builtInViews: readonly View[] = [
  { name: 'All', search: {} },
  { name: 'Unknown', search: { status: 'unknown' } },
  { name: 'Parked', search: { status: 'parked' } },
  { name: 'Waiting', search: { status: 'waiting' } },
  { name: 'Today', search: { from: 'today' } },
];

const key = 'loyaltyd.intent-views';
const nameCharsMax = 40;
const viewsMax = 30;
const listeners = new Set<() => void>();

const isText = (value: unknown): value is string => typeof value === 'string';

function viewOf(value: unknown): View | null {
  const { name, search } = (value ?? {}) as Partial<Record<keyof View, unknown>>;
  if (!isText(name) || typeof search !== 'object' || search === null) return null;
  const texts = Object.entries(search).filter((entry): entry is [string, string] => isText(entry[1]));
  return { name, search: filterTexts(Object.fromEntries(texts)) };
}

/** What was kept, whatever became of it. */
export function parseViews(text: string | null): readonly View[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(stored) ? stored.flatMap((one: unknown) => viewOf(one) ?? []) : [];
  } catch {
    return [];
  }
}

function read(): readonly View[] {
  try {
    return parseViews(localStorage.getItem(key));
  } catch {
    // Storage is forbidden.
    return [];
  }
}

let views: readonly View[] | null = null;
const savedViews = (): readonly View[] => (views ??= read());

function keep(next: readonly View[]): void {
  views = next;
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    // They hold until the page is left.
  }
  for (const listener of listeners) listener();
}

/** Why views cannot get that name; null: they can. One of the same name is replaced. */
export function nameObstacle(name: string, saved: readonly View[]): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Give it a name.';
  if (trimmed.length > nameCharsMax) return `At most ${nameCharsMax} letters.`;
  if (builtInViews.some((view) => view.name.toLowerCase() === trimmed.toLowerCase())) return 'That name is taken.';
  const isNew = !saved.some((view) => view.name === trimmed);
  return isNew && saved.length >= viewsMax ? `There are ${viewsMax} already: delete one first.` : null;
}

export function saveView(name: string, search: SearchTexts): void {
  const view = { name: name.trim(), search: filterTexts(search) };
  keep([...savedViews().filter((one) => one.name !== view.name), view]);
}

export function deleteView(name: string): void {
  keep(savedViews().filter((one) => one.name !== name));
}

export function isShown(view: View, search: SearchTexts): boolean {
  return JSON.stringify(filterTexts(view.search)) === JSON.stringify(filterTexts(search));
}

/** In this browser alone. */
export function useSavedViews(): readonly View[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, savedViews);
}
