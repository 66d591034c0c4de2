import type { IntentEvent, IntentState, LaneCursor } from '#domain';
import { evolve, initialIntentState } from '#domain';

import type { EventRow, IntentRow, LaneRow } from '../history.js';

/** A lane with its truth, as a database would hold it. */
export interface ModelLane {
  readonly laneId: number;
  readonly memberId: string;
  dueAt: number | null;
  epoch: number;
  revision: number;
  version: number;
  cursor: LaneCursor;
  attempt: number;
  attemptOpen: boolean;
  openSince: number | null;
  issueSeq: number | null;
  pass: LaneRow['pass'];
  state: LaneRow['state'];
  owner: string | null;
  readonly intents: IntentRow[];
  readonly events: EventRow[];
}

export const modelProgram = 'coffee-club';

export function newModelLane(laneId: number, memberId: string): ModelLane {
  return {
    laneId,
    memberId,
    dueAt: null,
    epoch: 0,
    revision: 0,
    version: 0,
    cursor: { head: 1, tail: 0, current: 1, redo: [], ahead: [] },
    attempt: 0,
    attemptOpen: false,
    openSince: null,
    issueSeq: null,
    pass: 'unknown',
    state: 'live',
    owner: null,
    intents: [],
    events: [],
  };
}

export function stateOf(lane: ModelLane, seq: number): IntentState {
  const intent = lane.intents[seq - 1];
  if (intent === undefined) return initialIntentState;
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: intent.recordedAt });
  return lane.events.filter((row) => row.seq === seq).reduce((state, { event }) => evolve(state, event), recorded);
}

export interface Appended {
  readonly seq: number;
  readonly event: IntentEvent;
  readonly epoch: number;
  readonly rest?: Partial<EventRow>;
}

export function append(lane: ModelLane, { seq, event, epoch, rest = {} }: Appended): void {
  lane.version += 1;
  lane.events.push({ seq, version: lane.version, epoch, event, ...rest });
}

/** By anyone but the lease owner: the revision rises. Where it settles what is current, a free lane becomes due. */
export function appendByOthers(
  lane: ModelLane,
  appended: Omit<Appended, 'epoch'> & { epoch?: number },
  settles: boolean,
): void {
  append(lane, { epoch: lane.epoch, ...appended });
  lane.revision += 1;
  if (!settles || lane.cursor.current !== appended.seq) return;
  lane.state = 'live';
  if (lane.owner === null) lane.dueAt = appended.event.at;
}

export function rowOf(lane: ModelLane): LaneRow {
  const { cursor, intents: _intents, events: _events, revision: _revision, ...rest } = lane;
  return { ...rest, ...cursor, program: modelProgram };
}

export function isIdle(lane: ModelLane): boolean {
  return lane.dueAt === null && lane.owner === null;
}
