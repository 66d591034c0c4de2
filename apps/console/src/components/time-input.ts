import { absoluteText } from './time-words.js';

type Zone = 'local' | 'utc';

/** As `<input type="datetime-local">` holds it; empty for what is no time. */
export function inputText(iso: string, zone: Zone): string {
  const atMs = Date.parse(iso);
  return Number.isNaN(atMs) ? '' : absoluteText(atMs, zone).slice(0, 'yyyy-mm-dd hh:mm'.length).replace(' ', 'T');
}

/** As the API takes it; null for what is no time. */
export function momentOf(text: string, zone: Zone): string | null {
  const atMs = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}
