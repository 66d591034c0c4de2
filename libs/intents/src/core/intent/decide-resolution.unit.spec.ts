import type { DeliveryPolicy } from '../resolution/resolution.js';
import { forgottenCode, resolutionStep } from '../resolution/resolution.js';
import { unknownInLostHistory } from './decide-resolution.js';
import type { Finding, IntentCommand } from './intent-command.js';
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
  unknown,
} from './testing/samples.js';

const lostAt = recordedAt + 1;
const settledAt = lostAt + transactionPolicy.inFlightMs;
const byLookup: DeliveryPolicy = { ...issuePolicy, resolution: 'look-up' };
const byPoints: DeliveryPolicy = { ...transactionPolicy, resolution: 'probe-points', pointsDelta: -10 };
const byContent: DeliveryPolicy = {
  ...transactionPolicy,
  resolution: 'probe-content',
  operation: 'update-via-workflow',
};
const byResend: DeliveryPolicy = { ...transactionPolicy, resolution: 'resend' };
const byUnique: DeliveryPolicy = { ...transactionPolicy, resolution: 'resend-unique' };

function finds(finding: Finding, at: number, policy: DeliveryPolicy): IntentCommand {
  return { type: 'RecordFinding', at, finding, policy, chance: 0 };
}

function resolves(at: number, policy: DeliveryPolicy): IntentCommand {
  return { type: 'ResolveUnknown', at, policy, chance: 0 };
}

function parked(at: number, policy: DeliveryPolicy): IntentEvent {
  return { type: 'IntentParked', at, reason: 'unknown-outcome', lane: policy.onPark };
}

/** An attempt before which the pass was read. */
function lostAfterRead(before: { points?: number; differs?: boolean }): IntentEvent[] {
  return [{ ...begun(1), before } as IntentEvent, ...lost(1).slice(1)];
}

describe('an unknown outcome', () => {
  const at = recordedAt + 1_000;
  const seen = (checkAt: number | null): IntentEvent => ({
    type: 'AttemptUnknown',
    at,
    attempt: 1,
    code: 'reset',
    checkAt,
  });

  it.each([
    ['of an issue is looked up soon', byLookup, at + 500],
    ['of a unique transaction is sent again when it can no longer take effect', byUnique, at + 120_000],
    ['that may be sent again waits as long', byResend, at + 120_000],
  ] as const)('%s', (_name, policy, checkAt) => {
    given(recorded, begun(1)).when(outcomeOf(unknown, { policy })).then(seen(checkAt));
  });

  it('waits as long as Retry-After says', () => {
    given(recorded, begun(1))
      .when(outcomeOf({ ...unknown, retryAfterMs: 30_000 } as typeof unknown, { policy: byLookup }))
      .then(seen(at + 30_000));
  });

  it.each([
    ['points', byPoints],
    ['content', byContent],
  ] as const)('cannot be probed by %s that were not read before', (_name, policy) => {
    given(recorded, begun(1)).when(outcomeOf(unknown, { policy })).then(seen(null), parked(at, policy));
  });

  it('parks when the tries are used up', () => {
    given(
      recorded,
      ...lost(1),
      { type: 'ResendDecided', at, attempt: 1, basis: 'policy' },
      ...lost(2),
      {
        type: 'ResendDecided',
        at,
        attempt: 2,
        basis: 'policy',
      },
      begun(3),
    )
      .when(outcomeOf(unknown, { policy: byResend, attempt: 3 }))
      .then({ type: 'AttemptUnknown', at, attempt: 3, code: 'reset', checkAt: null }, parked(at, byResend));
  });
});

