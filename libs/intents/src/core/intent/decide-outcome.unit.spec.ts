import { retryAfterMsMax } from '../delivery/retry-delay.js';
import type { IntentEvent } from './intent-event.js';
import { fold, given } from './testing/given.js';
import {
  applied,
  begun,
  failed,
  issuePolicy,
  notApplied,
  outcomeOf,
  recorded,
  recordedAt,
  rejected,
  transactionPolicy,
  unknown,
} from './testing/samples.js';

const at = recordedAt + 1_000;
/** An operator put an intent with an unknown outcome back: its history still knows. */
const resentAfterUnknown: readonly IntentEvent[] = [
  recorded,
  begun(1),
  { type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: null },
  { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' },
  { type: 'IntentReplayed', at, by: 'ops', reason: 'again', overtaken: 0 },
  begun(2),
];

function parked(
  reason: 'rejected' | 'exhausted' | 'unknown-outcome',
  lane: 'block' | 'continue' = 'continue',
): IntentEvent {
  return { type: 'IntentParked', at, reason, lane };
}

describe('an attempt that was applied', () => {
  it('delivers the intent', () => {
    given(recorded, begun(1)).when(outcomeOf(applied)).then({ type: 'AttemptApplied', at, attempt: 1 });
    expect(fold([recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }]).status).toBe('delivered');
  });

  it.each([
    ['without a begin', [recorded], 'not-begun'],
    ['of an attempt that is not open', [recorded, ...failed(1, true), begun(2)], 'other-attempt'],
    ['twice', [recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }], 'not-begun'],
    ['of nothing', [], 'not-begun'],
  ] as const)('is ignored %s', (_name, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when(outcomeOf(applied))
      .thenIgnored(reason);
  });
});

describe('an attempt whose outcome is unknown', () => {
  it.each([
    ['continue', transactionPolicy],
    ['block', issuePolicy],
  ] as const)('parks, and the lane does %s', (lane, policy) => {
    given(recorded, begun(1))
      .when(outcomeOf(unknown, { policy }))
      .then({ type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: null }, parked('unknown-outcome', lane));
  });

  it('parks as well when the worker was lost', () => {
    given(recorded, begun(1))
      .when({ type: 'RecordLostAttempt', at, policy: transactionPolicy, chance: 0 })
      .then({ type: 'AttemptUnknown', at, attempt: 1, code: 'worker-lost', checkAt: null }, parked('unknown-outcome'));
    given(recorded)
      .when({ type: 'RecordLostAttempt', at, policy: transactionPolicy, chance: 0 })
      .thenIgnored('not-begun');
  });
});

describe('a refusal', () => {
  it('of the content parks as rejected', () => {
    given(recorded, begun(1))
      .when(outcomeOf(rejected('refused')))
      .then({ type: 'AttemptRejected', at, attempt: 1, code: 'refused' }, parked('rejected'));
  });

  it('as duplicate on a first attempt is never applied: somebody else used the value', () => {
    given(recorded, begun(1))
      .when(outcomeOf(rejected('duplicate')))
      .then({ type: 'AttemptRejected', at, attempt: 1, code: 'duplicate' }, parked('rejected'));
  });

  it('as duplicate after attempts that were surely not applied is rejected, too', () => {
    given(recorded, ...failed(1, true), begun(2))
      .when(outcomeOf(rejected('duplicate'), { attempt: 2 }))
      .then({ type: 'AttemptRejected', at, attempt: 2, code: 'duplicate' }, parked('rejected'));
  });

  it('as duplicate of what an attempt in doubt sent is the proof that it was applied', () => {
    given(...resentAfterUnknown)
      .when(outcomeOf(rejected('duplicate'), { attempt: 2 }))
      .then(
        { type: 'AttemptRejected', at, attempt: 2, code: 'duplicate' },
        { type: 'VerifiedApplied', at, attempt: 1, evidence: 'duplicate-refusal' },
      );
  });

  it('as duplicate proves nothing once the content has been corrected', () => {
    const [first, second, third, fourth, ...rest] = resentAfterUnknown;
    const corrected: IntentEvent = { type: 'IntentCorrected', at, by: 'ops', reason: 'typo' };
    given(...([first, second, third, fourth, corrected, ...rest] as readonly IntentEvent[]))
      .when(outcomeOf(rejected('duplicate'), { attempt: 2 }))
      .then({ type: 'AttemptRejected', at, attempt: 2, code: 'duplicate' }, parked('rejected'));
  });

  it('of an issue as duplicate is looked up before anything is concluded', () => {
    given(recorded, begun(1))
      .when(outcomeOf(rejected('duplicate'), { policy: issuePolicy }))
      .then({ type: 'AttemptUnknown', at, attempt: 1, code: 'duplicate-refused', checkAt: at });
  });

  it('after an unknown attempt proves nothing about that attempt', () => {
    given(...resentAfterUnknown)
      .when(outcomeOf(rejected('refused'), { attempt: 2 }))
      .then({ type: 'AttemptRejected', at, attempt: 2, code: 'refused' }, parked('unknown-outcome'));
  });
});

