import type { LaneFact, RebuiltLane } from '#domain';
import { rebuildLane } from '#domain';

import type { LaneRow } from '../history/lane-history.js';
import type { LaneView } from '../lane/lane-view.js';
import type { Finding, Invariant } from './invariant.js';
import { atTheEnd } from './invariant.js';

/** I16: a lane recreated from its truth is the live one in all but lease, fencing and time. */
export const rebuildIsLive: Invariant = {
  id: 'I16',
  checks: "each lane at rest equals what the product's own rebuild makes of its truth",
  cannotSee: 'lanes in the middle of something: what others have settled there is stepped over later; read models',
  elsewhere: ['libs/domain/src/lane/lane-cursor.unit.spec.ts', 'test/e2e/rebuild.e2e.spec.ts'],
  judge: () => ({ lane }),
};

function* lane(view: LaneView): Iterable<Finding> {
  const { lane: live } = view.history;
  if (live.dueAt !== null || live.owner !== null) return;
  const rebuilt = recreated(view);
  const expected = rowOf(rebuilt);
  const differing = Object.entries(expected).filter(([name, value]) => !isSame(value, live[name as keyof LaneRow]));
  if (differing.length > 0) {
    yield atTheEnd(view, `a rebuild differs in ${differing.map(([name]) => name).join(', ')}`, [expected, live]);
  }
}

function recreated({ history: { intents, events } }: LaneView): RebuiltLane {
  const recorded = intents.map(({ seq, version, operation, recordedAt }) => {
    const fact: LaneFact = { kind: 'recorded', seq, operation, at: recordedAt };
    return { version, fact };
  });
  const happened = events.map(({ seq, version, epoch, event }) => {
    const fact: LaneFact = { kind: 'happened', seq, epoch, event };
    return { version, fact };
  });
  const facts = [...recorded, ...happened].sort((one, other) => one.version - other.version);
  return rebuildLane(facts.map(({ fact }) => fact));
}

function rowOf({ cursor, state, pass, version, attempt, openSince, issueSeq }: RebuiltLane): Partial<LaneRow> {
  return { ...cursor, state, pass, version, attempt, openSince, issueSeq };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