describe('a yes that proved nothing', () => {
  const at = recordedAt + 1_000;
  const hollow = (code: string): typeof unknown => ({ kind: 'unknown', code, retryAfterMs: null });
  const seen = (code: string, checkAt: number | null, attempt = 1): IntentEvent => ({
    type: 'AttemptUnknown',
    at,
    attempt,
    code,
    checkAt,
  });
  const resent: IntentEvent = { type: 'ResendDecided', at, attempt: 1, basis: 'policy' };
  const late: IntentEvent = { type: 'LateOutcome', at, attempt: 1, outcome: 'unknown', code: 'unproven-200' };

  describe.each(['transaction', 'reward'] as const)('of a %s', (operation) => {
    const policy = { ...byResend, operation };

    it.each(['unproven-200', 'foreign-pass', 'http-202', 'http-200-empty'])(
      '%s is not sent again by policy',
      (code) => {
        given(recorded, begun(1))
          .when(outcomeOf(hollow(code), { policy }))
          .then(seen(code, null), parked(at, policy));
      },
    );

    it('nor is one that comes after an answer that was lost', () => {
      given(recorded, ...lost(1), resent, begun(2))
        .when(outcomeOf(hollow('unproven-200'), { policy, attempt: 2 }))
        .then(seen('unproven-200', null, 2), parked(at, policy));
    });

    it('nor when the programs file says since that it may be', () => {
      given(recorded, begun(1), seen('unproven-200', at + 1))
        .when(resolves(at + 1_000_000, policy))
        .then(parked(at + 1_000_000, policy));
    });

    it.each([
      ['before the attempt is found lost', [begun(1), late, ...lost(1).slice(1)]],
      ['while it is unknown', [...lost(1), late]],
      ['when it was decided already to send it again', [...lost(1), resent, late]],
    ])('nor when it is told late, %s', (_when, events) => {
      given(recorded, ...events)
        .when(resolves(at + 1_000_000, policy))
        .then(parked(at + 1_000_000, policy));
    });

    it('may be probed all the same, and sent again once a person has said that it was not delivered', () => {
      const probing = { ...byPoints, operation };
      given(recorded, { ...begun(1), before: { points: 50 } } as IntentEvent)
        .when(outcomeOf(hollow('unproven-200'), { policy: probing }))
        .then(seen('unproven-200', at + 500));
      const word = { at, by: 'ada', reason: 'asked the partner' };
      const history = [recorded, begun(1), seen('unproven-200', null), parked(at, policy)];
      given(...history, { type: 'IntentResolved', as: 'not-delivered', ...word })
        .when({ type: 'BeginAttempt', at })
        .then({ type: 'AttemptBegun', at, attempt: 2 });
      given(...history, { type: 'IntentResolved', as: 'not-delivered', ...word })
        .when(resolves(at, policy))
        .thenIgnored('not-unknown');
    });
  });

  it.each([
    ['an enforced transaction, sent again with the same value', byUnique, at + 120_000],
    ['an issue, looked up', byLookup, at + 500],
    ['an issue that may be sent again', { ...byResend, operation: 'issue' }, at + 120_000],
    ['an update that may be sent again', { ...byResend, operation: 'update-via-workflow' }, at + 120_000],
  ] as const)('goes the way of every unknown outcome: %s', (_what, policy, checkAt) => {
    given(recorded, begun(1))
      .when(outcomeOf(hollow('unproven-200'), { policy }))
      .then(seen('unproven-200', checkAt));
  });
});

