import { forgottenCode } from '../resolution/resolution-after-recovery.js';
import { resolutionStep } from '../resolution/resolution-step.js';
import { unknownInLostHistory } from './decide-forgotten.js';
import type { DeliveryPolicy } from './delivery-policy.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import { fold, given } from './testing/given.js';
import {
  begun,
  failed,
  issuePolicy,
  lost,
  outcomeOf,
  recorded,
  recordedAt,
  rejected,
  transactionPolicy,
} from './testing/samples.js';

const at = recordedAt + 10_000;
const endedBy = recordedAt + 5_000;
const unique: DeliveryPolicy = { ...transactionPolicy, resolution: 'resend-unique' };

function forget(policy: DeliveryPolicy): IntentCommand {
  return { type: 'RecordForgotten', at, endedBy, policy };
}

function forgotten(attempt: number, checkAt: number | null): IntentEvent[] {
  return [
    { type: 'AttemptBegun', at, attempt },
    { type: 'AttemptUnknown', at, attempt, code: forgottenCode, checkAt, endedBy },
  ];
}

const parked: IntentEvent = { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' };

describe('an intent that a lost history may have sent', () => {
  it.each<[string, Partial<DeliveryPolicy>]>([
    ['a plain transaction', {}],
    ['a plain transaction, although its policy sends again after a lost answer', { resolution: 'resend' }],
    ['a reward', { operation: 'reward' }],
    ['a reward whose points could have been read', { operation: 'reward', resolution: 'probe-points' }],
    ['an update that nothing was read before', { operation: 'update-via-workflow', resolution: 'probe-content' }],
    ['a scheduled update', { operation: 'schedule-update' }],
  ])('parks: %s', (_name, change) => {
    given(recorded)
      .when(forget({ ...transactionPolicy, ...change }))
      .then(...forgotten(1, null), parked);
  });

  it.each<DeliveryPolicy['resolution']>(['park', 'look-up', 'resend'])(
    'is looked up at once where it is an enrolment, policy %s',
    (resolution) => {
      given(recorded)
        .when(forget({ ...issuePolicy, resolution }))
        .then(...forgotten(1, at));
      const state = fold([recorded, ...forgotten(1, at)]);
      const step = (now: number): unknown =>
        state.status === 'unknown' && resolutionStep(state, { ...issuePolicy, resolution }, now);
      // From the start of the recovery on nothing was begun any more: absence counts `inFlightMs` after that.
      expect(step(endedBy + issuePolicy.inFlightMs - 1)).toEqual({ kind: 'look-up', provesAbsence: false });
      expect(step(endedBy + issuePolicy.inFlightMs)).toEqual({ kind: 'look-up', provesAbsence: true });
    },
  );

  it('is sent again where the partner enforces its value, once nothing of it can be under way any more', () => {
    const checkAt = endedBy + unique.inFlightMs;
    given(recorded)
      .when(forget(unique))
      .then(...forgotten(1, checkAt));
    const state = fold([recorded, ...forgotten(1, checkAt)]);
    expect(state.status === 'unknown' && resolutionStep(state, unique, checkAt)).toEqual({
      kind: 'resend',
      basis: 'unique-attribute',
    });
  });

  it('does not wait where the recovery began long ago', () => {
    const early = { ...unique, inFlightMs: 1_000 };
    given(recorded)
      .when(forget(early))
      .then(...forgotten(1, at));
  });

  it('was applied where the partner refuses its value as a duplicate', () => {
    const resent: IntentEvent = { type: 'ResendDecided', at, attempt: 1, basis: 'unique-attribute' };
    const refusal = outcomeOf(rejected('duplicate'), { attempt: 2, at: at + 1, policy: unique });
    given(recorded, ...forgotten(1, at), resent, begun(2, at))
      .when(refusal)
      .then(
        { type: 'AttemptRejected', at: at + 1, attempt: 2, code: 'duplicate' },
        { type: 'VerifiedApplied', at: at + 1, attempt: 1, evidence: 'duplicate-refusal' },
      );
  });

  it('is counted on from the attempts that are known', () => {
    given(recorded, ...failed(1, true))
      .when(forget(unique))
      .then(...forgotten(2, endedBy + unique.inFlightMs));
  });

  it('is no longer waiting', () => {
    const waiting: IntentEvent = { type: 'WaitingBegan', at: recordedAt + 1, for: 'pass', recheckAt: at };
    given(recorded, waiting)
      .when(forget(transactionPolicy))
      .then({ type: 'IntentReleased', at }, ...forgotten(1, null), parked);
  });

  it('cannot be compared with what was read before an attempt in doubt: other calls may have moved it since', () => {
    const probing: DeliveryPolicy = { ...transactionPolicy, operation: 'reward', resolution: 'probe-points' };
    const before: IntentEvent = { type: 'AttemptBegun', at: recordedAt + 1, attempt: 1, before: { points: 100 } };
    const [, unknown] = lost(1);
    const inDoubt = unknownInLostHistory(fold([recorded, before, unknown!]), endedBy);
    expect(inDoubt.status === 'unknown' && resolutionStep(inDoubt, probing, at)).toEqual({ kind: 'park' });
    expect(inDoubt.status === 'unknown' && resolutionStep(inDoubt, unique, at)).toEqual({
      kind: 'wait',
      until: endedBy + unique.inFlightMs,
    });
    const later = fold([recorded, ...lost(1, at)]);
    expect(unknownInLostHistory(later, endedBy)).toBe(later);
  });

  it.each<[string, DeliveryPolicy['operation']]>([
    ['sale', 'transaction'],
    ['reward', 'reward'],
  ])(
    'parks where it was unknown before the restored moment already, although its policy sends again: a %s',
    (_, operation) => {
      const resending: DeliveryPolicy = { ...transactionPolicy, operation, resolution: 'resend' };
      const inDoubt = unknownInLostHistory(fold([recorded, ...lost(1)]), endedBy);
      const late = endedBy + resending.inFlightMs;
      expect(inDoubt.status === 'unknown' && resolutionStep(inDoubt, resending, late)).toEqual({ kind: 'park' });
    },
  );

  it('stays an issue that was refused as a duplicate: absent, it is not sent again', () => {
    const refused: IntentEvent = {
      type: 'AttemptUnknown',
      at: recordedAt + 1,
      attempt: 1,
      code: 'duplicate-refused',
      checkAt: at,
    };
    expect(unknownInLostHistory(fold([recorded, begun(1), refused]), endedBy)).toMatchObject({
      code: 'duplicate-refused',
    });
  });

  it.each<[string, Partial<DeliveryPolicy>]>([
    ['that its policy would send again', { resolution: 'resend' }],
    ['whose points were read before it', { operation: 'reward', resolution: 'probe-points', pointsDelta: 10 }],
  ])('parks where its attempt was open at the restored moment: one %s', (_name, change) => {
    const policy = { ...transactionPolicy, ...change };
    given(recorded, { type: 'AttemptBegun', at: recordedAt + 1, attempt: 1, before: { points: 100 } })
      .when({ type: 'RecordLostAttempt', at, policy, chance: 0, endedBy })
      .then(forgotten(1, null)[1]!, parked);
  });

  it('was applied where the worker of the open attempt has told so', () => {
    const late: IntentEvent = {
      type: 'LateOutcome',
      at: recordedAt + 2,
      attempt: 1,
      outcome: 'applied',
      code: 'applied',
    };
    given(recorded, begun(1), late)
      .when({ type: 'RecordLostAttempt', at, policy: transactionPolicy, chance: 0, endedBy })
      .then(
        { type: 'AttemptUnknown', at, attempt: 1, code: 'worker-lost', checkAt: null },
        { type: 'VerifiedApplied', at, attempt: 1, evidence: 'late-outcome' },
      );
  });

  it('remembers that it was taken into account', () => {
    expect(fold([recorded, ...forgotten(1, at)])).toMatchObject({ forgottenAt: at, doubts: [1] });
    expect(fold([recorded, ...lost(1)])).toMatchObject({ forgottenAt: null });
  });

  it('is nothing new to what is settled or under way', () => {
    given().when(forget(unique)).thenIgnored('not-recorded');
    given(recorded, begun(1)).when(forget(unique)).thenIgnored('in-flight');
    given(recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }).when(forget(unique)).thenIgnored('in-flight');
  });
});
