import type { IntentRow, LaneRow } from '../history.js';
import type { LaneModel } from './lane-model.js';
import { newLane } from './lane-model.js';

export type ModelLane = LaneModel<IntentRow> & { readonly memberId: string };

export const modelProgram = 'coffee-club';

export function newModelLane(laneId: number, memberId: string): ModelLane {
  return { ...newLane(laneId), memberId, intents: [] };
}

export function rowOf(lane: ModelLane): LaneRow {
  const { cursor, intents: _intents, events: _events, revision: _revision, ...rest } = lane;
  return { ...rest, ...cursor, program: modelProgram };
}

export function isIdle(lane: ModelLane): boolean {
  return lane.dueAt === null && lane.owner === null;
}
