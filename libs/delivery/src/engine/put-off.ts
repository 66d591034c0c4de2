import { putOffMark } from '#intents';

import { comeBack } from './completion.js';
import type { LaneWork } from './lane-work.js';
import { currentIntent } from './lane-work.js';
import type { LaneAction } from './next-action.js';
import type { ProgramDesk } from './program-desk.js';

/** While its operation is paused a lane waits where it costs nothing; nothing has happened to it. */
export function putOff({ pauses }: ProgramDesk, work: LaneWork): LaneAction | null {
  const operation = currentIntent(work)?.operation;
  if (operation === undefined || !pauses.isOperationPaused(operation)) return null;
  return { kind: 'record', completion: comeBack('retry', putOffMark(operation)), isLostAttempt: false };
}
