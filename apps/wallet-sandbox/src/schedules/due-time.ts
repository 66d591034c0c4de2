import type { ScheduleBody } from '../contract/schedule-body.js';
import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import { isTimeZone, parseLocalTime, zonedTimeMs } from './local-time.js';

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
