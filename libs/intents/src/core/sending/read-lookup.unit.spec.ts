import type { IntentEvent } from '../intent/intent-event.js';
import { begun, lost, recordedAt, transactionPolicy } from '../intent/testing/samples.js';
import type { PartnerCommand, PassContent } from '../owed/partner-command.js';
import type { Sending } from './next-step.js';
import { attemptRefusedAsDuplicate } from './read-lookup.js';
import { commandOf, given, now, owed, shown } from './testing/given.js';

const leaves: PassContent = { smsSubscription: 900, passdata: { optOut: true, metaData: { memberId: 'm_1' } } };
const { inFlightMs } = transactionPolicy;
const unknownPass = { pass: 'unknown' } as const;

/** An opt-out of a member who has left, before which nothing of its lane can have made a pass. */
function leaving(change: Parameters<typeof owed>[1] = {}, content = leaves): Sending {
  const command = { ...commandOf('update-via-workflow'), content } as PartnerCommand;
  const intent = { command, neverEnrolled: true, optsOut: true, ...change.intent } as const;
  return owed('update-via-workflow', { known: unknownPass, ...change, intent });
}

const asked = { kind: 'look-up', purpose: 'pass', confirmsAbsence: true } as const;

describe('a member who left before an enrolment was sent', () => {
  it('regression: has no pass, so that nothing is sent that could make one, and nothing parks', () => {
    given(leaving()).then(asked);
    const { step } = given(leaving()).whenShown(shown('absent'), 0).thenMoves({ kind: 'settle', pass: 'absent' });
    expect(step).toMatchObject({
      events: [
        { type: 'PassAbsent', at: now },
        { type: 'IntentCancelled', at: now, by: 'loyaltyd', reason: 'no-pass' },
      ],
    });
    expect(step).toHaveProperty('evidence', expect.stringContaining('"listed":0'));
  });

  it('is sent where there is a pass that we did not know', () => {
    const found = given(leaving()).whenShown(shown('found')).thenRecords('PassFound');
    found.thenMoves({ kind: 'stay', pass: 'known' }).thenNext({ kind: 'begin', attempt: 1 });
  });

  it('is sent where the listing counts what the lookup denies; it is not asked about twice', () => {
    const counted = given(leaving()).whenShown(shown('absent'), 1);
    counted.then({ kind: 'learned', known: { isPassAsked: true } }).thenNext({ kind: 'begin', attempt: 1 });
  });

  it.each(['failed', 'absent'] as const)(
    'is asked about again when the partner could not say: %s, no count',
    (kind) => {
      given(leaving())
        .whenShown(shown(kind))
        .then({ kind: 'come-back', as: 'retry', dueAt: now + 1_000 });
    },
  );

  it('is erased without waiting for a pass, whatever the scope', () => {
    const erased = leaving({ intent: { isErasing: true } }, { smsSubscription: 900 });
    given(erased).whenShown(shown('absent'), 0).thenRecords('PassAbsent', 'IntentCancelled');
  });

  it('whose enrolment was delivered has no addressee once lookup and count deny the pass after inFlightMs', () => {
    const enrolled = (since: number): Sending => {
      const waits = { type: 'WaitingBegan', at: since, for: 'pass', recheckAt: since } as const;
      const { neverEnrolled: _none, ...intent } = leaving().intent;
      return { ...leaving({ since: [waits] }), intent };
    };
    given(enrolled(now - inFlightMs))
      .whenShown(shown('absent'), 0)
      .thenRecords('PassAbsent', 'IntentCancelled');
    given(enrolled(now - inFlightMs + 1))
      .whenShown(shown('absent'), 0)
      .then({ kind: 'come-back', as: 'wait' });
  });
});

const doubted: readonly IntentEvent[] = [
  begun(1),
  { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: now },
  { type: 'VerifiedAbsent', at: now, attempt: 1, evidence: 'x' },
];
const parked = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' } as const;
const requeued = { type: 'IntentReplayed', at: now, by: 'ada', reason: 'x', overtaken: 0 } as const;
const neverEnrolled = { neverEnrolled: true } as const;

