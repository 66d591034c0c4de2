import type { Effect } from '../history/partner-history.js';
import { isAsked } from './attribute.js';
import type { LaneView } from './lane-view.js';

/** The effect is what an intent asked for before it was corrected, and came after the correction. */
export function isStale(view: LaneView, effect: Effect): boolean {
  return [...view.intents.values()].some(({ row, attempts }) =>
    attempts.some(
      ({ asks, begin }) => asks !== row.asks && isAsked(effect, row.asks) && begin.event.at <= effect.arrivedAt,
    ),
  );
}
