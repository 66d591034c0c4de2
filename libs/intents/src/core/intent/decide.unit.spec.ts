import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import { begun, failed, lost, outcomeOf, recorded, recordedAt, rejected } from './testing/samples.js';
import { given } from './testing/given.js';

const at = recordedAt + 5_000;
const parked: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' };
const waiting: IntentEvent = { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 1 };
const cancelled: IntentEvent = { type: 'IntentCancelled', at, by: 'ops', reason: 'voided' };
const inDoubt: IntentEvent = { ...parked, reason: 'unknown-outcome' };
const refused: IntentEvent = { type: 'AttemptRejected', at, attempt: 1, code: 'refused' };
const resent: IntentEvent = { type: 'ResendDecided', at, attempt: 1, basis: 'policy' };
const delivered: readonly IntentEvent[] = [recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }];

describe('RecordIntent', () => {
  it('records once', () => {
    const command: IntentCommand = { type: 'RecordIntent', at, parkedAs: null };
    given().when(command).then({ type: 'IntentRecorded', at });
    given(recorded).when(command).thenIgnored('already-recorded');
  });

  it.each(['unroutable', 'merged'] as const)('parks as %s at once and lets the lane go on', (parkedAs) => {
    given()
      .when({ type: 'RecordIntent', at, parkedAs })
      .then({ type: 'IntentRecorded', at }, { type: 'IntentParked', at, reason: parkedAs, lane: 'continue' });
  });
});

describe('BeginAttempt', () => {
  const command: IntentCommand = { type: 'BeginAttempt', at };

  it('begins the first attempt of a pending intent', () => {
    given(recorded).when(command).then({ type: 'AttemptBegun', at, attempt: 1 });
  });

  it('numbers attempts on, whether the partner answered or not', () => {
    given(recorded, ...failed(1, true), ...failed(2, false))
      .when(command)
      .then({ type: 'AttemptBegun', at, attempt: 3 });
  });

  it('begins what was released', () => {
    given(recorded, waiting, { type: 'IntentReleased', at })
      .when(command)
      .then({ type: 'AttemptBegun', at, attempt: 1 });
  });

  it.each([
    ['nothing', [], 'not-recorded'],
    ['an open attempt', [recorded, begun(1)], 'in-flight'],
    [
      'an unknown outcome',
      [recorded, begun(1), { type: 'AttemptUnknown', at, attempt: 1, code: 'reset' }],
      'in-flight',
    ],
    ['waiting', [recorded, waiting], 'waiting-for-pass'],
    ['delivered', delivered, 'already-settled'],
    ['parked', [recorded, parked], 'already-settled'],
    ['cancelled', [recorded, cancelled], 'already-settled'],
  ] as const)('refuses to begin from %s', (_name, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when(command)
      .thenIgnored(reason);
  });
});

