import { retryAfterMsMax } from '#intents/core';

type Headers = Readonly<Record<string, string>>;

/**
 * How long an answer asks for no calls (Retry-After, RFC 9110 section 10.2.3), in milliseconds, clamped to
 * `retryAfterMsMax`: seconds, a fraction rounded up, or a date, judged against the answer's own `Date`, for whose clock may
 * be wrong both are. Of several values the longest. `null` where that is no time at all: absent, over, or nonsense.
 * @param nowMs stands for a `Date` that is missing
 */
export function retryAfterMsOf(headers: Headers, nowMs: number): number | null {
  const value = headers['retry-after'];
  if (value === undefined) return null;
  const sentAt = dateMs(headers['date']?.trim() ?? '') ?? nowMs;
  const longest = Math.max(0, ...value.split(BETWEEN_VALUES).map((text) => delayMsOf(text.trim(), sentAt)));
  return longest > 0 ? Math.min(longest, retryAfterMsMax) : null;
}

/** A comma, but for the one behind a date's day of the week. */
const BETWEEN_VALUES = /,(?! *\d{1,2}[ -][a-z]{3}[ -])/i;

function delayMsOf(text: string, sentAt: number): number {
  if (/^\d+(?:\.\d*)?$/.test(text)) {
    const ms = Math.ceil(Number(text)) * 1000;
    return ms < EPOCH_MS_MIN ? ms : ms - sentAt;
  }
  return (dateMs(text) ?? sentAt) - sentAt;
}

/** No server means decades: such a number of seconds counts from 1970. */
const EPOCH_MS_MIN = 1_000_000_000_000;

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and RFC 850's `Sunday, 06-Nov-94 08:49:37 GMT`. */
const DAY_FIRST = /^[a-z]+, *(\d{1,2})[ -]([a-z]{3})[ -](\d{2}|\d{4}) (\d{2}:\d{2}:\d{2}) (?:GMT|UTC|[+-]0000)$/i;
/** asctime's `Sun Nov  6 08:49:37 1994`. */
const DAY_SECOND = /^[a-z]{3} ([a-z]{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4})$/i;
/** Not of HTTP, but without doubt. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The forms of RFC 9110 section 5.6.7, which all are in GMT. @returns epoch milliseconds; `null`: it is no date */
function dateMs(text: string): number | null {
  if (ISO.test(text)) return parsed(text);
  const first = DAY_FIRST.exec(text);
  if (first !== null) {
    const [, day, month, year = '', time] = first;
    return parsed(`${day} ${month} ${year.length === 2 ? '20' : ''}${year} ${time} GMT`);
  }
  const [, month, day, time, year] = DAY_SECOND.exec(text) ?? [];
  return month === undefined ? null : parsed(`${day} ${month} ${year} ${time} GMT`);
}

function parsed(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
