import fc from 'fast-check';

import type { LaneCursor } from './lane-cursor.js';
import { isDrained, requeue, sendFirst, settleAhead, settleCurrent } from './lane-cursor.js';
import type { LaneMove } from './testing/walk.js';
import { chosenSeq, emptyLane, makeMove } from './testing/walk.js';

function lane(cursor: Partial<LaneCursor>): LaneCursor {
  return { head: 1, tail: 5, current: cursor.redo?.[0] ?? cursor.head ?? 1, redo: [], ahead: [], ...cursor };
}

describe('settleCurrent', () => {
  it('moves the head on', () => {
    expect(settleCurrent(lane({}))).toEqual(lane({ head: 2 }));
  });

  it('skips what was settled ahead', () => {
    expect(settleCurrent(lane({ ahead: [2, 3, 5] }))).toEqual(lane({ head: 4, ahead: [5] }));
  });

  it('drains the lane at its tail', () => {
    const drained = settleCurrent(lane({ head: 5 }));
    expect(drained).toEqual(lane({ head: 6 }));
    expect(isDrained(drained)).toBe(true);
    expect(isDrained(lane({ head: 5 }))).toBe(false);
  });

  it('returns from what was put back to the next one, then to the head', () => {
    const replayed = lane({ head: 4, redo: [2, 3] });
    expect(settleCurrent(replayed)).toEqual(lane({ head: 4, redo: [3] }));
    expect(settleCurrent(settleCurrent(replayed))).toEqual(lane({ head: 4 }));
  });

  it('remembers an enrolment that went ahead of what waits for it', () => {
    const waiting = lane({ head: 2 });
    const overtaken = sendFirst(waiting, 4);
    expect(overtaken).toEqual(lane({ head: 2, redo: [4] }));
    expect(settleCurrent(overtaken)).toEqual(lane({ head: 2, ahead: [4] }));
    expect(settleCurrent(settleCurrent(settleCurrent(overtaken)))).toEqual(lane({ head: 5 }));
  });
});

describe('requeue', () => {
  const head = 8;
  const tail = 12;

  it('puts back in the order of the lane, whoever is put back first: a refund goes behind its purchase', () => {
    const refund = requeue(lane({ head, tail }), 5, false);
    const both = requeue(refund, 3, false);
    expect(both).toEqual(lane({ head, tail, redo: [3, 5] }));
    expect(requeue(both, 4, false)).toEqual(lane({ head, tail, redo: [3, 4, 5] }));
  });

  it('leaves first what goes ahead of all that waits, and current what is under way', () => {
    expect(requeue(lane({ head, tail, redo: [12, 5] }), 3, false)).toEqual(lane({ head, tail, redo: [12, 3, 5] }));
    expect(requeue(lane({ head, tail, redo: [5] }), 3, true)).toEqual(lane({ head, tail, redo: [3, 5], current: 5 }));
  });

  it('leaves where it stands what the lane has not reached', () => {
    expect(requeue(lane({ head, tail, ahead: [10] }), 10, false)).toEqual(lane({ head, tail }));
  });
});

describe('settleAhead', () => {
  it('is kept until the head comes by', () => {
    expect(settleAhead(lane({}), 3)).toEqual(lane({ ahead: [3] }));
    expect(settleAhead(lane({ ahead: [3] }), 2)).toEqual(lane({ ahead: [2, 3] }));
    expect(settleCurrent(lane({ ahead: [2, 3] }))).toEqual(lane({ head: 4 }));
  });

  it('settles the current one as sending it would', () => {
    expect(settleAhead(lane({ ahead: [2] }), 1)).toEqual(lane({ head: 3 }));
  });

  it('takes a sequence out of what was put back', () => {
    expect(settleAhead(lane({ head: 4, redo: [2, 3] }), 3)).toEqual(lane({ head: 4, redo: [2] }));
  });

  it('twice changes nothing more', () => {
    const once = settleAhead(lane({}), 3);
    expect(settleAhead(once, 3)).toEqual(once);
  });
});

