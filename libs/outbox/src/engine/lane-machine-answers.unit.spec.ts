import type { Program } from '#contracts';
import type { Operation, PartnerCommand } from '#intents/core';
import type { LookupReport } from '#gateway';
import type { ClaimedIntent, ClaimedLane } from '#intents';

import {
  applied,
  commandOf,
  EngineHarness,
  exampleProgram,
  intent,
  lane,
  lookup,
  report,
  startAt,
} from '../testing/engine-harness.js';

// What is decided has its specs in libs/intents/src/core/sending: here is what the engine does with it.

const { onUnknown } = exampleProgram();
/** Nothing is read before an update is sent. */
const program: Partial<Program> = { onUnknown: { ...onUnknown, update: 'park' } };

/** An opt-out of a member who has left, before which nothing of its lane can have made a pass. */
function leaving(): ClaimedIntent {
  const content = { smsSubscription: 900, passdata: { optOut: true, metaData: { memberId: 'm_1' } } } as const;
  const command = { ...commandOf('update-via-workflow'), content } as PartnerCommand;
  return { ...intent(1, 'update-via-workflow'), command, neverEnrolled: true, optsOut: true };
}

function claimed(has: ClaimedIntent, change: Partial<ClaimedLane> = {}): EngineHarness {
  return new EngineHarness({ program }).claimed(lane(1, { pass: 'unknown', has: [has], ...change }));
}

/** Nothing is recorded before the lookup that it waits for is answered. */
function looked(
  harness: EngineHarness,
  shown: LookupReport,
  listed: number | null,
  confirmsAbsence: boolean,
): EngineHarness {
  expect(harness.all('Flush')).toEqual([]);
  expect(harness.only('Lookup')).toMatchObject({ laneId: 1, confirmsAbsence });
  return harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: shown, listed });
}

function begunIn(harness: EngineHarness): object | null | undefined {
  return harness.only('Flush').steps[0]?.begin;
}

describe('a member who left before an enrolment was sent', () => {
  it('regression: has no pass, so that nothing is sent that could make one, and nothing parks', () => {
    const harness = looked(claimed(leaving()), lookup('absent'), 0, true);
    const [step] = harness.only('Flush').steps;
    expect(step).toMatchObject({ begin: null, completion: { kind: 'settle', pass: 'absent' } });
    expect(step?.completion?.events.map(({ event }) => event)).toEqual([
      { type: 'PassAbsent', at: startAt },
      { type: 'IntentCancelled', at: startAt, by: 'loyaltyd', reason: 'no-pass' },
    ]);
    expect(step?.completion?.events[0]?.evidence).toContain('"listed":0');
    expect(harness.flushed().all('Observe')).toEqual([]);
    expect(harness.engine.lanesHeld).toBe(0);
  });

  it('is called for where there is a pass that we did not know', () => {
    const harness = looked(claimed(leaving()), lookup('found'), null, true);
    const [step] = harness.only('Flush').steps;
    expect(step?.completion?.events).toMatchObject([{ event: { type: 'PassFound' } }]);
    expect(step?.begin ?? begunIn(harness.flushed())).toMatchObject({ seq: 1, attempt: 1 });
  });

  it('is called for where the listing counts what the lookup denies; it is not asked about twice', () => {
    expect(begunIn(looked(claimed(leaving()), lookup('absent'), 1, true))).toMatchObject({ seq: 1, attempt: 1 });
  });

  it.each(['failed', 'absent'] as const)(
    'is asked about again when the partner could not say: %s, no count',
    (kind) => {
      const harness = looked(claimed(leaving()), lookup(kind), null, true);
      expect(harness.only('Flush').steps).toMatchObject([{ completion: { kind: 'retry', events: [] }, begin: null }]);
    },
  );
});

it('a change of a pass that the lane does not know waits for an enrolment where there is none', () => {
  const harness = looked(claimed(intent(1, 'update-via-workflow')), lookup('absent'), null, false);
  const [step] = harness.only('Flush').steps;
  expect(step).toMatchObject({ begin: null, completion: { kind: 'wait', pass: 'absent' } });
});

