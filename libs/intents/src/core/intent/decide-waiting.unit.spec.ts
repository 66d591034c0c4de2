import fc from 'fast-check';

import { retryDelayMsMax, retryDelayMsMin } from '../delivery/retry-delay.js';
import { passRecheckAt } from './decide-waiting.js';
import type { IntentCommand, PurchaseStatus } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import { given } from './testing/given.js';
import { begun, recorded, recordedAt, transactionPolicy } from './testing/samples.js';

const at = recordedAt + 1_000;
const deadline = recordedAt + transactionPolicy.missingPassWaitMs;
const awaitPass: IntentCommand = { type: 'AwaitPass', at, policy: transactionPolicy, chance: 0 };
const waiting: IntentEvent = { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 500 };
const parkedUnknown: readonly IntentEvent[] = [
  recorded,
  begun(1),
  { type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: null },
  { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' },
];

describe('AwaitPass', () => {
  it('begins to wait when the partner has no pass', () => {
    given(recorded)
      .when(awaitPass)
      .then({ type: 'PassAbsent', at }, { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + retryDelayMsMin });
  });

  it('is no event while it goes on waiting', () => {
    given(recorded, waiting).when(awaitPass).thenIgnored('still-waiting');
  });

  it('parks what still waits at the deadline', () => {
    given(recorded, waiting)
      .when({ ...awaitPass, at: deadline })
      .then(
        { type: 'PassAbsent', at: deadline },
        { type: 'IntentParked', at: deadline, reason: 'missing-pass', lane: 'continue' },
      );
  });

  it.each([
    ['not-a-member', 'update-via-workflow', true],
    ['missing-pass', 'update-via-workflow', false],
    ['not-a-member', 'schedule-update', true],
    ['missing-pass', 'transaction', true],
  ] as const)('parks as %s what is a %s, of a member who never enrolled: %s', (reason, operation, neverEnrolled) => {
    const policy = { ...transactionPolicy, operation };
    given(recorded, waiting)
      .when({ ...awaitPass, at: deadline, neverEnrolled, policy })
      .then({ type: 'PassAbsent', at: deadline }, { type: 'IntentParked', at: deadline, reason, lane: 'continue' });
  });

  it('regression: a first look after the deadline (a long outage) begins to wait, so that an enrolment in the queue goes ahead', () => {
    const late = deadline + 60_000;
    given(recorded)
      .when({ ...awaitPass, at: late })
      .then(
        { type: 'PassAbsent', at: late },
        { type: 'WaitingBegan', at: late, for: 'pass', recheckAt: late + retryDelayMsMin },
      );
  });

  it('parks as unknown-outcome at the deadline once an attempt was unknown: it may have been applied', () => {
    given(...parkedUnknown, { type: 'IntentReplayed', at, by: 'ops', reason: 'again', overtaken: 0 }, waiting)
      .when({ ...awaitPass, at: deadline })
      .then(
        { type: 'PassAbsent', at: deadline },
        { type: 'IntentParked', at: deadline, reason: 'unknown-outcome', lane: 'continue' },
      );
  });

  it.each([
    ['nothing', [], 'not-recorded'],
    ['an open attempt', [recorded, begun(1)], 'in-flight'],
    ['a parked intent', parkedUnknown, 'already-settled'],
  ] as const)('leaves %s alone', (_name, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when({ ...awaitPass, at: deadline })
      .thenIgnored(reason);
  });
});

describe('ReleaseIntent', () => {
  it('ends the waiting, and nothing else', () => {
    given(recorded, waiting).when({ type: 'ReleaseIntent', at }).then({ type: 'IntentReleased', at });
    given(recorded).when({ type: 'ReleaseIntent', at }).thenIgnored('not-waiting');
    given(recorded, begun(1)).when({ type: 'ReleaseIntent', at }).thenIgnored('not-waiting');
  });
});

describe('passRecheckAt', () => {
  it('never looks after the deadline, never at once, and rarer the longer it waits', () => {
    const input = fc.record({
      waitedMs: fc.integer({ min: 0, max: 86_400_000 }),
      leftMs: fc.integer({ min: 1, max: 86_400_000 }),
      chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(input, ({ waitedMs, leftMs, chance }) => {
        const delayMs =
          passRecheckAt({ waitingSince: at, at: at + waitedMs, deadline: at + waitedMs + leftMs, chance }) -
          at -
          waitedMs;
        expect(delayMs).toBeGreaterThanOrEqual(Math.min(leftMs, retryDelayMsMin));
        expect(delayMs).toBeLessThanOrEqual(Math.min(leftMs, retryDelayMsMax, Math.max(1_500, waitedMs * 1.5)));
      }),
    );
  });
});

describe('a refund behind its purchase', () => {
  const at = recordedAt + 10;
  const awaits = (purchase: PurchaseStatus, now = at, policy = transactionPolicy): IntentCommand => {
    return { type: 'AwaitPurchase', at: now, purchase, policy, chance: 0 };
  };
  const waitsForPurchase: IntentEvent = { type: 'WaitingBegan', at, for: 'purchase', recheckAt: at + 500 };

  it('waits while the purchase is open, and is told once', () => {
    given(recorded).when(awaits('open')).then(waitsForPurchase);
    given(recorded, waitsForPurchase)
      .when(awaits('open', at + 500))
      .thenIgnored('still-waiting');
  });

  it('waits longer for a purchase that is known than for one that nobody knows', () => {
    const late = recordedAt + transactionPolicy.missingPurchaseWaitMs;
    given(recorded, waitsForPurchase).when(awaits('open', late)).thenIgnored('still-waiting');
    given(recorded)
      .when(awaits('unknown', late - 200))
      .then({ type: 'WaitingBegan', at: late - 200, for: 'purchase', recheckAt: late });
  });

  it('goes on when the purchase is delivered', () => {
    given(recorded, waitsForPurchase).when(awaits('delivered')).then({ type: 'IntentReleased', at });
    given(recorded).when(awaits('delivered')).thenIgnored('not-waiting');
  });

  it.each([
    ['the purchase was cancelled', 'gone', at],
    ['the wait is over', 'open', recordedAt + transactionPolicy.missingPassWaitMs],
    ['nobody has told of the purchase for so long', 'unknown', recordedAt + transactionPolicy.missingPurchaseWaitMs],
  ] as const)('parks when %s', (_name, purchase, now) => {
    given(recorded, waitsForPurchase)
      .when(awaits(purchase, now))
      .then({ type: 'IntentParked', at: now, reason: 'missing-purchase', lane: 'continue' });
  });

  it('parks at once behind what is parked, names it, and never holds the lane', () => {
    const place = { laneId: 7, seq: 3 };
    given(recorded, waitsForPurchase)
      .when({ ...awaits('parked', at, { ...transactionPolicy, onPark: 'block' }), place } as IntentCommand)
      .then({ type: 'IntentParked', at, reason: 'missing-purchase', lane: 'continue', awaits: place });
  });

  it('parks at once, and never holds the lane, where the purchase came later', () => {
    given(recorded, waitsForPurchase)
      .when(awaits('behind', at, { ...transactionPolicy, onPark: 'block' }))
      .then({ type: 'IntentParked', at, reason: 'missing-purchase', lane: 'continue' });
  });
});
