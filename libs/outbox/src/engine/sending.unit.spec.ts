import type { Program } from '#contracts';
import type { Operation, PartnerCommand, PassContent, PurchaseStatus } from '#intents/core';
import { evolve, initialIntentState } from '#intents/core';
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

const { onUnknown } = exampleProgram();
/** Nothing is read before an update is sent. */
const program: Partial<Program> = { onUnknown: { ...onUnknown, update: 'park' } };
const leaves: PassContent = { smsSubscription: 900, passdata: { optOut: true, metaData: { memberId: 'm_1' } } };

/** A word that the member has left, before which nothing of its lane can have made a pass. */
function leaving(change: Partial<ClaimedIntent> = {}, content = leaves): ClaimedIntent {
  const command = { ...commandOf('update-via-workflow'), content } as PartnerCommand;
  return { ...intent(1, 'update-via-workflow'), command, neverEnrolled: true, optsOut: true, ...change };
}

function claimed(has: ClaimedIntent, change: Partial<ClaimedLane> = {}): EngineHarness {
  return new EngineHarness({ program }).claimed(lane(1, { pass: 'unknown', has: [has], ...change }));
}

function looked(harness: EngineHarness, kind: 'found' | 'absent' | 'failed', listed: number | null): EngineHarness {
  expect(harness.all('Flush')).toEqual([]);
  expect(harness.only('Lookup')).toMatchObject({ laneId: 1, confirmsAbsence: true });
  return harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup(kind), listed });
}

function begunIn(harness: EngineHarness): object | null | undefined {
  return harness.only('Flush').steps[0]?.begin;
}

