import { decide } from './decide.js';
import { evolve } from './evolve.js';
import type { IntentEvent } from './intent-event.js';
import { initialIntentState, isSettled } from './intent-state.js';
import type { IntentState } from './intent-state.js';
import { fold } from './testing/given.js';
import { begun, failed, outcomeOf, recorded, recordedAt, rejected } from './testing/samples.js';

const at = recordedAt + 5_000;
const unknownAndParked: readonly IntentEvent[] = [
  recorded,
  begun(1),
  { type: 'AttemptUnknown', at, attempt: 1, code: 'reset', checkAt: null },
  { type: 'IntentParked', at, reason: 'unknown-outcome', lane: 'continue' },
];

describe('evolve', () => {
  it('refuses a history without a recording', () => {
    expect(() => evolve(initialIntentState, begun(1))).toThrow('recorded first');
  });

  it('counts only answered tries against the retries', () => {
    expect(fold([recorded, ...failed(1, true), ...failed(2, false), ...failed(3, true)])).toMatchObject({
      status: 'pending',
      attempts: 3,
      answeredTries: 2,
      hadUnknown: false,
    });
  });

  it('begins the tries anew after a replay, but never forgets an unknown', () => {
    const replayed: IntentEvent = { type: 'IntentReplayed', at, by: 'ops', reason: 'again', overtaken: 2 };
    const state = fold([recorded, ...failed(1, true), ...unknownAndParked.slice(1), replayed]);
    expect(state).toMatchObject({ status: 'pending', answeredTries: 0, hadUnknown: true, lastDelayMs: 0 });
  });

  it.each([
    [{ type: 'IntentResolved', at, by: 'ops', reason: 'seen', as: 'delivered' }, 'delivered'],
    [{ type: 'IntentResolved', at, by: 'ops', reason: 'seen', as: 'not-delivered' }, 'pending'],
    [{ type: 'VerifiedApplied', at, attempt: 1, evidence: '' }, 'delivered'],
    [{ type: 'VerifiedAbsent', at, attempt: 1, evidence: '' }, 'pending'],
    [{ type: 'LateOutcome', at, attempt: 1, outcome: 'applied', code: 'applied' }, 'parked'],
    [{ type: 'IntentCorrected', at, by: 'ops', reason: 'typo' }, 'parked'],
    [{ type: 'PassFound', at }, 'parked'],
    [{ type: 'PassAbsent', at }, 'parked'],
  ] as const)('folds %j after an unknown outcome into %s', (event, status) => {
    expect(fold([...unknownAndParked, event]).status).toBe(status);
  });

  it('waits longer each time the partner shows a pass and then denies it', () => {
    let state: IntentState = fold([recorded]);
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      state = evolve(state, begun(attempt, at));
      const decision = decide(state, outcomeOf(rejected('no-such-pass'), { at, attempt, chance: 0.999 }));
      const events = decision.kind === 'events' ? decision.events : [];
      state = [...events, { type: 'IntentReleased', at } as const].reduce(evolve, state);
      delays.push(...events.flatMap((event) => (event.type === 'WaitingBegan' ? [event.recheckAt - at] : [])));
    }
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays[3]).toBeGreaterThan(20 * (delays[0] ?? 0));
  });
});

describe('isSettled', () => {
  it('holds for what is delivered, cancelled or parked', () => {
    expect(isSettled(fold(unknownAndParked))).toBe(true);
    expect(isSettled(fold([recorded, { type: 'IntentCancelled', at, by: 'ops', reason: 'voided' }]))).toBe(true);
    expect(isSettled(fold([recorded, begun(1), { type: 'AttemptApplied', at, attempt: 1 }]))).toBe(true);
    expect(isSettled(fold([recorded]))).toBe(false);
    expect(isSettled(fold([recorded, begun(1)]))).toBe(false);
    expect(isSettled(initialIntentState)).toBe(false);
  });
});
