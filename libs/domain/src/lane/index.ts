export { isDrained, laneDetoursMax, sendFirst, settleAhead, settleCurrent } from './lane-cursor.js';
export type { LaneCursor } from './lane-cursor.js';
