import type { DeliveryPolicy } from '../resolution/resolution.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import { fold, given } from './testing/given.js';
import {
  applied,
  begun,
  failed,
  lost,
  notApplied,
  outcomeOf,
  recorded,
  recordedAt,
  rejected,
  transactionPolicy,
  unknown,
} from './testing/samples.js';

const at = recordedAt + 1_000;
const cause = { topic: 'loyalty.purchases', partition: 3, offset: 118 };
const said = { by: 'source-event', reason: 'voided', cause } as const;
const request: IntentCommand = { type: 'RequestCancel', at, ...said };
const requested: IntentEvent = { type: 'CancelRequested', at, ...said };
const cancelled: IntentEvent = { type: 'IntentCancelled', at, ...said };
const parked: IntentEvent = { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue', cause };

/** As a release before left it, whose worker had not read the void. */
const parkedRejected: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' };

const policies: readonly (readonly [string, DeliveryPolicy])[] = [
  ['park', transactionPolicy],
  ['resend', { ...transactionPolicy, resolution: 'resend' }],
  ['a unique value', { ...transactionPolicy, resolution: 'resend-unique' }],
];

const resolves = (policy: DeliveryPolicy, when = at): IntentCommand => {
  return { type: 'ResolveUnknown', at: when, policy, chance: 0 };
};

describe('a void that meets a call under way, or one in doubt', () => {
  it.each([
    ['under way', [recorded, begun(1)]],
    ['in doubt', [recorded, ...lost(1)]],
    ['parked for its doubt', [recorded, ...lost(1), { ...parked, cause: undefined } as unknown as IntentEvent]],
  ] as const)('is remembered, once: %s', (_name, events) => {
    given(...events)
      .when(request)
      .then(requested);
    given(...events, requested)
      .when(request)
      .thenIgnored('already-requested');
  });

  it.each([
    ['nothing', [], 'not-recorded'],
    ['what is delivered', [recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }], 'already-settled'],
    ['what is cancelled', [recorded, cancelled], 'already-settled'],
  ] as const)('has nothing to say to %s', (_name, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when(request)
      .thenIgnored(reason);
  });
});

