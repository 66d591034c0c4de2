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
 * Histories of lanes whose rebuild is not the live lane (I16), found by the model. Each fails as long as that is so; when
 * it no longer is, `isKnownDifference` goes with them.
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

  it.failing('puts a cancelled enrolment first, steps over it and keeps it in ahead', () => {
    const facts = [
      recorded(1, 'transaction'),
      recorded(2, 'transaction'),
      recorded(3, 'issue'),
      happened(3, 0, { type: 'IntentCancelled', at, by: 'source-event', reason: 'opted-out' }),
      happened(1, 1, { type: 'PassAbsent', at }),
      happened(1, 1, { type: 'WaitingBegan', at, for: 'pass', recheckAt: at }),
      happened(1, 9, { type: 'PassAbsent', at }),
      happened(1, 9, { type: 'IntentParked', at, reason: 'missing-pass', lane: 'block' }),
    ];
    expect(rebuildLane(facts).cursor).toEqual({ head: 1, tail: 3, current: 1, redo: [], ahead: [3] });
  });
});
