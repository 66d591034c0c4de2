import type { Noted } from './attribute.js';
import { isAsked } from './attribute.js';
import type { LaneView } from './lane-view.js';

/** It is what an intent asked for before it was corrected, and came after the correction. */
export function isStale(view: LaneView, noted: Noted): boolean {
  return [...view.intents.values()].some(({ row, attempts }) =>
    attempts.some(
      ({ asks, begin }) => asks !== row.asks && isAsked(noted, row.asks) && begin.event.at <= noted.arrivedAt,
    ),
  );
}
