import type { ScheduleTime } from '#contracts';

/**
 * What a time comes to: the one instant that it names, and what its zone's clocks add to UTC then (`+01:00`; of a
 * timestamp `+00:00`); or the rule that it breaks.
 */
export type JudgedTime =
  | { readonly kind: 'instant'; readonly epochMs: number; readonly offset: string }
  | { readonly kind: 'refused'; readonly rule: string };

type LocalTime = Extract<ScheduleTime, { dateTime: string }>;

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** The last that ISO 8601 writes in four digits of a year. */
const lastMs = Date.parse('9999-12-31T23:59:59Z');

const refused = (rule: string): JudgedTime => ({ kind: 'refused', rule });

/**
 * Judges when a change is to be made (partner-api.md 4.4), in either form, before anything is sent: a partner makes a
 * change of the past at once, and for all that fit. A local time must name one instant: which of two the partner would
 * take, and what it makes of one that its zone never shows, is not documented.
 */
export function judgeScheduleTime(at: ScheduleTime, nowMs: number): JudgedTime {
  const judged = 'timestampMs' in at ? instantOf(at.timestampMs, 0) : judgeLocalTime(at);
  if (judged.kind === 'refused') return judged;
  const instant = new Date(Math.min(judged.epochMs, lastMs)).toISOString();
  if (judged.epochMs <= nowMs) return refused(`lies in the past: ${instant}`);
  return judged.epochMs > lastMs ? refused(`lies after ${instant}`) : judged;
}

function judgeLocalTime({ dateTime, timeZone }: LocalTime): JudgedTime {
  const format = formatOf(timeZone);
  if (format === null) return refused('timeZone is no name of the IANA time zone database, such as Europe/Berlin');
  const localMs = Date.parse(`${dateTime}Z`);
  if (Number.isNaN(localMs)) return refused('dateTime is no date of the calendar');
  const offsets = new Set([minutesAt(format, localMs - dayMs), minutesAt(format, localMs + dayMs)]);
  const shown = [...offsets].filter((minutes) => minutesAt(format, localMs - minutes * minuteMs) === minutes);
  const [minutes, other] = shown;
  if (minutes === undefined) return refused('the clocks of that time zone never show this time: they are put forward');
  if (other === undefined) return instantOf(localMs - minutes * minuteMs, minutes);
  const both = [minutes, other].map((each) => `${dateTime}${offsetText(each)}`);
  return refused(`the clocks of that time zone show this time twice: give ${both.join(' or ')} instead`);
}

function instantOf(epochMs: number, offsetMinutes: number): JudgedTime {
  return { kind: 'instant', epochMs, offset: offsetText(offsetMinutes) };
}

/** Null for what is no zone. `Intl` takes offsets (`+01:00`) and any case besides, which a partner need not. */
function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  if (!/^[A-Z]/.test(timeZone)) return null;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const { timeZone: spelled } = format.resolvedOptions();
    const isOtherCase = spelled !== timeZone && spelled.toLowerCase() === timeZone.toLowerCase();
    return isOtherCase ? null : format;
  } catch {
    return null;
  }
}

/** `GMT` is none, `GMT-03:30` is -210. Whole minutes, as every zone has had since 1972. */
function minutesAt(format: Intl.DateTimeFormat, epochMs: number): number {
  const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -size : size;
}

function offsetText(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
