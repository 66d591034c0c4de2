import type { Operation } from '#domain';
import { decide, isUntouched } from '#domain';

import type { IntentPlace } from './command-for.js';
import type { FakeStore } from './fake-store.js';
import type { StoredLane } from './stored-lane.js';
import { foldedState } from './stored-lane.js';
import { append } from './take-step.js';

interface Arrival {
  readonly laneId: number;
  readonly program: string;
  readonly operations: readonly Operation[];
  readonly now: number;
}

/** What a batch of ingest does to one lane (`batch-lanes.ts` of `intents`). */
export function recordIntents(store: FakeStore, { laneId, program, operations, now }: Arrival): void {
  const lane = store.laneOf(laneId, program);
  const oldTail = lane.cursor.tail;
  for (const [index, operation] of operations.entries()) {
    lane.version += 1;
    lane.intents.push({ seq: oldTail + index + 1, version: lane.version, operation, recordedAt: now });
  }
  lane.cursor = { ...lane.cursor, tail: oldTail + operations.length };
  const lastIssue = operations.lastIndexOf('issue');
  const issueSeq = lastIssue === -1 ? null : oldTail + lastIssue + 1;
  lane.issueSeq = issueSeq ?? lane.issueSeq;
  becomeDue(lane, issueSeq, now);
  store.onChange(lane);
}

function becomeDue(lane: StoredLane, issueSeq: number | null, now: number): void {
  const waitsWithoutPass = lane.state === 'waiting' && lane.pass === 'absent' && lane.owner === null;
  if (waitsWithoutPass && issueSeq !== null) overtake(lane, issueSeq, now);
  else if (lane.state === 'live') lane.dueAt ??= now;
}

function overtake(lane: StoredLane, issueSeq: number, now: number): void {
  lane.cursor = { ...lane.cursor, redo: [issueSeq, ...lane.cursor.redo], current: issueSeq };
  lane.attempt = 0;
  lane.revision += 1;
  lane.state = 'live';
  lane.dueAt = now;
}

/** Cancels an intent where that is possible (`cancel-not-begun.ts`, `append-by-others.ts`). */
export function cancel(store: FakeStore, { laneId, seq }: IntentPlace, now: number): void {
  const lane = store.lanes.get(laneId);
  if (lane === undefined) return;
  const state = foldedState(lane, seq);
  const decision = decide(state, { type: 'CancelIntent', at: now, by: 'source-event', reason: 'voided' });
  if (!isUntouched(state) || decision.kind === 'ignored') return;
  for (const event of decision.events) {
    append(lane, { seq, event, evidence: null }, lane.epoch);
    lane.revision += 1;
  }
  if (lane.cursor.current === seq) {
    lane.state = 'live';
    if (lane.owner === null) lane.dueAt = now;
  }
  store.onChange(lane);
}
