import type { PurchaseStatus } from '../intent/intent-command.js';
import type { IntentState } from '../intent/intent-state.js';
import type { IntentEvent } from '../intent/intent-event.js';
import { fold } from '../intent/testing/given.js';
import { begun, failed, lost, recorded, recordedAt } from '../intent/testing/samples.js';
import type { Operation } from '../operation.js';
import type { PartnerCommand } from '../owed/partner-command.js';
import type { Sending } from './next-step.js';
import { stepAside } from './next-step.js';
import { commandOf, given, now, owed, shown } from './testing/given.js';

const startedAt = now - 500;
const forgottenBefore = { forgottenBefore: startedAt } as const;

function forgotten(operation: Operation, change: Parameters<typeof owed>[1] = {}): Sending {
  return owed(operation, { ...change, intent: { ...forgottenBefore, ...change.intent } });
}

describe('an intent that a lost history may have sent', () => {
  it('parks as a reward without a question, with the reason as evidence', () => {
    const { step } = given(forgotten('reward')).thenRecords('AttemptBegun', 'AttemptUnknown', 'IntentParked');
    expect(step).toHaveProperty('evidence', expect.stringContaining(`"forgottenBefore":${startedAt}`));
  });

  it('is looked up as an enrolment before anything else', () => {
    const issue = given(forgotten('issue', { known: { pass: 'unknown' } }));
    issue.thenRecords('AttemptBegun', 'AttemptUnknown').thenMoves({ kind: 'doubt', dueAt: now });
  });

  it('finds the pass of a purchase first, where none is known', () => {
    given(forgotten('transaction', { known: { pass: 'unknown' } }))
      .whenShown(shown('found'))
      .thenRecords('PassFound');
  });

  const waiting = (status: PurchaseStatus): Sending =>
    forgotten('reward', { intent: { waitsFor: { place: null, status }, takesBack: true } });

  it.each(['behind', 'gone'] as const)(
    'regression: is in doubt, neither missing nor cancelled, where its purchase is %s',
    (status) => {
      given(waiting(status)).then({
        kind: 'record',
        events: [
          { type: 'AttemptBegun' },
          { type: 'AttemptUnknown', code: 'forgotten' },
          { type: 'IntentParked', reason: 'unknown-outcome', lane: 'continue' },
        ],
      });
    },
  );

  it('regression: waits for its purchase as ever, and nothing is in doubt before', () => {
    given(waiting('open')).thenRecords('WaitingBegan');
  });

  const takenIntoAccount = (at: number): Sending => {
    const known = owed('transaction');
    const state = { ...known.state, attempts: 1, forgottenAt: at } as IntentState;
    return { ...known, state, intent: { ...known.intent, forgottenBefore: startedAt } };
  };

  it('is sent once that has been taken into account', () => {
    given(takenIntoAccount(now)).then({ kind: 'begin', attempt: 2 });
  });

  it('is in doubt again after a later recovery', () => {
    given(takenIntoAccount(startedAt - 1)).thenRecords('AttemptBegun', 'AttemptUnknown', 'IntentParked');
  });
});