describe('sendFirst', () => {
  it('goes before everything, also before what was put back', () => {
    expect(sendFirst(lane({ head: 4, redo: [2] }), 5)).toEqual(lane({ head: 4, redo: [5, 2] }));
    const held = { ...lane({ head: 4, redo: [5, 2] }), current: 2 };
    expect(sendFirst(lane({ head: 4, redo: [2] }), 5, true)).toEqual(held);
  });

  it('twice changes nothing more', () => {
    const once = sendFirst(lane({ head: 2 }), 4);
    expect(sendFirst(once, 4)).toEqual(once);
  });
});

const pick = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const moves: fc.Arbitrary<LaneMove[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('record' as const), count: fc.integer({ min: 1, max: 3 }) }),
    fc.constant({ kind: 'settle-current' } as const),
    fc.record({ kind: fc.constant('settle-ahead' as const), pick }),
    fc.record({ kind: fc.constant('send-first' as const), pick }),
  ),
  { maxLength: 60, size: 'max' },
);

/** The naive lane: which sequences have settled, and what is to be sent before the head. */
interface Model {
  readonly settled: Set<number>;
  redo: number[];
  tail: number;
}

function headOf({ settled }: Model): number {
  let head = 1;
  while (settled.has(head)) head += 1;
  return head;
}

function sendModelFirst(model: Model, seq: number): void {
  if (model.redo.includes(seq)) return;
  if (seq > headOf(model)) model.settled.delete(seq);
  model.redo = [seq, ...model.redo];
}

function settleModel(model: Model, seq: number): void {
  model.redo = model.redo.filter((candidate) => candidate !== seq);
  model.settled.add(seq);
}

function moveModel(model: Model, cursor: LaneCursor, move: LaneMove): void {
  const current = model.redo[0] ?? headOf(model);
  const chosen = chosenSeq(cursor, move);
  if (move.kind === 'record') model.tail += move.count;
  else if (move.kind === 'settle-current' && current <= model.tail) settleModel(model, current);
  if (chosen === null) return;
  if (move.kind === 'settle-ahead') settleModel(model, chosen);
  else sendModelFirst(model, chosen);
}

function walk(steps: readonly LaneMove[], check: (cursor: LaneCursor, model: Model, before: LaneCursor) => void): void {
  const model: Model = { settled: new Set(), redo: [], tail: 0 };
  let cursor = emptyLane;
  for (const move of steps) {
    const before = cursor;
    moveModel(model, cursor, move);
    cursor = makeMove(cursor, move);
    check(cursor, model, before);
  }
}

describe('wherever a lane goes', () => {
  it('its head is the settled prefix + 1, and current is the first of redo, else the head', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        walk(steps, (cursor, model) => {
          expect(cursor.head).toBe(headOf(model));
          expect(cursor.redo).toEqual(model.redo);
          expect(cursor.ahead).toEqual([...model.settled].filter((seq) => seq > cursor.head).sort((a, b) => a - b));
          expect(cursor.current).toBe(model.redo[0] ?? headOf(model));
        });
      }),
      { numRuns: 500 },
    );
  });

  it('keeps redo and ahead apart, without repeats, and no longer than what is recorded', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        walk(steps, ({ head, tail, redo, ahead }) => {
          const detours = [...redo, ...ahead];
          expect(new Set(detours).size).toBe(detours.length);
          expect(detours.every((seq) => seq >= 1 && seq <= tail)).toBe(true);
          expect(ahead.length).toBeLessThan(Math.max(1, tail - head + 1));
          expect(head).toBeLessThanOrEqual(tail + 1);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('never goes back with its head', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        walk(steps, (cursor, _model, before) => {
          expect(cursor.head).toBeGreaterThanOrEqual(before.head);
        });
      }),
    );
  });

  it('drains after settling whatever is current, once for each sequence that is open', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        let cursor = steps.reduce(makeMove, emptyLane);
        const sent: number[] = [];
        while (!isDrained(cursor)) {
          sent.push(cursor.current);
          cursor = settleCurrent(cursor);
        }
        expect(new Set(sent).size).toBe(sent.length);
        expect(cursor).toMatchObject({ head: cursor.tail + 1, redo: [], ahead: [] });
      }),
    );
  });
});