describe('a member who left before an enrolment was sent', () => {
  it('regression: has no pass, so that nothing is sent that could make one, and nothing parks', () => {
    const harness = looked(claimed(leaving()), 'absent', 0);
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

  it('is told of where there is a pass that we did not know', () => {
    const harness = looked(claimed(leaving()), 'found', null);
    const [step] = harness.only('Flush').steps;
    expect(step?.completion?.events).toMatchObject([{ event: { type: 'PassFound' } }]);
    expect(step?.begin ?? begunIn(harness.flushed())).toMatchObject({ seq: 1, attempt: 1 });
  });

  it('is told of where the listing knows what the lookup denies; it is not asked about twice', () => {
    expect(begunIn(looked(claimed(leaving()), 'absent', 1))).toMatchObject({ seq: 1, attempt: 1 });
  });

  it.each([['failed'], ['absent']] as const)(
    'is asked about again when the partner could not say: %s, no count',
    (kind) => {
      const harness = looked(claimed(leaving()), kind, null);
      expect(harness.only('Flush').steps).toMatchObject([{ completion: { kind: 'retry', events: [] }, begin: null }]);
    },
  );

  it('is erased without waiting for a pass, whatever the scope', () => {
    const harness = looked(claimed(leaving({ isErasing: true }, { smsSubscription: 900 })), 'absent', 0);
    const [step] = harness.only('Flush').steps;
    expect(step?.completion?.events.at(-1)?.event).toMatchObject({ type: 'IntentCancelled', reason: 'no-pass' });
  });

  it('whose enrolment was delivered is told of nothing once lookup and count deny the pass after inFlightMs', () => {
    const left = leaving();
    const { neverEnrolled: _none, ...enrolled } = left;
    const since = startAt - exampleProgram().inFlightMs;
    const waits = { type: 'WaitingBegan', at: since, for: 'pass', recheckAt: since } as const;
    const kinds = [since, since + 1].map((at) => {
      const state = evolve(evolve(initialIntentState, { type: 'IntentRecorded', at: since }), { ...waits, at });
      return looked(claimed({ ...enrolled, state }), 'absent', 0).only('Flush').steps[0]?.completion;
    });
    expect(kinds[0]?.events.at(-1)?.event).toMatchObject({ type: 'IntentCancelled', reason: 'no-pass' });
    expect(kinds[1]).toMatchObject({ kind: 'wait', events: [] });
  });
});

describe('a change of a pass that the lane does not know', () => {
  const begun = evolve(intent(1).state, { type: 'AttemptBegun', at: startAt, attempt: 1 });
  const doubted = [
    { type: 'AttemptUnknown', at: startAt, attempt: 1, code: 'timeout', checkAt: startAt },
    { type: 'VerifiedAbsent', at: startAt, attempt: 1, evidence: 'x' },
  ] as const;
  const parked = evolve(intent(1).state, { type: 'IntentParked', at: startAt, reason: 'rejected', lane: 'continue' });
  const put = { type: 'IntentReplayed', at: startAt, by: 'ada', reason: 'x', overtaken: 0 } as const;

  const changes: [string, ClaimedIntent][] = [
    ['an update', intent(1, 'update-via-workflow')],
    ['an update of who never enrolled', { ...intent(1, 'update-via-workflow'), neverEnrolled: true }],
    ['an opt-out of messages alone', leaving({}, { smsSubscription: 900 })],
    ['an opt-out of the wallet alone', leaving({}, { passdata: { optOut: true } })],
    ['a schedule', { ...intent(1, 'schedule-update'), neverEnrolled: true }],
    ['a leaving in doubt', leaving({ state: doubted.reduce(evolve, begun) })],
    ['an update that a person has put back', { ...intent(1, 'update-via-workflow'), state: evolve(parked, put) }],
  ];

  it.each(changes)(
    'regression: %s is looked up first, and waits for an enrolment where there is none',
    (_what, has) => {
      const harness = claimed(has);
      expect(harness.all('Flush')).toEqual([]);
      expect(harness.only('Lookup')).toMatchObject({ laneId: 1, confirmsAbsence: false });
      const answer = { type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null } as const;
      const [step] = harness.step(answer).only('Flush').steps;
      expect(step).toMatchObject({ begin: null, completion: { kind: 'wait', pass: 'absent' } });
    },
  );

  it.each(changes)('%s is sent where there is one, and nobody asks for a known one', (_what, has) => {
    const harness = claimed(has);
    const answer = { type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null } as const;
    const [step] = harness.step(answer).only('Flush').steps;
    expect(step?.completion?.events).toMatchObject([{ event: { type: 'PassFound' } }]);
    expect(step?.begin ?? begunIn(harness.flushed())).toMatchObject({ seq: 1 });
    expect(begunIn(claimed(has, { pass: 'known' }))).toMatchObject({ seq: 1 });
  });

  it('regression: a pass that is gone when it is read before an update is not made anew by it', () => {
    const probing = new EngineHarness({ program: { onUnknown: { ...onUnknown, update: 'probe' } } });
    const command = { ...commandOf('update-via-workflow'), content: leaves } as PartnerCommand;
    const has = { ...intent(1, 'update-via-workflow'), command };
    const harness = probing.claimed(lane(1, { pass: 'known', has: [has] }));
    const answer = { type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null } as const;
    const [step] = harness.step(answer).only('Flush').steps;
    expect(step).toMatchObject({ begin: null, completion: { kind: 'wait', pass: 'absent' } });
  });
});

const failedLookup = (code: string): LookupReport => ({ ...lookup('failed'), code }) as LookupReport;

describe.each(['issue', 'issue-via-workflow'] as const)(
  'an enrolment (%s) of a member who may have a pass',
  (operation) => {
    const enrols = intent(1, operation);
    const known: Partial<ClaimedLane> = { pass: 'known' };

    function answered(shown: LookupReport, has = enrols, change = known): EngineHarness {
      const harness = claimed(has, change);
      expect(harness.all('Flush')).toEqual([]);
      expect(harness.only('Lookup')).toMatchObject({ laneId: 1, confirmsAbsence: false });
      return harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: shown, listed: null });
    }

    it('regression: is told to the pass that is there; none is issued', () => {
      const [step] = answered(lookup('found')).only('Flush').steps;
      expect(step).toMatchObject({ begin: null, completion: { kind: 'settle', pass: 'known' } });
      expect(step?.completion?.events).toMatchObject([
        { event: { type: 'VerifiedApplied', attempt: 0, evidence: 'pass-found' } },
      ]);
      expect(step?.completion?.renewal?.command).toMatchObject({ operation: 'update-via-workflow' });
      expect(step?.completion?.events[0]?.evidence).toContain('lookup');
    });

    it('is sent where there is none, or only somebody else’s, and is not asked about again', () => {
      for (const shown of [lookup('absent'), failedLookup('foreign-pass')]) {
        expect(begunIn(answered(shown))).toMatchObject({ seq: 1, attempt: 1 });
      }
    });

    it('is looked up again where the partner could not say', () => {
      const [step] = answered(lookup('failed')).only('Flush').steps;
      expect(step).toMatchObject({ completion: { kind: 'retry', events: [] }, begin: null });
    });

    it('is a person’s where there are several', () => {
      const [step] = answered(failedLookup('several-passes')).only('Flush').steps;
      expect(step?.completion?.events).toMatchObject([{ event: { type: 'IntentParked', reason: 'unknown-outcome' } }]);
    });

    it('is looked up where an enrolment before it may have made one, though the lane knows of none', () => {
      answered(lookup('found'), { ...enrols, followsEnrolment: true }, { pass: 'absent' });
    });

    const rejected = { type: 'IntentParked', at: startAt, reason: 'rejected', lane: 'block' } as const;
    const put = { type: 'IntentReplayed', at: startAt, by: 'ada', reason: 'x', overtaken: 0 } as const;
    const refused = { type: 'AttemptNotApplied', at: startAt, attempt: 1, code: 'http-429', answered: true } as const;
    const begun = evolve(enrols.state, { type: 'AttemptBegun', at: startAt, attempt: 1 });

    it('is looked up once more when a person sends it again, not after a try that was turned away', () => {
      answered(lookup('found'), { ...enrols, state: [rejected, put].reduce(evolve, begun) }, { ...known, attempt: 1 });
      const again = { ...enrols, state: evolve(begun, { ...refused, retryAt: startAt }) };
      expect(begunIn(claimed(again, { ...known, attempt: 1 }))).toMatchObject({ seq: 1, attempt: 2 });
    });

    const inFlight = exampleProgram().inFlightMs;
    /** Its pass is said to be gone; it was applied so long ago. */
    function issuedAnew(agoMs: number): EngineHarness {
      const delivered = evolve(begun, { type: 'AttemptApplied', at: startAt - agoMs, attempt: 1 });
      const said = { at: startAt, by: 'ada', reason: 'x', overtaken: 0, job: 'r1' };
      const state = evolve(delivered, { type: 'IntentReissued', ...said });
      const harness = claimed({ ...enrols, state }, { pass: 'absent', attempt: 1 });
      expect(harness.all('Flush')).toEqual([]);
      expect(harness.only('Lookup')).toMatchObject({ laneId: 1, confirmsAbsence: true });
      return harness;
    }

    it.each([
      ['is sent where lookup and count deny it after inFlightMs', inFlight, 'absent', 0, true],
      ['is not sent before', inFlight - 1, 'absent', 0, false],
      ['is not sent where the count contradicts', inFlight, 'absent', 1, false],
      ['is not sent where the count says nothing', inFlight, 'absent', null, false],
      ['is not sent where the pass is there again', inFlight, 'found', null, false],
    ] as const)('regression: issued anew it %s', (...[, agoMs, kind, listed, isSent]) => {
      const answer = { type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup(kind), listed } as const;
      const [step] = issuedAnew(agoMs).step(answer).only('Flush').steps;
      expect(step?.begin ?? null).toEqual(isSent ? expect.objectContaining({ seq: 1, attempt: 2 }) : null);
      if (kind === 'found') {
        expect(step?.completion?.events).toMatchObject([
          { event: { type: 'VerifiedApplied', evidence: 'pass-found' } },
        ]);
      }
    });

    it.each(['unknown', 'absent'] as const)('is sent without a question where none is known (%s)', (pass) => {
      expect(begunIn(claimed(enrols, { pass }))).toMatchObject({ seq: 1, attempt: 1 });
    });
  },
);

