import { rebuildLane } from '#domain';
import type { LaneFact } from '#domain';

const at = 1_000;
const recorded = (seq: number, operation: 'transaction' | 'issue' | 'update-via-workflow'): LaneFact => ({
  kind: 'recorded',
  seq,
  operation,
  at,
});
const happened = (seq: number, epoch: number, event: Extract<LaneFact, { kind: 'happened' }>['event']): LaneFact => ({
  kind: 'happened',
  seq,
  epoch,
  event,
});

/**
 * A history whose rebuild is not the live lane (I16), found by the model. It fails as long as that is so; when it no
 * longer is, `isKnownDifference` goes with it.
 */
describe('a lane that waits for its pass', () => {
  it.failing('was leased when its enrolment came and went on without it: the blocked lane must stay blocked', () => {
    const facts = [
      recorded(1, 'transaction'),
      happened(1, 1, { type: 'PassAbsent', at }),
      happened(1, 1, { type: 'WaitingBegan', at, for: 'pass', recheckAt: at }),
      recorded(2, 'update-via-workflow'),
      // The lane is leased: its owner is looking for the pass again, and so the enrolment is not put first.
      recorded(3, 'issue'),
      happened(1, 2, { type: 'IntentCancelled', at, by: 'source-event', reason: 'voided' }),
      happened(2, 3, { type: 'AttemptBegun', at, attempt: 1 }),
      happened(2, 3, { type: 'AttemptRejected', at, attempt: 1, code: 'refused' }),
      happened(2, 3, { type: 'IntentParked', at, reason: 'rejected', lane: 'block' }),
    ];
    const { cursor, state } = rebuildLane(facts);
    expect({ ...cursor, state }).toEqual({ head: 2, tail: 3, current: 2, redo: [], ahead: [], state: 'blocked' });
  });
});
