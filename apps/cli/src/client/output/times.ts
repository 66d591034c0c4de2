const minute = 60;
const hour = 3_600;
const day = 86_400;

/** With the next smaller unit where there is some of it, such as `2h10m`. */
function twoUnits(
  seconds: number,
  [unit, size]: readonly [string, number],
  [nextUnit, nextSize]: readonly [string, number],
): string {
  const rest = Math.floor((seconds % size) / nextSize);
  return `${Math.floor(seconds / size)}${unit}${rest === 0 ? '' : `${rest}${nextUnit}`}`;
}

function durationText(seconds: number): string {
  if (seconds < minute) return `${seconds}s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < day) return twoUnits(seconds, ['h', hour], ['m', minute]);
  return twoUnits(seconds, ['d', day], ['h', hour]);
}

/** How long ago something was, such as `5m`; what is no time stays as it is. */
export function ageText(at: string | null, nowMs: number = Date.now()): string | null {
  const atMs = at === null ? NaN : Date.parse(at);
  return Number.isNaN(atMs) ? at : durationText(Math.max(0, Math.round((nowMs - atMs) / 1_000)));
}

/** A time, and how long ago that was. */
export function timeText(at: string | null): string | null {
  if (at === null) return null;
  const isPast = Date.parse(at) <= Date.now();
  return isPast ? `${at} (${ageText(at) ?? ''} ago)` : at;
}
