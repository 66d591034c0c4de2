import type { CallEvidence } from '#gateway';
import { readDatabaseClock } from '#platform';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, warning } from './finding.js';

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

/** This machine's clock against Postgres'. Not within a transaction: its round trips would count. */
export async function checkDatabaseClock({ postgres, clock }: Given<'postgres'>): Promise<readonly Finding[]> {
  const { databaseMs, readAt, roundTripMs } = await readDatabaseClock(clock, postgres.database);
  const ours = clock.now() - (clock.monotonic() - readAt);
  return [judgeSkew('clock.postgres', 'Postgres', { behindMs: databaseMs - ours, uncertaintyMs: roundTripMs / 2 })];
}

/** A Date header is cut to the second. */
const dateHeaderMs = 1_000;

/**
 * How far our clock is behind the partner's by the Date header of an answer; null without one. Its second has begun
 * somewhere within the round trip.
 */
export function readDateHeader({ response, durationMs }: CallEvidence, answeredAt: number): ClockReading | null {
  const date = Date.parse(response?.headers['date'] ?? '');
  if (Number.isNaN(date)) return null;
  const theirs = date + dateHeaderMs / 2;
  const ours = answeredAt - durationMs / 2;
  return { behindMs: theirs - ours, uncertaintyMs: (dateHeaderMs + durationMs) / 2 };
}
