import type { Finding } from './finding.js';
import { failed, ok, warning } from './finding.js';
import { durationText } from './quantity.js';

const skewMsMax = 1_000;
const skewMsAlarming = 30_000;

/** How far this machine's clock is behind another one, and how far that reading may be wrong. */
export interface ClockReading {
  readonly behindMs: number;
  readonly uncertaintyMs: number;
}

/** Only what is certain counts: half of a round trip, or the second that a Date header is cut to, is no skew. */
export function judgeSkew(name: string, who: string, { behindMs, uncertaintyMs }: ClockReading): Finding {
  const certainMs = Math.max(0, Math.abs(behindMs) - uncertaintyMs);
  const direction = behindMs > 0 ? 'behind' : 'ahead of';
  const reading = `this machine is ${durationText(Math.abs(behindMs))} ${direction} ${who} (± ${durationText(uncertaintyMs)})`;
  if (certainMs <= skewMsMax) return ok(name, reading);
  const remedy =
    'Which of the two is wrong? Set its clock by NTP: `chronyc tracking` or `timedatectl`. Our leases go by Postgres’ clock ' +
    'alone; times of events, schedules and logs do not.';
  return (certainMs > skewMsAlarming ? failed : warning)(name, { detail: reading, remedy });
}