describe('a yes to something else than was asked', () => {
  const at = recordedAt + 1_000;
  const code = 'answered-otherwise';
  const other = { kind: 'unknown', code, retryAfterMs: null } as const;
  const seen = (attempt: number): IntentEvent => ({ type: 'AttemptUnknown', at, attempt, code, checkAt: null });
  const late: IntentEvent = { type: 'LateOutcome', at, attempt: 1, outcome: 'unknown', code };
  const resent: IntentEvent = { type: 'ResendDecided', at, attempt: 1, basis: 'unique-attribute' };
  const policies: readonly (readonly [string, DeliveryPolicy])[] = [
    ['park', transactionPolicy],
    ['resend', byResend],
    ['an enforced value', byUnique],
    ['points', byPoints],
    ['a lookup', byLookup],
    ['an issue by resend', { ...byResend, operation: 'issue' }],
    ['content', byContent],
    ['an update by resend', { ...byResend, operation: 'update-via-workflow' }],
  ];

  describe.each(policies)('under %s', (_name, policy) => {
    const before = { points: 50, differs: true };

    it('parks at once, the first as well as a second one', () => {
      given(recorded, { ...begun(1), before } as IntentEvent)
        .when(outcomeOf(other, { policy }))
        .then(seen(1), parked(at, policy));
      given(recorded, ...lost(1), resent, begun(2))
        .when(outcomeOf(other, { policy, attempt: 2 }))
        .then(seen(2), parked(at, policy));
    });

    it('that came late: no second call is sent, and the refusal of one under way proves nothing', () => {
      given(recorded, ...lost(1), late)
        .when(resolves(at + 1_000_000, policy))
        .then(parked(at + 1_000_000, policy));
      given(recorded, ...lost(1), resent, late)
        .when(resolves(at, policy))
        .then(parked(at, policy));
      for (const refusal of ['duplicate', 'no-such-pass', 'refused'] as const) {
        given(recorded, ...lost(1), resent, begun(2), late)
          .when(outcomeOf(rejected(refusal), { policy, attempt: 2 }))
          .then({ type: 'AttemptRejected', at, attempt: 2, code: refusal }, parked(at, policy));
      }
      given(recorded, ...lost(1), resent, begun(2), late)
        .when(outcomeOf(unknown, { policy, attempt: 2 }))
        .then({ type: 'AttemptUnknown', at, attempt: 2, code: 'reset', checkAt: null }, parked(at, policy));
    });

    it.each<Finding>([
      { kind: 'pass-found' },
      { kind: 'as-wanted' },
      { kind: 'pass-absent' },
      { kind: 'points', points: 40 },
    ])('no look settles it: %j', (finding) => {
      given(recorded, { ...begun(1), before } as IntentEvent, ...lost(1).slice(1), late)
        .when(finds(finding, settledAt, policy))
        .then(parked(settledAt, policy));
    });

    it('no replay does: only a person who says what became of it', () => {
      const word = { at: at + 1, by: 'ada', reason: 'asked the partner' };
      const history = [recorded, begun(1), seen(1), parked(at, policy)];
      given(...history)
        .when({ type: 'ReplayIntent', ...word, overtaken: 0 })
        .thenIgnored('in-doubt');
      given(...history)
        .when({ type: 'ResolveIntent', ...word, as: 'delivered' })
        .then({ type: 'IntentResolved', ...word, as: 'delivered' });
      const resolved: IntentEvent = { type: 'IntentResolved', ...word, as: 'not-delivered' };
      given(...history)
        .when({ type: 'ResolveIntent', ...word, as: 'not-delivered' })
        .then(resolved);
      given(...history, resolved)
        .when(resolves(at + 2, policy))
        .thenIgnored('not-unknown');
      given(...history, resolved)
        .when({ type: 'BeginAttempt', at })
        .then({ type: 'AttemptBegun', at, attempt: 2 });
    });
  });

  it('another attempt that is read again as proof does not settle it either', () => {
    const hollow: IntentEvent = { type: 'AttemptUnknown', at, attempt: 1, code: 'unproven-200', checkAt: at };
    given(recorded, begun(1), hollow, resent, begun(2), seen(2), parked(at, byUnique))
      .when({ type: 'RecordReread', at, attempt: 1 })
      .thenIgnored('other-attempt');
    given(recorded, begun(1), seen(1), parked(at, byUnique))
      .when({ type: 'RecordReread', at, attempt: 1 })
      .then({ type: 'VerifiedApplied', at, attempt: 1, evidence: 'answer-reread' });
  });
});

