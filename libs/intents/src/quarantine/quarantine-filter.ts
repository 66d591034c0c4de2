import type { SqlParameter } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Which records set aside; what is null counts for nothing. */
export interface QuarantineFilter {
  readonly reason: string | null;
  readonly topic: string | null;
  /** A part of the detail. */
  readonly detail: string | null;
  /** Set aside at or after, and before; epoch ms. */
  readonly from: number | null;
  readonly to: number | null;
}

/** SQL: a row of `quarantine q` is meant; takes `filterParameters` as its first parameters. */
export const filterCondition = `($1::text IS NULL OR q.reason = $1) AND ($2::text IS NULL OR q.topic = $2)
  AND ($3::text IS NULL OR strpos(q.detail, $3) > 0)
  AND ($4::timestamptz IS NULL OR q.recorded_at >= $4) AND ($5::timestamptz IS NULL OR q.recorded_at < $5)`;

export function filterParameters({ reason, topic, detail, from, to }: QuarantineFilter): SqlParameter[] {
  return [reason, topic, detail, from === null ? null : timestamp(from), to === null ? null : timestamp(to)];
}
