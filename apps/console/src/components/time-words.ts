const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** `3 min`, `2 h 5 min`, `4 d`: two units at most, and only where the second one still matters. */
export function durationText(ms: number): string {
  const seconds = Math.floor(Math.abs(ms) / 1_000);
  const at = units.findIndex(([, size]) => seconds >= size);
  const [unit, size] = units[at] ?? ['s', 1];
  const count = Math.floor(seconds / size);
  const smaller = units[at + 1];
  const rest = smaller === undefined ? 0 : Math.floor((seconds % size) / smaller[1]);
  const first = `${count} ${unit}`;
  return smaller === undefined || rest === 0 || count >= 10 ? first : `${first} ${rest} ${smaller[0]}`;
}

const secondMs = 1_000;

/** Of what takes moments: `6 ms`, `2.4 s`, `3 min`. */
export function shortDurationText(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  return ms < 10 * secondMs ? `${(ms / secondMs).toFixed(1)} s` : durationText(ms);
}

const minuteMs = 60_000;

/** `3 min ago`, `in 2 h 5 min`, `now`. Beside minutes seconds say nothing, and would change all the time. */
export function relativeText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (Math.abs(ms) < 1_000) return 'now';
  const text = durationText(Math.abs(ms) < minuteMs ? ms : Math.trunc(ms / minuteMs) * minuteMs);
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

const shape = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;
const formats = {
  // The Swedish way of writing a date is ISO's.
  utc: new Intl.DateTimeFormat('sv', { ...shape, timeZone: 'UTC' }),
  local: new Intl.DateTimeFormat('sv', shape),
};
const zoneNames = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

/** `2026-11-26 23:57:23`, and with the name of its zone behind it. */
export function absoluteText(atMs: number, timeZone: 'local' | 'utc'): string {
  return formats[timeZone].format(atMs);
}

export function absoluteTextWithZone(atMs: number, timeZone: 'local' | 'utc'): string {
  const zone =
    timeZone === 'utc'
      ? 'UTC'
      : (zoneNames.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? 'local time');
  return `${absoluteText(atMs, timeZone)} ${zone}`;
}

const dayChars = '2026-11-26'.length;
const monthAt = '2026-'.length;
const minuteEnd = '2026-11-26 23:57'.length;

/** As short as it can be told from others, for the columns of lists: `23:57:23` of today, `11-26 23:57`, `2025-11-26`. */
export function listText(atMs: number, nowMs: number, timeZone: 'local' | 'utc'): string {
  const [at, now] = [absoluteText(atMs, timeZone), absoluteText(nowMs, timeZone)];
  if (at.slice(0, dayChars) === now.slice(0, dayChars)) return at.slice(dayChars + 1);
  return at.slice(0, monthAt) === now.slice(0, monthAt) ? at.slice(monthAt, minuteEnd) : at.slice(0, dayChars);
}
