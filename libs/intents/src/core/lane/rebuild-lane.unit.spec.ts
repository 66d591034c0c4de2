import type { IntentEvent } from '../intent/intent-event.js';
import type { Operation } from '../operation.js';
import type { LaneFact } from './rebuild-lane.js';
import { rebuildLane } from './rebuild-lane.js';

const at = 1_000;

function recorded(seq: number, operation: Operation = 'transaction'): LaneFact {
  return { kind: 'recorded', seq, operation, at };
}

function happened(seq: number, event: IntentEvent, epoch = 1): LaneFact {
  return { kind: 'happened', seq, epoch, event };
}

const absent: IntentEvent = { type: 'PassAbsent', at };
const waits: IntentEvent = { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 500 };
const waitingThenEnrolled: readonly LaneFact[] = [
  recorded(1),
  recorded(2),
  happened(1, absent),
  happened(1, waits),
  recorded(3, 'issue'),
];

describe('an enrolment that reaches a waiting lane', () => {
  it('goes first', () => {
    expect(rebuildLane(waitingThenEnrolled)).toMatchObject({
      cursor: { head: 1, tail: 3, current: 3, redo: [3], ahead: [] },
      state: 'live',
    });
  });

  it('does not where the lane was leased, as what its owner told of the waiting intent shows: parked, it blocks', () => {
    const parked: IntentEvent = { type: 'IntentParked', at, reason: 'missing-pass', lane: 'block' };
    const facts = [...waitingThenEnrolled, happened(1, absent, 2), happened(1, parked, 2)];
    expect(rebuildLane(facts)).toMatchObject({
      cursor: { head: 1, tail: 3, current: 1, redo: [], ahead: [] },
      state: 'blocked',
    });
  });

  it('nor where the owner had found a pass: what waited is sent, and the lane goes on in order', () => {
    const found = [
      happened(1, { type: 'PassFound', at }, 2),
      happened(1, { type: 'IntentReleased', at }, 2),
      happened(1, { type: 'AttemptBegun', at, attempt: 1 }, 2),
    ];
    expect(rebuildLane([...waitingThenEnrolled, ...found])).toMatchObject({
      cursor: { head: 1, current: 1, redo: [] },
      openSince: at,
    });
    const applied = happened(1, { type: 'AttemptApplied', at, attempt: 1 }, 2);
    expect(rebuildLane([...waitingThenEnrolled, ...found, applied])).toMatchObject({
      cursor: { head: 2, current: 2, redo: [] },
      pass: 'known',
    });
  });

  it('nor where what waited was cancelled meanwhile: the owner went on with the next, and parked it', () => {
    const facts = [
      ...waitingThenEnrolled,
      happened(1, { type: 'IntentCancelled', at, by: 'source-event', reason: 'voided' }, 2),
      happened(2, { type: 'AttemptBegun', at, attempt: 1 }, 3),
      happened(2, { type: 'AttemptRejected', at, attempt: 1, code: 'refused' }, 3),
      happened(2, { type: 'IntentParked', at, reason: 'rejected', lane: 'block' }, 3),
    ];
    expect(rebuildLane(facts)).toMatchObject({
      cursor: { head: 2, tail: 3, current: 2, redo: [], ahead: [] },
      state: 'blocked',
    });
  });

  it('goes first, too, when the lane has come back to what waits from something that an operator put back', () => {
    const parked: IntentEvent = { type: 'IntentParked', at, reason: 'missing-purchase', lane: 'continue' };
    const replayed: IntentEvent = { type: 'IntentReplayed', at, overtaken: 1, by: 'ada', reason: 'asked to' };
    const facts = [
      recorded(1),
      recorded(2),
      happened(1, parked, 1),
      happened(2, absent, 2),
      happened(2, waits, 2),
      happened(1, replayed, 3),
      happened(1, parked, 4),
      recorded(3, 'issue'),
    ];
    expect(rebuildLane(facts)).toMatchObject({ cursor: { head: 2, tail: 3, current: 3, redo: [3] } });
  });

  it('keeps its place at the front when others than the owner cancel what waits', () => {
    const cancelled: IntentEvent = { type: 'IntentCancelled', at, by: 'source-event', reason: 'voided' };
    expect(rebuildLane([...waitingThenEnrolled, happened(2, cancelled)])).toMatchObject({
      cursor: { current: 3, redo: [3] },
    });
  });
});

describe('what an operator puts back', () => {
  const parked: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' };
  const replayed: IntentEvent = { type: 'IntentReplayed', at, overtaken: 1, by: 'ada', reason: 'asked to' };
  const begun: IntentEvent = { type: 'AttemptBegun', at, attempt: 1 };
  const failed: IntentEvent = {
    type: 'AttemptNotApplied',
    at,
    attempt: 1,
    code: 'http-429',
    answered: true,
    retryAt: at + 1,
  };
  const underWay = [recorded(1), recorded(2), happened(1, parked), happened(2, begun), happened(1, replayed)];

  it('lets an attempt under way end first', () => {
    expect(rebuildLane(underWay)).toMatchObject({ cursor: { head: 2, current: 2, redo: [1] } });
  });

  it('goes before another try of what the lane is at', () => {
    expect(rebuildLane([...underWay, happened(2, failed)])).toMatchObject({
      cursor: { head: 2, current: 1, redo: [1] },
    });
  });

  it('waits behind what blocks the lane', () => {
    const blocks: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'block' };
    expect(rebuildLane([...underWay, happened(2, failed), happened(2, blocks)])).toMatchObject({
      cursor: { head: 2, current: 2, redo: [1] },
      state: 'blocked',
    });
  });

  it('is found in its place where the lane has still to come to it', () => {
    const facts = [recorded(1), recorded(2), happened(2, parked), happened(2, replayed)];
    expect(rebuildLane(facts)).toMatchObject({ cursor: { head: 1, current: 1, redo: [], ahead: [] } });
  });
});

describe('an intent that blocks its lane', () => {
  it('is left behind when it is erased', () => {
    const parked: IntentEvent = { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'block' };
    const erased: IntentEvent = { type: 'IntentParked', at, reason: 'erased', lane: 'continue' };
    const facts = [recorded(1), recorded(2), happened(1, parked), happened(1, erased)];
    expect(rebuildLane(facts)).toMatchObject({ cursor: { head: 2, tail: 2, current: 2 }, state: 'live' });
  });
});
