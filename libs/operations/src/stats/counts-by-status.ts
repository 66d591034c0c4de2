import { INTENT_STATUSES } from '#contracts';
import type { StatsView } from '#contracts';

import type { Overview } from './read-overview.js';

/** Every status of every program and operation that ever had an intent, also those that have none now. */
export function countsByStatus({
  intents,
  delivering,
}: Pick<Overview, 'intents' | 'delivering'>): StatsView['intents'] {
  return intents.flatMap(({ program, operation, byStatus }) => {
    const held = delivering.find((count) => count.program === program && count.operation === operation)?.intents ?? 0;
    // Counted a moment later than what it is a part of.
    const underWay = Math.min(held, byStatus.pending);
    const counts = { ...byStatus, delivering: underWay, pending: byStatus.pending - underWay };
    return INTENT_STATUSES.map((status) => ({ program, operation, status, intents: counts[status] }));
  });
}
