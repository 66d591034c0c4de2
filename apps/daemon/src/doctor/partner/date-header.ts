import type { CallEvidence } from '#gateway';

import type { ClockReading } from '../clock-skew.js';

/** A Date header is cut to the second. */
const resolutionMs = 1_000;

/**
 * How far our clock is behind the partner's by the Date header of an answer; null without one. Its second has begun
 * somewhere within the round trip.
 */
export function readDateHeader({ response, durationMs }: CallEvidence, answeredAt: number): ClockReading | null {
  const date = Date.parse(response?.headers['date'] ?? '');
  if (Number.isNaN(date)) return null;
  const theirs = date + resolutionMs / 2;
  const ours = answeredAt - durationMs / 2;
  return { behindMs: theirs - ours, uncertaintyMs: (resolutionMs + durationMs) / 2 };
}
