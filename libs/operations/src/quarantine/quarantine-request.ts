import type { QuarantineQuery } from '#contracts';
import type { QuarantineFilter } from '#intents';

import { timeRange } from '../requests/time-range.js';

/** What a request says about which records are meant. */
export function toQuarantineFilter(
  query: Pick<QuarantineQuery, 'reason' | 'topic' | 'detail' | 'from' | 'to'>,
): QuarantineFilter {
  const { reason = null, topic = null, detail = null } = query;
  const { from = null, to = null } = timeRange(query);
  return { reason, topic, detail, from, to };
}
