import { refuse } from '../call/planned-request.js';

interface LocalTime {
  /** `yyyy-MM-ddTHH:mm:ss` */
  readonly dateTime: string;
  /** IANA name. */
  readonly timeZone: string;
}

const dayMs = 86_400_000;

/**
 * What a zone's clocks add to UTC at a local time: `+01:00`. A time they show twice is the earlier one; one they never
 * show has the offset before the gap (RFC 5545, 3.3.5).
 * @throws InvalidRequest for a zone that is not known
 */
export function offsetOf({ dateTime, timeZone }: LocalTime): string {
  const format = formatFor(timeZone);
  const localMs = Date.parse(`${dateTime}Z`);
  const before = minutesAt(format, localMs - dayMs);
  const after = minutesAt(format, localMs + dayMs);
  const isShown = (minutes: number): boolean => minutesAt(format, localMs - minutes * 60_000) === minutes;
  return offsetText([before, after].find(isShown) ?? before);
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return refuse('at.timeZone', 'is not a known time zone');
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
