import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import { begun, failed, recorded, recordedAt } from './testing/samples.js';
import { given } from './testing/given.js';

const at = recordedAt + 5_000;
const parked: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' };
const waiting: IntentEvent = { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 1 };
const cancelled: IntentEvent = { type: 'IntentCancelled', at, by: 'ops', reason: 'voided' };
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
  ] as const)('does not cancel %s', (_name, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when(command)
      .thenIgnored(reason);
  });
});

describe('RecordLateOutcome', () => {
  const command: IntentCommand = { type: 'RecordLateOutcome', at, attempt: 1, outcome: { kind: 'applied' } };

  it('is kept as knowledge, whatever the intent has become', () => {
    const late: IntentEvent = { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' };
    given(recorded, begun(1), parked).when(command).then(late);
    given(...delivered)
      .when(command)
      .then(late);
  });

  it('names the code of what was not applied', () => {
    given(recorded, begun(1), parked)
      .when({ ...command, outcome: { kind: 'unknown', code: 'reset', retryAfterMs: null } })
      .then({ type: 'LateOutcome', at, attempt: 1, outcome: 'unknown', code: 'reset' });
  });

  it('needs an intent', () => {
    given().when(command).thenIgnored('not-recorded');
  });
});