const startedAt = startAt - 1_000;

function forgotten(seq: number, operation: Operation): ClaimedIntent {
  return { ...intent(seq, operation), forgottenBefore: startedAt };
}

function typesIn(harness: EngineHarness): readonly string[] {
  return (harness.only('Flush').steps[0]?.completion?.events ?? []).map(({ event }) => event.type);
}

describe('a lane whose intents a lost history may have sent', () => {
  it('parks a reward without asking anybody, tells why, and goes on with the next', () => {
    const harness = new EngineHarness().claimed(lane(1, { has: [forgotten(1, 'reward'), intent(2)] }));
    expect(harness.all('Lookup')).toEqual([]);
    expect(typesIn(harness)).toEqual(['AttemptBegun', 'AttemptUnknown', 'IntentParked']);
    const [step] = harness.only('Flush').steps;
    expect(step?.completion).toMatchObject({ kind: 'settle' });
    expect(step?.completion?.events[0]?.evidence).toContain(`"forgottenBefore":${startedAt}`);
    expect(step?.begin).toMatchObject({ seq: 2, attempt: 1 });
    expect(harness.flushed().only('Observe').observation).toMatchObject({ kind: 'parked', reason: 'unknown-outcome' });
  });

  it('looks an enrolment up before anything else', () => {
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [forgotten(1, 'issue')] }));
    expect(typesIn(harness)).toEqual(['AttemptBegun', 'AttemptUnknown']);
    expect(harness.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'doubt', dueAt: startAt });
    expect(harness.only('Flush').steps[0]?.begin).toBeNull();
  });

  it('finds the pass of a purchase first, where none is known', () => {
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [forgotten(1, 'transaction')] }));
    expect(harness.all('Flush')).toEqual([]);
    expect(harness.only('Lookup')).toMatchObject({ laneId: 1 });
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(typesIn(harness)).toEqual(['PassFound']);
  });

  const waiting = (status: PurchaseStatus): ClaimedIntent => {
    return { ...forgotten(1, 'reward'), waitsFor: { place: null, status }, takesBack: true };
  };

  it.each(['behind', 'gone'] as const)(
    'regression: is in doubt, neither missing nor cancelled, where what it goes after is %s',
    (status) => {
      const harness = new EngineHarness().claimed(lane(1, { has: [waiting(status)] }));
      const [step] = harness.only('Flush').steps;
      expect(step?.completion?.events).toMatchObject([
        { event: { type: 'AttemptBegun' } },
        { event: { type: 'AttemptUnknown', code: 'forgotten' } },
        { event: { type: 'IntentParked', reason: 'unknown-outcome', lane: 'continue' } },
      ]);
    },
  );

  it('regression: waits for what it goes after as ever, and nothing is in doubt before', () => {
    const harness = new EngineHarness().claimed(lane(1, { has: [waiting('open')] }));
    expect(typesIn(harness)).toEqual(['WaitingBegan']);
  });

  it('sends what has been taken into account', () => {
    const known = { ...forgotten(1, 'transaction') };
    const state =
      known.state.status === 'pending' ? { ...known.state, attempts: 1, forgottenAt: startAt } : known.state;
    const harness = new EngineHarness().claimed(lane(1, { has: [{ ...known, state }] }));
    expect(harness.only('Flush').steps[0]?.begin).toMatchObject({ seq: 1, attempt: 2 });
    expect(harness.flushed().answered(applied).only('Flush').steps[0]?.completion).toMatchObject({ kind: 'settle' });
  });

  it('takes it into account again after a later recovery', () => {
    const known = { ...forgotten(1, 'reward'), forgottenBefore: startAt + 1 };
    const state =
      known.state.status === 'pending' ? { ...known.state, attempts: 1, forgottenAt: startAt } : known.state;
    const harness = new EngineHarness().claimed(lane(1, { has: [{ ...known, state }] }));
    expect(typesIn(harness)).toEqual(['AttemptBegun', 'AttemptUnknown', 'IntentParked']);
  });

  it.each([
    ['before it', startedAt - 1, 'forgotten'],
    ['after it', startedAt, 'worker-lost'],
  ])('tells an attempt that was open at the restored moment from one begun since: %s', (_name, openSince, code) => {
    const begun = { type: 'AttemptBegun', at: openSince, attempt: 1 } as const;
    const known = forgotten(1, 'reward');
    const open = { ...known, state: evolve(known.state, begun) };
    const harness = new EngineHarness().claimed(lane(1, { attempt: 1, attemptOpen: true, openSince, has: [open] }));
    expect(harness.only('Flush').steps[0]?.completion?.events).toMatchObject([
      { event: { type: 'AttemptUnknown', attempt: 1, code } },
      { event: { type: 'IntentParked', reason: 'unknown-outcome' } },
    ]);
  });

  it('leaves everything else as it is', () => {
    const harness = new EngineHarness().claimed(lane(1, { has: [intent(1, 'reward')] }));
    expect(
      harness
        .flushed()
        .answered(report({ kind: 'applied' }))
        .only('Flush').steps[0]?.completion,
    ).toMatchObject({
      kind: 'settle',
    });
  });
});