describe('"no such pass"', () => {
  const outcome = rejected('no-such-pass');

  it('soon after the recording waits and looks again', () => {
    const retryAt = at + 3_000;
    given(recorded, begun(1))
      .when(outcomeOf(outcome))
      .then(
        { type: 'AttemptNotApplied', at, attempt: 1, code: 'no-such-pass', answered: false, retryAt },
        { type: 'PassAbsent', at },
        { type: 'WaitingBegan', at, for: 'pass', recheckAt: retryAt },
      );
  });

  it('is a refusal once the wait for the pass is over', () => {
    const late = recordedAt + transactionPolicy.missingPassWaitMs;
    given(recorded, begun(1))
      .when(outcomeOf(outcome, { at: late }))
      .then(
        { type: 'AttemptRejected', at: late, attempt: 1, code: 'no-such-pass' },
        { type: 'IntentParked', at: late, reason: 'rejected', lane: 'continue' },
      );
  });

  const denied = (attempt: number): readonly IntentEvent[] => [
    begun(attempt),
    { type: 'AttemptNotApplied', at, attempt, code: 'no-such-pass', answered: false, retryAt: at + 500 },
    { type: 'PassAbsent', at },
    { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 500 },
  ];
  const found: readonly IntentEvent[] = [
    { type: 'PassFound', at },
    { type: 'IntentReleased', at },
  ];
  const waitsAgain = (attempt: number): readonly IntentEvent[] => [
    expect.objectContaining({ type: 'AttemptNotApplied', attempt }) as IntentEvent,
    { type: 'PassAbsent', at },
    expect.objectContaining({ type: 'WaitingBegan', for: 'pass' }) as IntentEvent,
  ];

  it('regression: is about something else once a lookup has found the pass since: parked, not tried for a day', () => {
    given(recorded, ...denied(1), ...found, begun(2))
      .when(outcomeOf(outcome, { attempt: 2 }))
      .then({ type: 'AttemptRejected', at, attempt: 2, code: 'refused' }, parked('rejected'));
  });

  it('after an unknown attempt it proves nothing about that one either', () => {
    given(...resentAfterUnknown.slice(0, -1), ...denied(2), ...found, begun(3))
      .when(outcomeOf(outcome, { attempt: 3 }))
      .then({ type: 'AttemptRejected', at, attempt: 3, code: 'refused' }, parked('unknown-outcome'));
  });

  it('waits again where no lookup has found the pass since, or none does any more', () => {
    given(recorded, { type: 'PassFound', at }, ...denied(1), { type: 'IntentReleased', at }, begun(2))
      .when(outcomeOf(outcome, { attempt: 2 }))
      .then(...waitsAgain(2));
    const lost = { type: 'PassAbsent', at } as const;
    given(recorded, ...denied(1), ...found, lost, { type: 'IntentReleased', at }, begun(2))
      .when(outcomeOf(outcome, { attempt: 2 }))
      .then(...waitsAgain(2));
  });

  it('waits again after a person has put it back', () => {
    const parkedAt: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' };
    const replayed: IntentEvent = { type: 'IntentReplayed', at, by: 'ada', reason: 'mended', overtaken: 0 };
    given(recorded, ...denied(1), ...found, begun(2), parkedAt, replayed, begun(3))
      .when(outcomeOf(outcome, { attempt: 3 }))
      .then(...waitsAgain(3));
  });

  it('to an operation that makes the pass is a refusal', () => {
    given(recorded, begun(1))
      .when(outcomeOf(outcome, { policy: issuePolicy }))
      .then({ type: 'AttemptRejected', at, attempt: 1, code: 'no-such-pass' }, parked('rejected', 'block'));
  });
});

