import { evolve } from './evolve.js';
import type { IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import { initialIntentState } from './intent-state.js';
import { given } from './testing/given.js';
import { begun, failed, lost, recorded, recordedAt } from './testing/samples.js';

const at = recordedAt + 5_000;
const said = { at, by: 'ada', reason: 'the cause is mended' } as const;
const replay: IntentCommand = { type: 'ReplayIntent', ...said, overtaken: 2 };
const resolve: IntentCommand = { type: 'ResolveIntent', ...said, as: 'not-delivered' };
const correct: IntentCommand = { type: 'CorrectIntent', ...said };

const parked: IntentEvent = { type: 'IntentParked', at, reason: 'rejected', lane: 'continue' };
const inDoubt: IntentEvent = { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' };
const rejected: readonly IntentEvent[] = [
  recorded,
  begun(1),
  { type: 'AttemptRejected', at, attempt: 1, code: 'refused' },
  parked,
];
const resolved: IntentEvent = { type: 'IntentResolved', ...said, as: 'not-delivered' };
const waiting: IntentEvent = { type: 'WaitingBegan', at, for: 'pass', recheckAt: at + 1 };

const untouchable: readonly (readonly [string, readonly IntentEvent[], string])[] = [
  ['nothing', [], 'not-recorded'],
  ['an open attempt', [recorded, begun(1)], 'in-flight'],
  ['an attempt that is looked after', [recorded, ...lost(1)], 'in-flight'],
  ['what is delivered', [recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }], 'already-settled'],
  ['what is cancelled', [recorded, { type: 'IntentCancelled', ...said }], 'already-settled'],
  ['what is erased', [recorded, { type: 'IntentParked', at, reason: 'erased', lane: 'continue' }], 'erased'],
];

describe.each([
  ['ReplayIntent', replay],
  ['ResolveIntent', resolve],
  ['CorrectIntent', correct],
] as const)('%s', (_type, command) => {
  it.each(untouchable)('does not touch %s', (_what, events, reason) => {
    given(...events)
      .when(command)
      .thenIgnored(reason as 'not-recorded');
  });
});

describe('ReplayIntent', () => {
  it('puts a parked intent back, and tells what has overtaken it', () => {
    given(...rejected)
      .when(replay)
      .then({ type: 'IntentReplayed', ...said, overtaken: 2 });
  });

  it('sends nothing again that may have taken effect before a person has said that it did not', () => {
    given(recorded, ...lost(1), inDoubt)
      .when(replay)
      .thenIgnored('in-doubt');
  });

  it.each([
    ['pending', [recorded, ...failed(1, true)]],
    ['pending by a person', [recorded, ...lost(1), inDoubt, resolved]],
    ['waiting', [recorded, waiting]],
  ] as const)('has nothing to put back of what is %s', (_status, events) => {
    given(...(events as readonly IntentEvent[]))
      .when(replay)
      .thenIgnored('not-parked');
  });
});

describe('ResolveIntent', () => {
  it.each(['delivered', 'not-delivered'] as const)('takes a person at their word: %s', (as) => {
    given(recorded, ...lost(1), inDoubt)
      .when({ type: 'ResolveIntent', ...said, as })
      .then({ type: 'IntentResolved', ...said, as });
  });

  it('is not for what nothing has come of yet', () => {
    given(recorded).when(resolve).thenIgnored('not-parked');
  });
});

describe('CorrectIntent', () => {
  it.each([
    ['pending', [recorded, ...failed(1, true)]],
    ['waiting', [recorded, waiting]],
    ['parked', rejected],
  ] as const)('gives another content to what is %s', (_status, events) => {
    given(...(events as readonly IntentEvent[]))
      .when(correct)
      .then({ type: 'IntentCorrected', ...said });
  });

  it('leaves alone what is in doubt', () => {
    given(recorded, ...lost(1), inDoubt)
      .when(correct)
      .thenIgnored('in-doubt');
  });

  it('regression: leaves alone what was applied, as its worker told late', () => {
    given(...rejected, { type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' })
      .when(correct)
      .thenIgnored('in-doubt');
  });
});

describe('ReissueIntent', () => {
  const reissue: IntentCommand = { type: 'ReissueIntent', ...said, overtaken: 3, job: 'r1' };
  const delivered: readonly IntentEvent[] = [
    recorded,
    ...lost(1),
    { type: 'VerifiedApplied', at, attempt: 1, evidence: 'pass-found' },
  ];

  it('opens what was delivered again, without a doubt left, yielding to live traffic', () => {
    const event = { type: 'IntentReissued', ...said, overtaken: 3, job: 'r1' } as const;
    given(...delivered)
      .when(reissue)
      .then(event);
    const state = [...delivered, event].reduce(evolve, initialIntentState);
    expect(state).toMatchObject({ status: 'pending', doubts: [], attempts: 1, isReplay: true, unknownTries: 0 });
  });

  it.each([
    ['nothing', [], 'not-recorded'],
    ['what is pending', [recorded], 'not-delivered'],
    ['an open attempt', [recorded, begun(1)], 'not-delivered'],
    ['what is parked', rejected, 'not-delivered'],
    [
      'what was opened again already',
      [...delivered, { type: 'IntentReissued', ...said, overtaken: 0, job: 'r0' }],
      'not-delivered',
    ],
  ] as const)('does not touch %s', (_what, events, reason) => {
    given(...(events as readonly IntentEvent[]))
      .when(reissue)
      .thenIgnored(reason);
  });
});
