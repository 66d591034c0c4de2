import type { ScheduleBody } from '../contract/schedule-body.js';
import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';

type TimeOfSchedule = Pick<ScheduleBody, 'scheduledTimestamp' | 'scheduledDateTime' | 'timeZone'>;

/**
 * When a schedule is due, in epoch milliseconds; any time in the past is due at once. A timestamp makes the pair of
 * date-time and time zone meaningless, even a wrong one (partner-api.md 4.4). Throws Refusal (400).
 */
export function dueTimeMs(body: TimeOfSchedule, wording: Wording): number {
  const { scheduledTimestamp, scheduledDateTime, timeZone } = body;
  if (scheduledTimestamp !== undefined) return scheduledTimestamp;
  const isPair = scheduledDateTime !== undefined && timeZone !== undefined;
  if (!isPair) refuse(400, wording.required(missingPart(body)));
  const localMs = typeof scheduledDateTime === 'string' ? parseLocalTime(scheduledDateTime) : null;
  if (localMs === null) return refuse(400, wording.invalid('scheduledDateTime', 'must be yyyy-MM-ddTHH:mm:ss'));
  if (typeof timeZone === 'string' && isTimeZone(timeZone)) return zonedTimeMs(localMs, timeZone);
  return refuse(400, wording.invalid('timeZone', 'must be a name of the IANA time zone database'));
}

function missingPart({ scheduledDateTime, timeZone }: TimeOfSchedule): string {
  if (scheduledDateTime === timeZone) return 'scheduledTimestamp, or scheduledDateTime with timeZone';
  return timeZone === undefined ? 'timeZone' : 'scheduledDateTime';
}

const localPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const dayMs = 86_400_000;
/** `GMT`, `GMT+01:00`; `GMT+00:53:28` before the zone had whole minutes. */
const offsetPattern = /^GMT([+-])([\d:]+)$/;

/** True for a name of the IANA time zone database, as `Europe/Berlin` or `UTC`; offsets are no zones. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return offsetFormat(name).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A local time `yyyy-MM-ddTHH:mm:ss` as if it were UTC, in epoch milliseconds; null when it is no date of the calendar. */
export function parseLocalTime(text: string): number | null {
  if (!localPattern.test(text)) return null;
  const epochMs = Date.parse(`${text}Z`);
  return Number.isNaN(epochMs) || !new Date(epochMs).toISOString().startsWith(text) ? null : epochMs;
}

/**
 * The epoch milliseconds at which a zone's clocks show a local time. A time they show twice (they were put back) is the
 * earlier one; a time they never show (they were put forward) is as long after the gap's beginning as it says. So does
 * the `compatible` rule of Temporal and of RFC 5545.
 */
export function zonedTimeMs(localMs: number, timeZone: string): number {
  const format = offsetFormat(timeZone);
  const before = offsetMs(format, localMs - dayMs);
  const after = offsetMs(format, localMs + dayMs);
  const shown = [localMs - before, localMs - after].filter(
    (epochMs) => epochMs + offsetMs(format, epochMs) === localMs,
  );
  return shown.length === 0 ? localMs - before : Math.min(...shown);
}

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
}

/** What is added to UTC to get the zone's local time. */
function offsetMs(format: Intl.DateTimeFormat, epochMs: number): number {
  const name = format.formatToParts(epochMs).find((part) => part.type === 'timeZoneName');
  const [, sign, clock] = offsetPattern.exec(name?.value ?? '') ?? [];
  if (clock === undefined) return 0;
  return sign === '-' ? -clockMs(clock) : clockMs(clock);
}

/** `01:00`, `00:53:28`. */
function clockMs(clock: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