describe('an attempt that was not applied', () => {
  const again = (attempt: number, answered: boolean, retryAt: number): IntentEvent => {
    return { type: 'AttemptNotApplied', at, attempt, code: 'http-429', answered, retryAt };
  };

  it('is tried again after the delay', () => {
    given(recorded, begun(1))
      .when(outcomeOf(notApplied(true)))
      .then(again(1, true, at + 500));
  });

  it('waits as long as Retry-After says, up to the limit', () => {
    given(recorded, begun(1))
      .when(outcomeOf(notApplied(true, 7_000)))
      .then(again(1, true, at + 7_000));
    given(recorded, begun(1))
      .when(outcomeOf(notApplied(true, 10 * retryAfterMsMax), { policy: { ...transactionPolicy, retries: never } }))
      .then(again(1, true, at + retryAfterMsMax));
  });

  it('parks as exhausted at the last answered try', () => {
    given(recorded, ...failed(1, true), ...failed(2, true), begun(3))
      .when(outcomeOf(notApplied(true), { attempt: 3 }))
      .then(again(3, true, at + 500), parked('exhausted'));
  });

  it('never uses up tries without an answer', () => {
    const silent = Array.from({ length: 20 }, (_, index) => failed(index + 1, false)).flat();
    given(recorded, ...silent, begun(21))
      .when(outcomeOf(notApplied(false), { attempt: 21 }))
      .then(again(21, false, at + 500));
  });

  it('parks as exhausted when the next try would come too late', () => {
    const policy = { ...transactionPolicy, retries: { maxAttempts: 100, maxAgeMs: 1_499 } };
    given(recorded, begun(1))
      .when(outcomeOf(notApplied(true), { policy }))
      .then(again(1, true, at + 500), parked('exhausted'));
    const older = { ...transactionPolicy, retries: { maxAttempts: 100, maxAgeMs: 1_500 } };
    given(recorded, begun(1))
      .when(outcomeOf(notApplied(true), { policy: older }))
      .then(again(1, true, at + 500));
  });

  it.each([
    ['replayed', { type: 'IntentReplayed', by: 'ops', reason: 'mended', overtaken: 0 }],
    ['reissued', { type: 'IntentReissued', by: 'ops', reason: 'gone', overtaken: 0, job: 'r1' }],
    ['resolved as not delivered', { type: 'IntentResolved', by: 'ops', reason: 'seen', as: 'not-delivered' }],
  ] as const)('is tried again as long as a new one once it was %s, however old it is', (_what, word) => {
    const late = recordedAt + 10 * transactionPolicy.retries.maxAgeMs;
    const back = { ...word, at: late } as IntentEvent;
    const parkedBefore = word.type === 'IntentReissued' ? [] : [parked('rejected')];
    const history = [recorded, ...failed(1, true), ...parkedBefore, back, begun(2, late)];
    const delayMs = 500;
    const end = late + transactionPolicy.retries.maxAgeMs - delayMs;
    const silent = { type: 'AttemptNotApplied', attempt: 2, code: 'http-429', answered: true } as const;
    given(...history)
      .when(outcomeOf(notApplied(true), { at: end, attempt: 2 }))
      .then({ ...silent, at: end, retryAt: end + delayMs });
    given(...history)
      .when(outcomeOf(notApplied(true), { at: end + 1, attempt: 2 }))
      .then(
        { ...silent, at: end + 1, retryAt: end + 1 + delayMs },
        { type: 'IntentParked', at: end + 1, reason: 'exhausted', lane: 'continue' },
      );
  });

  it('is not older for having been put back by a clock that was set back', () => {
    const back = { type: 'IntentReplayed', at: 1, by: 'ops', reason: 'mended', overtaken: 0 } as const;
    given(recorded, ...failed(1, true), parked('rejected'), back, begun(2, 2))
      .when(outcomeOf(notApplied(true), { attempt: 2 }))
      .then(again(2, true, at + 500));
  });

  it('runs out as unknown-outcome, never as exhausted, once an attempt was unknown', () => {
    const policy = { ...transactionPolicy, retries: { maxAttempts: 1, maxAgeMs: 1 } };
    given(...resentAfterUnknown)
      .when(outcomeOf(notApplied(true), { attempt: 2, policy }))
      .then(again(2, true, at + 500), parked('unknown-outcome'));
  });
});

const never = { maxAttempts: Number.MAX_SAFE_INTEGER, maxAgeMs: Number.MAX_SAFE_INTEGER };