describe('a change of a pass that the lane does not know', () => {
  const changes: [string, Sending][] = [
    ['an update', owed('update-via-workflow', { known: unknownPass })],
    [
      'an update of a member who never enrolled',
      owed('update-via-workflow', { known: unknownPass, intent: neverEnrolled }),
    ],
    ['an opt-out of messages alone', leaving({}, { smsSubscription: 900 })],
    ['an opt-out of the wallet alone', leaving({}, { passdata: { optOut: true } })],
    ['a schedule', owed('schedule-update', { known: unknownPass, intent: neverEnrolled })],
    ['a leaving in doubt', leaving({ since: doubted })],
    [
      'an update that an operator has requeued',
      owed('update-via-workflow', { known: unknownPass, since: [parked, requeued] }),
    ],
  ];

  it.each(changes)(
    'regression: %s is looked up first, and waits for an enrolment where there is none',
    (_what, change) => {
      const absent = given(change).whenShown(shown('absent')).thenRecords('PassAbsent', 'WaitingBegan');
      absent.thenMoves({ kind: 'wait', pass: 'absent' });
      given(change).then({ kind: 'look-up', purpose: 'pass', confirmsAbsence: false });
    },
  );

  it.each(changes)('%s is sent where there is one, and a known one is not asked for', (_what, change) => {
    given(change).whenShown(shown('found')).thenRecords('PassFound').thenNext({ kind: 'begin' });
    given({ ...change, known: { ...change.known, pass: 'known' } }).then({ kind: 'begin' });
  });

  it('regression: a pass that is gone when it is read before an update is not made anew by it', () => {
    const command = { ...commandOf('update-via-workflow'), content: leaves } as PartnerCommand;
    const update = owed('update-via-workflow', { intent: { command }, policy: { resolution: 'probe-content' } });
    given(update).then({ kind: 'look-up', purpose: 'before' });
    given(update).whenShown(shown('absent')).thenMoves({ kind: 'wait', pass: 'absent' });
  });

  it('is kept in doubt where another member’s pass shows, and a lost history may have sent it', () => {
    const waits = { type: 'WaitingBegan', at: recordedAt, for: 'pass', recheckAt: recordedAt } as const;
    const intent = { forgottenBefore: now } as const;
    const ended = owed('transaction', {
      known: unknownPass,
      intent,
      since: [waits],
      policy: { missingPassWaitMs: 500 },
    });
    const records = ['IntentReleased', 'AttemptBegun', 'AttemptUnknown', 'IntentParked'] as const;
    given(ended)
      .whenShown(shown('failed', { code: 'foreign-pass' }))
      .thenRecords(...records);
    given(ended).whenShown(shown('absent')).thenRecords('PassAbsent', 'IntentParked');
  });
});

describe('what a pass shows right before an attempt', () => {
  const probed = { policy: { resolution: 'probe-points' } } as const;

  it('is remembered with the time at which it was read', () => {
    const reward = given(owed('reward', probed)).whenShown(shown('found', { passdata: { points: 7 } }));
    const before = { points: 7, readAt: now - 5 };
    reward.then({ kind: 'learned', known: { before } }).thenNext({ kind: 'begin', before });
  });

  it('is nothing to compare with where it shows no points', () => {
    given(owed('reward', probed))
      .whenShown(shown('found'))
      .then({ kind: 'learned', known: { before: {} } });
  });

  it('is read again later where the partner could not say', () => {
    given(owed('reward', probed)).whenShown(shown('failed')).then({ kind: 'come-back', as: 'retry' });
  });
});