describe('an answer that was kept and is read again', () => {
  const at = recordedAt + 5_000;
  const reread = (attempt: number): IntentCommand => ({ type: 'RecordReread', at, attempt });
  const park = parked(recordedAt + 2_000, transactionPolicy);
  const hollow = {
    type: 'AttemptUnknown',
    at: recordedAt + 1,
    attempt: 1,
    code: 'unproven-200',
    checkAt: null,
  } as const;

  it('settles what is parked for the doubt about that attempt', () => {
    given(recorded, begun(1), hollow, park)
      .when(reread(1))
      .then({ type: 'VerifiedApplied', at, attempt: 1, evidence: 'answer-reread' });
  });

  const word = { at: recordedAt + 3_000, by: 'ada', reason: 'asked the partner' };
  it.each<
    [string, { readonly events: readonly IntentEvent[]; readonly attempt?: number }, 'other-attempt' | 'not-parked']
  >([
    ['nothing about another attempt', { events: [recorded, begun(1), hollow, park], attempt: 2 }, 'other-attempt'],
    ['nothing that the daemon looks after itself', { events: [recorded, begun(1), hollow] }, 'not-parked'],
    [
      'nothing that a person has decided',
      { events: [recorded, begun(1), hollow, park, { type: 'IntentResolved', as: 'not-delivered', ...word }] },
      'not-parked',
    ],
    [
      'nothing that was refused for good',
      { events: [recorded, begun(1), { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' }] },
      'not-parked',
    ],
  ])('settles %s', (_what, { events, attempt = 1 }, reason) => {
    given(...events)
      .when(reread(attempt))
      .thenIgnored(reason);
  });
});

describe('an issue in doubt', () => {
  it('is delivered when the pass is there, however early', () => {
    given(recorded, ...lost(1))
      .when(finds({ kind: 'pass-found' }, lostAt + 1, byLookup))
      .then({ type: 'VerifiedApplied', at: lostAt + 1, attempt: 1, evidence: 'pass-found' });
  });

  it('is not absent while the call may still take effect', () => {
    given(recorded, ...lost(1))
      .when(finds({ kind: 'pass-absent' }, settledAt - 1, byLookup))
      .thenIgnored('still-unknown');
  });

  it('is sent again once its absence is proved', () => {
    given(recorded, ...lost(1))
      .when(finds({ kind: 'pass-absent' }, settledAt, byLookup))
      .then({ type: 'VerifiedAbsent', at: settledAt, attempt: 1, evidence: 'lookup-and-listing' });
  });

  it('parks when nothing can be proved for long enough', () => {
    const end = recordedAt + byLookup.retries.maxAgeMs;
    given(recorded, ...lost(1))
      .when(finds({ kind: 'inconclusive' }, end, byLookup))
      .thenIgnored('still-unknown');
    given(recorded, ...lost(1))
      .when(finds({ kind: 'inconclusive' }, end + 1, byLookup))
      .then(parked(end + 1, byLookup));
  });

  it('that was refused as a duplicate of nothing that we can see is rejected, not sent again', () => {
    const refused: IntentEvent = {
      type: 'AttemptUnknown',
      at: lostAt,
      attempt: 1,
      code: 'duplicate-refused',
      checkAt: lostAt,
    };
    given(recorded, begun(1), refused)
      .when(finds({ kind: 'pass-absent' }, settledAt, issuePolicy))
      .then(
        { type: 'VerifiedAbsent', at: settledAt, attempt: 1, evidence: 'lookup-and-listing' },
        { type: 'IntentParked', at: settledAt, reason: 'rejected', lane: 'block' },
      );
  });
});

describe('a transaction or reward in doubt', () => {
  it('is sent again only after the time in which it may still take effect', () => {
    given(recorded, ...lost(1))
      .when(resolves(settledAt - 1, byUnique))
      .thenIgnored('still-unknown');
    given(recorded, ...lost(1))
      .when(resolves(settledAt, byUnique))
      .then({ type: 'ResendDecided', at: settledAt, attempt: 1, basis: 'unique-attribute' });
  });

  it('parks when the programs file says so by now', () => {
    given(recorded, ...lost(1))
      .when(resolves(lostAt + 5, transactionPolicy))
      .then(parked(lostAt + 5, transactionPolicy));
  });

  const firstRead: IntentEvent = {
    type: 'ProbeRead',
    at: lostAt + 500,
    attempt: 1,
    points: 90,
    checkAt: lostAt + 500 + 120_000,
  };

  it('is read twice', () => {
    given(recorded, ...lostAfterRead({ points: 100 }))
      .when(finds({ kind: 'points', points: 90 }, lostAt + 500, byPoints))
      .then(firstRead);
    given(recorded, ...lostAfterRead({ points: 100 }), firstRead)
      .when(finds({ kind: 'points', points: 90 }, firstRead.at + 119_999, byPoints))
      .thenIgnored('still-unknown');
  });

  it.each([
    ['moved as it would have moved them', 90, true],
    ['did not move', 100, false],
    ['moved otherwise', 80, false],
  ] as const)('with points that %s', (_name, points, isApplied) => {
    const at = firstRead.at + 120_000;
    const read = { ...firstRead, points } as IntentEvent;
    const verified: IntentEvent = { type: 'VerifiedApplied', at, attempt: 1, evidence: 'points' };
    given(recorded, ...lostAfterRead({ points: 100 }), read)
      .when(finds({ kind: 'points', points }, at, byPoints))
      .then(isApplied ? verified : parked(at, byPoints));
  });

  it('with points that move between the reads parks', () => {
    const at = firstRead.at + 120_000;
    given(recorded, ...lostAfterRead({ points: 100 }), { ...firstRead, points: 100 })
      .when(finds({ kind: 'points', points: 90 }, at, byPoints))
      .then(parked(at, byPoints));
  });
});

describe('an update in doubt', () => {
  it('is delivered when what differed before is as wanted', () => {
    given(recorded, ...lostAfterRead({ differs: true }))
      .when(finds({ kind: 'as-wanted' }, lostAt + 500, byContent))
      .then({ type: 'VerifiedApplied', at: lostAt + 500, attempt: 1, evidence: 'as-wanted' });
  });

  it('parks when it is not as wanted by the time it must be', () => {
    given(recorded, ...lostAfterRead({ differs: true }))
      .when(finds({ kind: 'inconclusive' }, settledAt - 1, byContent))
      .thenIgnored('still-unknown');
    given(recorded, ...lostAfterRead({ differs: true }))
      .when(finds({ kind: 'inconclusive' }, settledAt, byContent))
      .then(parked(settledAt, byContent));
  });

  it('proves nothing when the pass may have been so all along', () => {
    given(recorded, ...lostAfterRead({}))
      .when(finds({ kind: 'as-wanted' }, settledAt, byContent))
      .then(parked(settledAt, byContent));
  });
});

describe('a pass that is there before its enrolment is sent', () => {
  const shown = (isOnlyOne: boolean): IntentCommand => {
    return { type: 'RecordPassThere', at: lostAt, isOnlyOne, policy: byLookup, chance: 0 };
  };

  it('is theirs: none is issued', () => {
    given(recorded).when(shown(true)).then({ type: 'VerifiedApplied', at: lostAt, attempt: 0, evidence: 'pass-found' });
  });

  it('is for a person where there are several', () => {
    given(recorded).when(shown(false)).then(parked(lostAt, byLookup));
  });

  it('is no answer to what has begun', () => {
    given(recorded, begun(1)).when(shown(true)).thenIgnored('in-flight');
  });
});

describe('evidence', () => {
  it('means nothing for an intent that is not in doubt', () => {
    given(recorded)
      .when(finds({ kind: 'pass-found' }, lostAt, byLookup))
      .thenIgnored('not-unknown');
    given(recorded).when(resolves(lostAt, byResend)).thenIgnored('not-unknown');
  });
});

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

const parkedAsForgotten: IntentEvent = { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' };

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
      .then(...forgotten(1, null), parkedAsForgotten);
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
      .then({ type: 'IntentReleased', at }, ...forgotten(1, null), parkedAsForgotten);
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
      .then(forgotten(1, null)[1]!, parkedAsForgotten);
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

  it('regression: is part of what a person says of it', () => {
    const parked: IntentEvent = { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'block' };
    const word: IntentEvent = { type: 'IntentResolved', at: at + 1, by: 'ada', reason: 'asked', as: 'not-delivered' };
    expect(fold([recorded, ...lost(1), parked, word])).toMatchObject({ status: 'pending', forgottenAt: at + 1 });
  });

  it('is nothing new to what is settled or under way', () => {
    given().when(forget(unique)).thenIgnored('not-recorded');
    given(recorded, begun(1)).when(forget(unique)).thenIgnored('in-flight');
    given(recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }).when(forget(unique)).thenIgnored('in-flight');
  });
});

describe('an attempt that was applied after all, as its worker reported late', () => {
  const late = { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' } as const;
  const settled = { type: 'VerifiedApplied', at: at + 5, attempt: 1, evidence: 'late-outcome' } as const;
  const resent = { type: 'ResendDecided', at: recordedAt + 5, attempt: 1, basis: 'policy' } as const;
  const second = { type: 'AttemptNotApplied', at, attempt: 2, code: 'http-429', answered: true, retryAt: at } as const;
  const unread = [recorded, ...lost(1), resent, begun(2), late, second];
  const awaited = [
    { type: 'PassAbsent', at },
    { type: 'WaitingBegan', at, for: 'pass', recheckAt: at },
  ] as const;

  it('settles a pending intent, whose next attempt is never begun', () => {
    given(...unread)
      .when(resolves(at + 5, byResend))
      .then(settled);
    given(...unread)
      .when({ type: 'BeginAttempt', at })
      .thenIgnored('already-applied');
  });

  it('settles a waiting one, which waits no longer', () => {
    given(...unread, ...awaited)
      .when(resolves(at + 5, byResend))
      .then({ type: 'IntentReleased', at: at + 5 }, settled);
  });

  it('settles one that is put back, unless a person has said that it was not delivered', () => {
    const refused: IntentEvent[] = [
      ...[recorded, ...lost(1)],
      { type: 'VerifiedAbsent', at: recordedAt + 5, attempt: 1, evidence: 'lookup-and-listing' },
      ...[begun(2), { type: 'AttemptRejected', at: recordedAt + 6, attempt: 2, code: 'refused' } as const],
      ...[{ type: 'IntentParked', at: recordedAt + 6, reason: 'rejected', lane: 'continue' } as const, late],
    ];
    const word = { at, by: 'ada', reason: 'x' };
    given(...refused, { type: 'IntentReplayed', ...word, overtaken: 0 })
      .when(resolves(at + 5, byResend))
      .then(settled);
    given(...refused, { type: 'IntentResolved', ...word, as: 'not-delivered' })
      .when({ type: 'BeginAttempt', at })
      .then({ type: 'AttemptBegun', at, attempt: 3 });
  });
});