describe.each(policies)('what was voided while its call was under way, under %s', (_name, policy) => {
  const underWay = [recorded, begun(1), requested];

  it('is delivered where the call was applied', () => {
    given(...underWay)
      .when(outcomeOf(applied, { policy, at }))
      .then({ type: 'AttemptApplied', at, attempt: 1 });
  });

  it.each([
    ['was refused', rejected('refused'), 'AttemptRejected'],
    ['did not get through too often', notApplied(true, 3_600_000), 'AttemptNotApplied'],
  ] as const)('is cancelled where the call %s', (_what, outcome, type) => {
    const strict = { ...policy, retries: { maxAttempts: 1, maxAgeMs: 1 } };
    const decision = given(...underWay).when(outcomeOf(outcome, { policy: strict, at }));
    decision.then(expect.objectContaining({ type }) as IntentEvent, cancelled);
  });

  it('is not tried again, but cancelled, where the call did not get through', () => {
    given(recorded, ...failed(1, true), requested)
      .when({ type: 'BeginAttempt', at })
      .thenIgnored('cancel-requested');
    given(recorded, ...failed(1, true), requested)
      .when(resolves(policy))
      .then(cancelled);
  });

  it('parks at once where nobody knows what became of the call, and names the void', () => {
    given(...underWay)
      .when(outcomeOf(unknown, { policy, at }))
      .then({ type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: null }, parked);
    given(recorded, ...lost(1), requested)
      .when(resolves(policy, at + 10 * policy.inFlightMs))
      .then({ ...parked, at: at + 10 * policy.inFlightMs });
  });

  it('parks where it is pending again although an earlier call is in doubt', () => {
    const resent: IntentEvent = { type: 'ResendDecided', at, attempt: 1, basis: 'policy' };
    given(recorded, ...lost(1), resent, requested)
      .when(resolves(policy))
      .then(parked);
  });

  it('waits for its pass no longer', () => {
    const waiting: IntentEvent = { type: 'WaitingBegan', at, for: 'pass', recheckAt: at };
    given(recorded, ...lost(1), { type: 'ResendDecided', at, attempt: 1, basis: 'policy' }, waiting, requested)
      .when(resolves(policy))
      .then({ type: 'IntentReleased', at }, parked);
  });

  it('is cancelled by a person\u2019s word that it was not delivered', () => {
    const inDoubt = [recorded, ...lost(1), requested, parked];
    const word = { at, by: 'ada', reason: 'not in their books' };
    const notDelivered = { type: 'IntentResolved', ...word, as: 'not-delivered' } as const;
    given(...inDoubt)
      .when({ ...notDelivered, type: 'ResolveIntent' })
      .then(notDelivered, cancelled);
    given(...inDoubt, { type: 'IntentResolved', ...word, as: 'delivered' })
      .when(resolves(policy))
      .thenIgnored('not-unknown');
  });

  it.each(['ReplayIntent', 'CorrectIntent'] as const)('is never made sendable again: %s tells why', (type) => {
    const word = { at, by: 'ada', reason: 'try again', overtaken: 0 };
    const proved = { type: 'LateOutcome', at, attempt: 1, outcome: 'not-applied', code: '503' } as const;
    given(recorded, ...lost(1), requested, parked)
      .when({ type, ...word })
      .thenIgnored('in-doubt');
    given(recorded, ...lost(1), requested, parked, proved)
      .when({ type, ...word })
      .thenIgnored('voided');
    given(recorded, begun(1), requested, { type: 'AttemptRejected', at, attempt: 1, code: 'refused' }, parkedRejected)
      .when({ type, ...word })
      .thenIgnored('voided');
  });

  it.each(['not-applied', 'rejected'] as const)(
    'is cancelled where its worker tells late that it was %s',
    (outcome) => {
      const late = { type: 'LateOutcome', at, attempt: 1, outcome, code: 'refused' } as const;
      const told: IntentCommand = {
        type: 'RecordLateOutcome',
        at,
        attempt: 1,
        outcome: { kind: outcome, code: 'refused' },
      };
      given(recorded, ...lost(1), requested, parked)
        .when(told)
        .then(late, cancelled);
      given(recorded, ...lost(1), requested, parked, { type: 'IntentParked', at, reason: 'erased', lane: 'continue' })
        .when(told)
        .then(late);
      given(recorded, ...lost(1), parked)
        .when(told)
        .then(late);
      const twice: IntentEvent = { type: 'ResendDecided', at, attempt: 1, basis: 'policy' };
      given(recorded, ...lost(1), twice, ...lost(2), requested, parked)
        .when(told)
        .then(late);
    },
  );

  it('is settled by a late proof', () => {
    given(recorded, ...lost(1), requested, parked)
      .when({ type: 'RecordLateOutcome', at, attempt: 1, outcome: { kind: 'applied', code: 'applied' } })
      .then(
        { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' },
        { type: 'VerifiedApplied', at, attempt: 1, evidence: 'late-outcome' },
      );
  });
});

it('is looked for where that sends nothing', () => {
  const policy: DeliveryPolicy = { ...transactionPolicy, resolution: 'probe-points', pointsDelta: 5 };
  const state = fold([recorded, { ...begun(1), before: { points: 1 } } as IntentEvent, ...lost(1).slice(1), requested]);
  expect(state).toMatchObject({ status: 'unknown', before: { points: 1 } });
  given(recorded, { ...begun(1), before: { points: 1 } } as IntentEvent, ...lost(1).slice(1), requested)
    .when(resolves(policy))
    .thenIgnored('still-unknown');
});

describe('the counter-entry of a void', () => {
  const awaits = (purchase: 'gone' | 'open', takesBack: boolean): IntentCommand => {
    return { type: 'AwaitPurchase', at, purchase, takesBack, policy: transactionPolicy, chance: 0 };
  };

  it('is cancelled with its purchase: there is nothing to take back', () => {
    given(recorded)
      .when(awaits('gone', true))
      .then({ type: 'IntentCancelled', at, by: 'loyaltyd', reason: 'nothing-to-take-back' });
  });

  it('a refund parks then, as ever', () => {
    given(recorded)
      .when(awaits('gone', false))
      .then({ type: 'IntentParked', at, reason: 'missing-purchase', lane: 'continue' });
  });
});
