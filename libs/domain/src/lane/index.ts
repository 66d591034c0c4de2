export { isDrained, laneDetoursMax, sendFirst, settleAhead, settleCurrent } from './lane-cursor.js';
export type { LaneCursor } from './lane-cursor.js';
export { rebuildLane } from './rebuild-lane.js';
export type { LaneFact, RebuiltLane } from './rebuild-lane.js';
