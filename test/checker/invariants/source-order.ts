import type { IntentRow } from '../history/lane-history.js';
import type { LaneView } from '../lane/lane-view.js';
import { partitionName, placeName } from '../lane/place-name.js';
import type { Finding, Invariant } from './invariant.js';

/** I4: what one partition says of a member is recorded in the order in which it says it; resubmitted records excepted. */
export const sourceOrder: Invariant = {
  id: 'I4',
  checks: 'per lane and partition, seq and offset rise together',
  cannotSee: 'order across topics, which nobody promises; the keys that producers chose',
  elsewhere: ['libs/intents/src/batch/record-batch.int.spec.ts'],
  judge: () => ({ lane }),
};

function* lane({ history }: LaneView): Iterable<Finding> {
  const last = new Map<string, IntentRow>();
  const seen = new Set<string>();
  for (const intent of history.intents.toSorted((one, other) => one.seq - other.seq)) {
    if (intent.isResubmitted === true) continue;
    const before = last.get(partitionName(intent));
    // What one record was recorded twice of is for I19.
    if (seen.has(placeName(intent))) continue;
    seen.add(placeName(intent));
    last.set(partitionName(intent), intent);
    if (before === undefined || before.offset < intent.offset) continue;
    const { laneId } = history.lane;
    const problem = `offset ${intent.offset} is recorded after offset ${before.offset}`;
    yield { problem, at: intent.recordedAt, laneId, seq: intent.seq, attempt: null, rows: [before, intent] };
  }
}
