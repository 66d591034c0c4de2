import { append, stateOf } from './lane-model.js';
import type { ModelLane } from './model-lane.js';
import type { Surroundings } from './model-worker.js';

const by = { by: 'ada', reason: 'asked to' } as const;

/** Cancels what has not begun, anywhere. */
export function cancelSomething({ chance, store, agenda }: Surroundings): void {
  const lanes = [...store.lanes.values()];
  // Mostly where somebody is about to begin: there the order of cancel and begin is close.
  const leased = lanes.filter(({ owner, attemptOpen }) => owner !== null && !attemptOpen);
  const lane = chance.pickAny(leased.length > 0 ? leased : lanes);
  if (lane === undefined) return;
  const near = Math.min(lane.cursor.current, lane.cursor.tail);
  const seq = chance.happens(0.7) ? near : chance.between(1, lane.cursor.tail);
  store.cancel(lane, seq, agenda.now);
}

/** Replays something that is parked, or says that it is delivered. Only in lanes that nobody holds. */
export function decideSomething({ chance, store, agenda }: Surroundings): void {
  const free = [...store.lanes.values()].filter(({ owner, attemptOpen }) => owner === null && !attemptOpen);
  const lane = chance.pickAny(free);
  const seq = chance.pickAny(lane === undefined ? [] : decidable(lane));
  if (lane === undefined || seq === undefined) return;
  if (chance.happens(0.7)) replay(lane, seq, agenda.now);
  else resolve(lane, seq, agenda.now);
  lane.revision += 1;
}

/** Parked intents that the lane has gone past, or that block it; of a blocked lane only what blocks it. */
function decidable(lane: ModelLane): number[] {
  const { intents, cursor, state } = lane;
  const parked = intents.map(({ seq }) => seq).filter((seq) => stateOf(lane, seq).status === 'parked');
  return parked.filter((seq) => seq === cursor.current || (seq < cursor.head && state !== 'blocked'));
}

function replay(lane: ModelLane, seq: number, at: number): void {
  const event = { type: 'IntentReplayed', at, overtaken: lane.cursor.head - seq, ...by } as const;
  append(lane, { seq, event, epoch: lane.epoch });
  requeue(lane, seq, at);
}

function resolve(lane: ModelLane, seq: number, at: number): void {
  append(lane, { seq, event: { type: 'IntentResolved', at, as: 'delivered', ...by }, epoch: lane.epoch });
  if (lane.cursor.current === seq) Object.assign(lane, { state: 'live', dueAt: at });
}

function requeue(lane: ModelLane, seq: number, now: number): void {
  const { cursor } = lane;
  if (seq === cursor.current) {
    Object.assign(lane, { state: 'live', dueAt: now });
    return;
  }
  const redo = [...cursor.redo, seq];
  const current = redo[0] ?? cursor.head;
  if (current !== cursor.current) lane.attempt = 0;
  lane.cursor = { ...cursor, redo, current };
  lane.dueAt ??= now;
}