describe('CancelIntent', () => {
  const command: IntentCommand = { type: 'CancelIntent', at, by: 'ops', reason: 'voided' };

  it.each([
    ['pending', [recorded]],
    ['between attempts', [recorded, ...failed(1, true)]],
    ['waiting', [recorded, waiting]],
    ['parked', [recorded, parked]],
  ] as const)('cancels what is %s', (_name, events) => {
    given(...(events as readonly IntentEvent[]))
      .when(command)
      .then(cancelled);
  });

  it.each([
    ['an open attempt', [recorded, begun(1)], 'in-flight'],
    [
      'an unknown outcome',
      [recorded, begun(1), { type: 'AttemptUnknown', at, attempt: 1, code: 'reset' }],
      'in-flight',
    ],
    ['delivered', delivered, 'already-settled'],
    ['cancelled', [recorded, cancelled], 'already-settled'],
    ['nothing', [], 'not-recorded'],
    ['a doubt, before its next attempt', [recorded, ...lost(1), resent], 'in-flight'],
  ] as const)('does not cancel %s', (_name, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when(command)
      .thenIgnored(reason);
    given(...(events as readonly IntentEvent[]))
      .when({ ...command, isNotDelivered: true })
      .thenIgnored(reason);
  });

  const lateYes: IntentEvent = { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' };

  it.each([
    ['may have taken effect', [recorded, ...lost(1), inDoubt]],
    ['has, as its worker told late', [recorded, begun(1), refused, parked, lateYes]],
  ] as const)('regression: takes a person\u2019s word for what is parked and %s', (_name, events) => {
    given(...(events as readonly IntentEvent[]))
      .when(command)
      .thenIgnored('in-doubt');
    given(...(events as readonly IntentEvent[]))
      .when({ ...command, isNotDelivered: true })
      .then({ type: 'IntentResolved', at, by: 'ops', reason: 'voided', as: 'not-delivered' }, cancelled);
  });

  it.each([
    ['pending', [recorded]],
    ['waiting', [recorded, waiting]],
    ['parked', [recorded, parked]],
  ] as const)(
    'regression: takes a person\u2019s word for what is %s and a lost history may have sent',
    (_name, events) => {
      const forgotten = { ...command, isForgotten: true };
      given(...(events as readonly IntentEvent[]))
        .when(forgotten)
        .thenIgnored('in-doubt');
      given(...(events as readonly IntentEvent[]))
        .when({ ...forgotten, isNotDelivered: true })
        .then(cancelled);
    },
  );

  it('takes nobody\u2019s word for what is erased', () => {
    given(recorded, ...lost(1), { type: 'IntentParked', at, reason: 'erased', lane: 'continue' })
      .when({ ...command, isNotDelivered: true })
      .thenIgnored('erased');
  });
});

describe('RecordLateOutcome', () => {
  const outcome = { kind: 'applied', code: 'applied' } as const;
  const command: IntentCommand = { type: 'RecordLateOutcome', at, attempt: 1, outcome };
  const late: IntentEvent = { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' };
  const verified: IntentEvent = { type: 'VerifiedApplied', at, attempt: 1, evidence: 'late-outcome' };
  const no = { kind: 'not-applied', code: 'connection-refused' } as const;
  const lateNo: IntentEvent = { type: 'LateOutcome', at, attempt: 1, outcome: 'not-applied', code: no.code };

  it('is kept as knowledge, whatever the intent has become', () => {
    given(...delivered)
      .when(command)
      .then(late);
    given(recorded, begun(1), cancelled).when(command).then(late);
  });

  it.each([
    ['unknown', lost(1)],
    ['parked', [...lost(1), parked]],
    ['to be sent again', [...lost(1), { type: 'ResendDecided', at, attempt: 1, basis: 'policy' }]],
  ] as const)('of an applied attempt settles what is %s', (_name, events) => {
    given(recorded, ...events)
      .when(command)
      .then(late, verified);
  });

  it('of an applied attempt settles the attempt under way when that ends, whatever came of it', () => {
    given(recorded, ...lost(1), begun(2), late)
      .when(outcomeOf(rejected('refused'), { attempt: 2 }))
      .then(
        { type: 'AttemptRejected', at: recordedAt + 1_000, attempt: 2, code: 'refused' },
        { type: 'VerifiedApplied', at: recordedAt + 1_000, attempt: 1, evidence: 'late-outcome' },
      );
  });

  it('of an attempt that was never sent proves its absence, if no other attempt is in doubt', () => {
    given(recorded, ...lost(1))
      .when({ ...command, outcome: no })
      .then(lateNo, { type: 'VerifiedAbsent', at, attempt: 1, evidence: 'late-outcome' });
    given(recorded, ...lost(1), ...lost(2))
      .when({ ...command, outcome: no })
      .then(lateNo);
  });

  it('leaves to the person what a person must decide already', () => {
    given(recorded, ...lost(1), parked)
      .when({ ...command, outcome: no })
      .then(lateNo);
  });

  it('names the code of what is not known either', () => {
    given(recorded, ...lost(1), parked)
      .when({ ...command, outcome: { kind: 'unknown', code: 'reset' } })
      .then({ type: 'LateOutcome', at, attempt: 1, outcome: 'unknown', code: 'reset' });
  });

  it('needs an intent', () => {
    given().when(command).thenIgnored('not-recorded');
  });
});