describe.each(['issue', 'issue-via-workflow'] as const)(
  'an enrolment (%s) of a member who may have a pass',
  (operation) => {
    function answered(shown: LookupReport): EngineHarness {
      return looked(claimed(intent(1, operation), { pass: 'known' }), shown, null, false);
    }

    it('regression: settles with that pass, and what it carries follows as an update; none is issued', () => {
      const [step] = answered(lookup('found')).only('Flush').steps;
      expect(step).toMatchObject({ begin: null, completion: { kind: 'settle', pass: 'known' } });
      expect(step?.completion?.events).toMatchObject([
        { event: { type: 'VerifiedApplied', attempt: 0, evidence: 'pass-found' } },
      ]);
      expect(step?.completion?.renewal?.command).toMatchObject({ operation: 'update-via-workflow' });
      expect(step?.completion?.events[0]?.evidence).toContain('lookup');
    });

    it('is sent where there is none, and is not asked about again', () => {
      expect(begunIn(answered(lookup('absent')))).toMatchObject({ seq: 1, attempt: 1 });
    });
  },
);

it.each([
  ['nothing where the lane begins with it', 1, undefined],
  ['what parked for the lack of a pass where the lane had gone on without it', 3, { sendsKept: false }],
] as const)('an enrolment that leads to a pass sends %s', (_what, head, gotPass) => {
  const cursor = { head, tail: 2, current: 1, redo: head > 1 ? [1] : [], ahead: [] };
  const harness = claimed(intent(1, 'issue'), { pass: 'absent', cursor }).flushed().answered(applied);
  const [step] = harness.only('Flush').steps;
  expect(step?.completion).toMatchObject({ kind: 'settle', pass: 'known' });
  expect(step?.completion?.gotPass).toEqual(gotPass);
});

const startedAt = startAt - 1_000;

function forgotten(seq: number, operation: Operation): ClaimedIntent {
  return { ...intent(seq, operation), forgottenBefore: startedAt };
}

function typesIn(harness: EngineHarness): readonly string[] {
  return (harness.only('Flush').steps[0]?.completion?.events ?? []).map(({ event }) => event.type);
}

describe('a lane whose intents a lost history may have sent', () => {
  it('parks a reward without a call, reports why, and continues with the next', () => {
    const harness = new EngineHarness().claimed(lane(1, { has: [forgotten(1, 'reward'), intent(2)] }));
    expect(harness.all('Lookup')).toEqual([]);
    expect(typesIn(harness)).toEqual(['AttemptBegun', 'AttemptUnknown', 'IntentParked']);
    const [step] = harness.only('Flush').steps;
    expect(step?.completion).toMatchObject({ kind: 'settle' });
    expect(step?.completion?.events[0]?.evidence).toContain(`"forgottenBefore":${startedAt}`);
    expect(step?.begin).toMatchObject({ seq: 2, attempt: 1 });
    expect(harness.flushed().only('Observe').observation).toMatchObject({ kind: 'parked', reason: 'unknown-outcome' });
  });

  it('begins nothing with the doubt of an enrolment', () => {
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [forgotten(1, 'issue')] }));
    expect(typesIn(harness)).toEqual(['AttemptBegun', 'AttemptUnknown']);
    expect(harness.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'doubt', dueAt: startAt });
    expect(begunIn(harness)).toBeNull();
  });

  it('leaves everything else as it is', () => {
    const harness = new EngineHarness().claimed(lane(1, { has: [intent(1, 'reward')] })).flushed();
    const [step] = harness.answered(report({ kind: 'applied' })).only('Flush').steps;
    expect(step?.completion).toMatchObject({ kind: 'settle' });
  });
});

it('a refund goes by the purchase as it was moved under the same lease', () => {
  const refund = { ...intent(2), waitsFor: { place: { laneId: 1, seq: 1 }, status: 'open' } } as const;
  const harness = new EngineHarness()
    .claimed(lane(1, { has: [intent(1), refund] }))
    .flushed()
    .answered(applied);
  expect(begunIn(harness)).toMatchObject({ seq: 2, attempt: 1 });
});
