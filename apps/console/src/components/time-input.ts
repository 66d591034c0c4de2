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

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** When `15m`, `2h` or `7d` ago was, epoch ms; null: that is not what it says. */
export function agoMs(text: string, nowMs: number): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? null : nowMs - Number(count) * (unitsMs[unit] ?? NaN);
}

const dayMs = 86_400_000;

/** What this browser's clock adds to UTC. */
const offsetMsAt = (atMs: number): number => -new Date(atMs).getTimezoneOffset() * 60_000;

/** Why a time by this browser's clock is not one moment: the clocks are put forward over it, or back. Null where it is. */
export function clockChangeFlaw(text: string, zone: Zone): string | null {
  const shownMs = Date.parse(`${text}Z`);
  if (zone === 'utc' || Number.isNaN(shownMs)) return null;
  const offsets = new Set([shownMs - dayMs, shownMs + dayMs].map(offsetMsAt));
  const shown = [...offsets].filter((offsetMs) => offsetMsAt(shownMs - offsetMs) === offsetMs);
  if (shown.length === 1) return null;
  return shown.length === 0
    ? 'This browser’s clock never shows that time: it is put forward then.'
    : 'This browser’s clock shows that time twice: choose UTC in the settings to say which.';
}
