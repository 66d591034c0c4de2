import type { ModelLane } from './model-lane.js';
import { append, stateOf } from './model-lane.js';
import type { Surroundings } from './model-worker.js';

const by = { by: 'ada', reason: 'asked to' } as const;

/** Cancels what has not begun, anywhere. */
export function cancelSomething({ chance, store, agenda }: Surroundings): void {
  const lanes = [...store.lanes.values()];
  // Mostly where somebody is about to begin: there the order of cancel and begin is close.
  const leased = lanes.filter(({ owner, attemptOpen }) => owner !== null && !attemptOpen);
  const lane = chance.pick(leased.length > 0 ? leased : lanes);
  if (lane === undefined) return;
  const near = Math.min(lane.cursor.current, lane.cursor.tail);
  const seq = chance.happens(0.7) ? near : chance.between(1, lane.cursor.tail);
  store.cancel(lane, seq, agenda.now);
}

/** Replays something that is parked, or says that it is delivered. Only in lanes that nobody holds. */
export function decideSomething({ chance, store, agenda }: Surroundings): void {
  const lane = chance.pick(
    [...store.lanes.values()].filter(({ owner, attemptOpen }) => owner === null && !attemptOpen),
  );
  if (lane === undefined) return;
  const parked = lane.intents.filter(({ seq }) => stateOf(lane, seq).status === 'parked');
  const seq = chance.pick(parked)?.seq;
  if (seq === undefined || (seq > lane.cursor.current && seq >= lane.cursor.head)) return;
  if (lane.state === 'blocked' && seq !== lane.cursor.current) return;
  const { now } = agenda;
  if (chance.happens(0.7)) {
    append(lane, {
      seq,
      event: { type: 'IntentReplayed', at: now, overtaken: lane.cursor.head - seq, ...by },
      epoch: lane.epoch,
    });
    putBack(lane, seq, now);
  } else {
    append(lane, { seq, event: { type: 'IntentResolved', at: now, as: 'delivered', ...by }, epoch: lane.epoch });
    if (lane.cursor.current === seq) Object.assign(lane, { state: 'live', dueAt: now });
  }
  lane.revision += 1;
}

function putBack(lane: ModelLane, seq: number, now: number): void {
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