describe.each(['issue', 'issue-via-workflow'] as const)(
  'an enrolment (%s) of a member who may have a pass',
  (operation) => {
    const enrols = owed(operation);
    const askedFor = { kind: 'look-up', purpose: 'issue', confirmsAbsence: false } as const;

    it('regression: settles with that pass; none is issued', () => {
      given(enrols).then(askedFor);
      const found = given(enrols).whenShown(shown('found')).thenMoves({ kind: 'settle', pass: 'known' });
      found.then({
        kind: 'record',
        events: [{ type: 'VerifiedApplied', at: now, attempt: 0, evidence: 'pass-found' }],
      });
      expect(found.step).toHaveProperty('evidence', expect.stringContaining('lookup'));
    });

    it.each([shown('absent'), shown('failed', { code: 'foreign-pass' })])(
      'is sent where there is none, or only another member’s, and is not asked about again: %j',
      (report) => {
        given(enrols).whenShown(report).then({ kind: 'learned' }).thenNext({ kind: 'begin', attempt: 1 });
      },
    );

    it('is looked up again where the partner could not say', () => {
      given(enrols).whenShown(shown('failed')).then({ kind: 'come-back', as: 'retry' });
    });

    it('is an operator’s where there are several', () => {
      const several = given(enrols).whenShown(shown('failed', { code: 'several-passes' }));
      several.then({ kind: 'record', events: [{ type: 'IntentParked', reason: 'unknown-outcome' }] });
    });

    it('is looked up where an enrolment before it may have made one, though the lane knows of none', () => {
      given(owed(operation, { known: { pass: 'absent' }, intent: { followsEnrolment: true } })).then(askedFor);
    });

    it('is looked up once more when an operator sends it again, not after a try that was turned away', () => {
      const rejected = { ...parked, lane: 'block' } as const;
      given(owed(operation, { since: [begun(1), rejected, requeued] })).then(askedFor);
      const refused = {
        type: 'AttemptNotApplied',
        at: now,
        attempt: 1,
        code: 'http-429',
        answered: true,
        retryAt: now,
      } as const;
      given(owed(operation, { since: [begun(1), refused] })).then({ kind: 'begin', attempt: 2 });
    });

    it.each(['unknown', 'absent'] as const)('is sent without a question where none is known (%s)', (pass) => {
      given(owed(operation, { known: { pass } })).then({ kind: 'begin', attempt: 1 });
    });

    it.each([
      ['is sent where lookup and count deny it after inFlightMs', inFlightMs, 'absent', 0, 'learned'],
      ['comes back before', inFlightMs - 1, 'absent', 0, 'come-back'],
      ['comes back where the count contradicts', inFlightMs, 'absent', 1, 'come-back'],
      ['comes back where the count says nothing', inFlightMs, 'absent', null, 'come-back'],
      ['settles where the pass is found again', inFlightMs, 'found', null, 'record'],
    ] as const)('regression: issued anew it %s', (...[, agoMs, kind, listed, step]) => {
      const applied = { type: 'AttemptApplied', at: now - agoMs, attempt: 1 } as const;
      const reissued = { type: 'IntentReissued', at: now, by: 'ada', reason: 'x', overtaken: 0, job: 'r1' } as const;
      const anew = owed(operation, { known: { pass: 'absent' }, since: [begun(1), applied, reissued] });
      given(anew).then({ ...askedFor, confirmsAbsence: true });
      const answered = given(anew).whenShown(shown(kind), listed).then({ kind: step });
      if (step === 'learned') answered.thenNext({ kind: 'begin', attempt: 2 });
      if (step === 'record') {
        answered.then({ kind: step, events: [{ type: 'VerifiedApplied', evidence: 'pass-found' }] });
      }
    });
  },
);

it('names the attempt that was refused because its member has a pass', () => {
  const refused = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'duplicate-refused', checkAt: now } as const;
  expect(attemptRefusedAsDuplicate(owed('issue', { since: [begun(1), refused] }).state)).toBe(1);
  expect(
    attemptRefusedAsDuplicate(owed('issue', { since: [begun(1), { ...refused, code: 'reset' }] }).state),
  ).toBeNull();
  expect(attemptRefusedAsDuplicate(owed('issue').state)).toBeNull();
});

/** As a refusal because the member has a pass leaves it. */
const unknownDuplicate = {
  type: 'AttemptUnknown',
  attempt: 1,
  code: 'duplicate-refused',
  checkAt: recordedAt,
} as const;

describe('a pass that is no card any more by its status', () => {
  const dead = shown('absent', { isDead: true });

  it('is reported gone before an enrolment is sent, whatever the listing counts', () => {
    const enrolment = owed('issue', { known: { pass: 'known' } });
    given(enrolment).whenShown(dead, 1).thenRecords('PassAbsent').thenMoves({ kind: 'stay', pass: 'absent' });
    const again = owed('issue', { known: { pass: 'absent' }, intent: { followsEnrolment: true } });
    given(again)
      .whenShown(dead, 1)
      .then({ kind: 'learned', known: { isPassAsked: true } })
      .thenNext({ kind: 'begin' });
  });

  it('is no pass for what needs one: that waits', () => {
    const sale = owed('transaction', { known: { pass: 'absent' } });
    given(sale).whenShown(dead).thenRecords('PassAbsent', 'WaitingBegan');
  });

  it('proves nothing of an enrolment in doubt', () => {
    const doubted = owed('issue', { since: lost(1), known: { pass: 'absent' }, now: now + 10 * inFlightMs });
    given(doubted).whenShown(dead, 1).then({ kind: 'come-back' });
  });

  it('is why an enrolment was refused as a duplicate: that ends, for a person', () => {
    const refused = { ...unknownDuplicate, at: recordedAt } as const;
    const sending = owed('issue', {
      since: [begun(1), refused],
      known: { pass: 'absent' },
      now: now + 10 * inFlightMs,
    });
    given(sending).whenShown(dead, 1).thenRecords('VerifiedAbsent', 'IntentParked');
  });
});
