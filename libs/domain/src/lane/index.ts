export { afterTry, isDrained, laneDetoursMax, putBack, sendFirst, settleAhead, settleCurrent } from './lane-cursor.js';
export type { LaneCursor } from './lane-cursor.js';
export { rebuildLane } from './rebuild-lane.js';
export type { LaneFact, LaneStart, RebuiltLane } from './lane-fact.js';