describe('an attempt whose worker was lost', () => {
  it.each([
    ['begun before the restored moment', startedAt - 1, 'forgotten'],
    ['begun since', startedAt, 'worker-lost'],
    ['begun at a time that is not known', null, 'forgotten'],
  ])('is in doubt: %s', (_when, openSince, code) => {
    const open = { attemptOpen: true, openSince, since: [begun(1, openSince ?? recordedAt)] };
    const events = [
      { type: 'AttemptUnknown', attempt: 1, code },
      { type: 'IntentParked', reason: 'unknown-outcome' },
    ];
    given(forgotten('reward', open)).then({ kind: 'record-lost', events });
  });

  it('holds nothing up where the intent was erased meanwhile', () => {
    const open = { attemptOpen: true, openSince: now, since: [begun(1)] };
    const erased = owed('transaction', { ...open, intent: { command: null }, policy: { onPark: 'block' } });
    given(erased).thenMoves({ kind: 'settle' });
  });

  it('is an operator’s where the history does not show it', () => {
    const events = [{ type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' }];
    given(owed('transaction', { attemptOpen: true, openSince: now })).then({ kind: 'record-lost', events });
  });

  it('is stepped over where its intent is settled', () => {
    const applied = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
    given(owed('transaction', { attemptOpen: true, since: [begun(1), applied] })).then({ kind: 'step-over' });
  });
});

describe('an intent without a command', () => {
  it('ends without a call: what was erased, and what an operator must look at', () => {
    const ended = (reason: string) =>
      ({ kind: 'record', events: [{ type: 'IntentParked', reason, lane: 'continue' }] }) as const;
    given(owed('reward', { intent: { command: null } })).then(ended('erased'));
    given(owed('reward', { intent: { command: null, makesNoCall: true } })).then(ended('unroutable'));
  });

  it('waits for its purchase first, unless an operator must look at that, too', () => {
    const behind = (status: PurchaseStatus): Sending =>
      owed('reward', { intent: { command: null, makesNoCall: true, waitsFor: { place: null, status } } });
    given(behind('open')).thenRecords('WaitingBegan');
    given(behind('parked')).thenRecords('IntentParked');
  });
});

describe('a refund', () => {
  const place = { laneId: 1, seq: 1 };
  const applied = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
  const cancelled = { type: 'IntentCancelled', at: now, by: 'ada', reason: 'x' } as const;
  const parked = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' } as const;

  function refund(status: PurchaseStatus, purchase: IntentState = { status: 'absent' }): Sending {
    return owed('transaction', { intent: { waitsFor: { place, status } }, purchase });
  }

  it('waits while its purchase is open, and is sent once that is delivered', () => {
    given(refund('open'))
      .thenRecords('WaitingBegan')
      .thenMoves({ kind: 'await' })
      .thenNext({ kind: 'come-back', as: 'await' });
    given(refund('delivered')).then({ kind: 'begin', attempt: 1 });
  });

  it('goes by what became of its purchase under this lease', () => {
    given(refund('open', fold([recorded, begun(1), applied]))).then({ kind: 'begin' });
    given(refund('open', fold([recorded, parked]))).then({
      kind: 'record',
      events: [{ ...parked, reason: 'missing-purchase' }],
    });
    given(refund('open', fold([recorded, cancelled]))).then({
      kind: 'record',
      events: [{ reason: 'missing-purchase' }],
    });
    given(refund('unknown', fold([recorded]))).thenRecords('WaitingBegan');
  });
});

describe('what is held narrowly', () => {
  const hold = { heldBy: 'store:s1', heldUntil: 9 } as const;
  const parked = { type: 'IntentParked', at: now, reason: 'held', lane: 'continue' } as const;
  const waiting = { type: 'WaitingBegan', at: now - 9, for: 'pass', recheckAt: now } as const;

  it.each([
    ['a sale', owed('transaction')],
    ['a reward', owed('reward')],
    ['what the partner has refused for everybody', owed('reward', { since: failed(1, false) })],
    ['what waited for its pass', owed('transaction', { since: [waiting] })],
  ])('lets the others pass: %s', (_what, sending) => {
    expect(stepAside(sending, hold)).toEqual({ kind: 'record', events: [{ ...parked, ...hold }], evidence: null });
  });

  it.each([
    ['an enrolment', owed('issue', { policy: { onPark: 'continue' } })],
    ['an update', owed('update-via-workflow')],
    ['what onPark: block is said of', owed('reward', { policy: { onPark: 'block' } })],
    ['what is in doubt', owed('reward', { since: lost(1) })],
    ['what a lost history may have sent', forgotten('reward')],
    ['what a lost answer may have done, and is to be sent again', owed('transaction', { since: resent() })],
  ])('is passed by nothing: %s', (_what, sending) => {
    expect(stepAside(sending, hold)).toBeNull();
  });
});

/** An attempt in doubt, of whose value the partner takes one only. */
function resent(): IntentEvent[] {
  return [...lost(1), { type: 'ResendDecided', at: now, attempt: 1, basis: 'unique-attribute' }];
}

describe('what goes after a sale that stepped aside', () => {
  const place = { laneId: 1, seq: 1 };
  const held = fold([recorded, { type: 'IntentParked', at: now, reason: 'held', lane: 'continue' }]);
  const parked = { type: 'IntentParked', at: now, reason: 'held', lane: 'continue', awaits: place } as const;
  const aside = { kind: 'record', events: [parked] } as const;

  it('steps aside behind it: its refund, and the reward that names it', () => {
    const waitsFor = { place, status: 'held' } as const;
    given(owed('transaction', { intent: { waitsFor } })).then(aside);
    given(owed('reward', { intent: { waitsFor, isGrant: true } })).then(aside);
    const open = { place, status: 'open' } as const;
    given(owed('transaction', { intent: { waitsFor: open }, purchase: held })).then(aside);
  });

  it('is a reward that spends points, and no other one', () => {
    const grant = { heldSale: place, intent: { isGrant: true } } as const;
    given(owed('reward', { ...grant, policy: { spendsPoints: true } })).then(aside);
    given(owed('reward', { ...grant, policy: { spendsPoints: false } })).then({ kind: 'begin' });
    given(owed('reward', { ...grant, heldSale: null, policy: { spendsPoints: true } })).then({ kind: 'begin' });
  });

  it('holds its lane where it cannot step aside: it goes after that sale all the same', () => {
    const grant = owed('reward', { heldSale: place, since: resent(), policy: { spendsPoints: true } });
    given(grant).then({ kind: 'come-back', as: 'retry' });
  });
});

describe('a purchase or reward of which the partner wants its own name for the pass', () => {
  const naming = { transaction: 'serialNumber', reward: 'passId' } as const;

  it('is sent where the name is known, else the partner is asked once', () => {
    given(owed('transaction', { naming, known: { named: { serialNumber: 'S-1' } } })).then({ kind: 'begin' });
    const asked = given(owed('reward', { naming, known: { named: { serialNumber: 'S-1' } } }));
    asked.then({ kind: 'look-up', purpose: 'name', confirmsAbsence: false });
    asked.whenShown(shown('found')).then({ kind: 'learned' }).thenNext({ kind: 'begin' });
  });
});

describe('an attempt in doubt', () => {
  const since = lost(1);

  it.each([
    ['looks the pass up', 'look-up', { kind: 'look-up', purpose: 'resolve', confirmsAbsence: false }],
    ['waits before it is sent again', 'resend', { kind: 'come-back', as: 'retry' }],
    ['parks', 'park', { kind: 'record', events: [{ type: 'IntentParked', reason: 'unknown-outcome' }] }],
  ] as const)('%s, as the policy says', (_what, resolution, step) => {
    given(owed('issue', { since, policy: { resolution } })).then(step);
  });

  it('is sent again after inFlightMs: the decision is recorded with the begin', () => {
    const resent = owed('issue', { since, policy: { resolution: 'resend', inFlightMs: 0 } });
    given(resent).then({
      kind: 'begin',
      attempt: 2,
      preceding: [{ type: 'ResendDecided', attempt: 1, basis: 'policy' }],
    });
  });
});

describe('a reward that is good until a certain time', () => {
  const command = (validUntil: number): PartnerCommand => {
    return { ...commandOf('reward'), validUntil: new Date(validUntil).toISOString() } as PartnerCommand;
  };
  const until = (validUntil: number, change: Parameters<typeof owed>[1] = {}): Sending =>
    owed('reward', { ...change, intent: { command: command(validUntil), ...change.intent } });
  const expired = {
    kind: 'record',
    events: [{ type: 'IntentParked', at: now, reason: 'expired', lane: 'continue' }],
  } as const;

  it('is sent before, and parks from then on, without another question', () => {
    given(until(now + 1)).then({ kind: 'begin', attempt: 1 });
    given(until(now)).then(expired);
    given(until(now, { known: { pass: 'unknown' } })).then(expired);
    given(until(now - 1, { since: failed(1, true) })).then(expired);
  });

  it('waits no longer for its pass', () => {
    const waiting = { type: 'WaitingBegan', at: now - 9, for: 'pass', recheckAt: now } as const;
    given(until(now, { since: [waiting] })).thenRecords('IntentReleased', 'IntentParked');
  });

  it('stays in doubt where an attempt or a lost history may have given it', () => {
    const doubt = { kind: 'record', events: [{ type: 'IntentParked', reason: 'unknown-outcome' }] } as const;
    const resend = { policy: { resolution: 'resend', inFlightMs: 0 } } as const;
    given(until(now, { since: lost(1), ...resend })).then(doubt);
    const decided = { type: 'ResendDecided', at: now, attempt: 1, basis: 'policy' } as const;
    given(until(now, { since: [...lost(1), decided, ...failed(2, true)], ...resend })).then(doubt);
    given(until(now, { intent: forgottenBefore })).thenRecords('AttemptBegun', 'AttemptUnknown', 'IntentParked');
    given(until(now, { since: lost(1), policy: { resolution: 'resend' } })).then({ kind: 'come-back' });
  });

  it('is delivered where a late answer says so, and cancelled where it was revoked', () => {
    const late = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'http-200' } as const;
    given(until(now, { since: [...failed(1, true), late] })).thenRecords('VerifiedApplied');
  });
});

describe('what was planned anew', () => {
  const anew = { plannedAnew: '{"command":{}}' } as const;
  const planned = { type: 'IntentCorrected', at: now, by: 'loyaltyd', reason: 'programs-file' } as const;

  it('is recorded in the moment in which it is sent first', () => {
    given(owed('transaction', { intent: anew })).then({
      ...{ kind: 'begin', preceding: [planned], evidence: anew.plannedAnew },
    });
    const waiting = { type: 'WaitingBegan', at: now - 9, for: 'pass', recheckAt: now } as const;
    given(owed('transaction', { intent: anew, since: [waiting] })).then({
      ...{ kind: 'begin', preceding: [planned, { type: 'IntentReleased' }], evidence: anew.plannedAnew },
    });
  });

  it('is not recorded of what may have taken effect, nor where nothing was', () => {
    const resend = { policy: { resolution: 'resend', inFlightMs: 0 } } as const;
    const again = { kind: 'begin', preceding: [{ type: 'ResendDecided' }], evidence: null } as const;
    given(owed('reward', { intent: anew, since: lost(1), ...resend })).then(again);
    given(owed('transaction')).then({ kind: 'begin', preceding: [], evidence: null });
  });
});
