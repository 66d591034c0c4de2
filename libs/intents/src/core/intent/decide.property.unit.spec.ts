import fc from 'fast-check';

import type { AttemptOutcome } from '../delivery/classify-outcome.js';
import { OPERATIONS } from '../operation.js';
import type { DeliveryPolicy } from '../resolution/resolution.js';
import { decide } from './decide.js';
import { evolve } from './evolve.js';
import type { Finding, IntentCommand } from './intent-command.js';
import type { IntentEvent } from './intent-event.js';
import type { IntentState } from './intent-state.js';
import { initialIntentState, isUntouched } from './intent-state.js';

/** One turn of an intent's life: a command, or what an operator may do to a parked intent. */
type Turn = (state: IntentState, at: number) => IntentCommand | IntentEvent;

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policy: fc.Arbitrary<DeliveryPolicy> = fc.record({
  retries: fc.record({ maxAttempts: fc.integer({ min: 1, max: 4 }), maxAgeMs: fc.integer({ min: 1, max: 100_000 }) }),
  missingPassWaitMs: fc.integer({ min: 0, max: 50_000 }),
  missingPurchaseWaitMs: fc.integer({ min: 0, max: 50_000 }),
  postsUnknownRefunds: fc.boolean(),
  spendsPoints: fc.boolean(),
  inFlightMs: fc.integer({ min: 0, max: 30_000 }),
  onPark: fc.constantFrom('block', 'continue'),
  resolution: fc.constantFrom('look-up', 'resend-unique', 'resend', 'probe-points', 'probe-content', 'park'),
  pointsDelta: fc.constantFrom(null, -10),
  operation: fc.constantFrom(...OPERATIONS),
});
const retryAfterMs = fc.option(fc.integer({ min: 0, max: 10_000 }));
const outcome: fc.Arbitrary<AttemptOutcome> = fc.oneof(
  fc.constant({ kind: 'applied' } as const),
  fc.record({
    kind: fc.constant('rejected' as const),
    code: fc.constantFrom('duplicate', 'no-such-pass', 'refused'),
    message: fc.string(),
  }),
  fc.record({
    kind: fc.constant('not-applied' as const),
    code: fc.constant('http-429'),
    answered: fc.boolean(),
    systemic: fc.boolean(),
    retryAfterMs,
  }),
  fc.record({ kind: fc.constant('unknown' as const), code: fc.constant('reset'), retryAfterMs }),
);

const cause = { topic: 't', partition: 0, offset: 1 };

/** Mostly the attempt that is open, sometimes another one. */
const attemptOf = (state: IntentState, skew: number): number => (state.status === 'absent' ? 0 : state.attempts) + skew;
const skewed = fc.constantFrom(0, 0, 0, 0, -1, 1);

const finding: fc.Arbitrary<Finding> = fc.oneof(
  fc.constantFrom<Finding[]>(
    { kind: 'pass-found' },
    { kind: 'pass-absent' },
    { kind: 'as-wanted' },
    { kind: 'inconclusive' },
  ),
  fc.record({ kind: fc.constant('points' as const), points: fc.constantFrom(0, 10) }),
);

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.constant<Turn>((_state, at) => ({ type: 'BeginAttempt', at })),
  fc.constant<Turn>((_state, at) => ({ type: 'BeginAttempt', at })),
  fc.constant<Turn>((_state, at) => ({ type: 'ReleaseIntent', at })),
  fc.integer({ min: 0, max: 3 }).map<Turn>((dice) => (state, at) => {
    const isUnderWay = state.status === 'delivering' || state.status === 'unknown';
    const said = { at, by: 'ops', reason: 'voided' };
    if (isUnderWay && dice === 0) return { type: 'RequestCancel', ...said, cause };
    return { type: 'CancelIntent', ...said, isNotDelivered: dice === 1 };
  }),
  fc.constantFrom<('unroutable' | 'merged' | null)[]>(null, 'unroutable').map<Turn>((parkedAs) => (_state, at) => {
    return { type: 'RecordIntent', at, parkedAs };
  }),
  fc.tuple(policy, chance).map<Turn>(([rules, luck]) => (_state, at) => {
    return { type: 'RecordLostAttempt', at, policy: rules, chance: luck };
  }),
  fc.tuple(policy, fc.integer({ min: 0, max: 20_000 })).map<Turn>(([rules, agoMs]) => (_state, at) => {
    return { type: 'RecordForgotten', at, endedBy: at - agoMs, policy: rules };
  }),
  fc.tuple(policy, chance).map<Turn>(([rules, luck]) => (_state, at) => {
    return { type: 'ResolveUnknown', at, policy: rules, chance: luck };
  }),
  fc.tuple(finding, policy, chance).map<Turn>(([seen, rules, luck]) => (_state, at) => {
    return { type: 'RecordFinding', at, finding: seen, policy: rules, chance: luck };
  }),
  fc.tuple(fc.constantFrom('open', 'delivered', 'gone'), policy, chance).map<Turn>(([purchase, rules, luck]) => {
    return (_state, at) => ({ type: 'AwaitPurchase', at, purchase, policy: rules, chance: luck });
  }),
  fc.tuple(policy, chance).map<Turn>(([rules, luck]) => (_state, at) => {
    return { type: 'AwaitPass', at, policy: rules, chance: luck };
  }),
  ...[0, 1].map(() =>
    fc.tuple(outcome, policy, chance, skewed).map<Turn>(([seen, rules, luck, skew]) => (state, at) => {
      return { type: 'RecordOutcome', at, attempt: attemptOf(state, skew), outcome: seen, policy: rules, chance: luck };
    }),
  ),
  fc.tuple(outcome, skewed).map<Turn>(([seen, skew]) => (state, at) => {
    return {
      type: 'RecordLateOutcome',
      at,
      attempt: attemptOf(state, skew),
      outcome: { kind: seen.kind, code: 'late' },
    };
  }),
  fc.constant<Turn>((_state, at) => ({ type: 'IntentReplayed', at, by: 'ops', reason: 'again', overtaken: 0 })),
  fc.constantFrom('delivered', 'not-delivered').map<Turn>((as) => (_state, at) => {
    return { type: 'ResolveIntent', at, by: 'ops', reason: 'seen', as };
  }),
);

interface Step {
  readonly before: IntentState;
  readonly command: IntentCommand | IntentEvent;
  readonly events: readonly IntentEvent[];
  readonly after: IntentState;
}

/** What happens on this turn; an operator's replay only counts where something is parked. */
function eventsOf(state: IntentState, command: IntentCommand | IntentEvent): readonly IntentEvent[] {
  if (command.type === 'IntentReplayed') return state.status === 'parked' ? [command] : [];
  const decision = decide(state, command as IntentCommand);
  return decision.kind === 'events' ? decision.events : [];
}

function live(turns: readonly { readonly turn: Turn; readonly afterMs: number }[]): Step[] {
  const steps: Step[] = [];
  let before = evolve(initialIntentState, { type: 'IntentRecorded', at: 0 });
  let at = 0;
  for (const { turn: next, afterMs } of turns) {
    at += afterMs;
    const command = next(before, at);
    const events = eventsOf(before, command);
    const after = events.reduce(evolve, before);
    steps.push({ before, command, events, after });
    before = after;
  }
  return steps;
}

const life = fc
  .array(fc.record({ turn, afterMs: fc.integer({ min: 0, max: 20_000 }) }), { maxLength: 60, size: 'max' })
  .map(live);

/** The attempt is one that a lost history may have begun. */
function forgotten(steps: readonly Step[], event: IntentEvent): boolean {
  return steps.some(({ command, events }) => command.type === 'RecordForgotten' && events.includes(event));
}

function assertLife(check: (steps: readonly Step[]) => void): void {
  fc.assert(fc.property(life, check), { numRuns: 400 });
}

function historyOf(steps: readonly Step[]): IntentEvent[] {
  return steps.flatMap(({ events }) => events);
}

function isInDoubt({ before, events }: Step): boolean {
  const isCleared = events.some(({ type }) => type === 'VerifiedAbsent');
  return before.status !== 'absent' && before.doubts.length > 0 && !isCleared;
}

/** Whether an attempt may have taken effect, by what has been told of each: a reading of its own, beside `doubts`. */
function mayHaveTakenEffect(history: readonly IntentEvent[]): boolean {
  const settledAt = history.findLastIndex(({ type }) => type === 'VerifiedAbsent' || type === 'IntentResolved');
  const open = new Set<number>();
  for (const event of history.slice(settledAt + 1)) {
    if (event.type === 'AttemptBegun' || event.type === 'AttemptUnknown') open.add(event.attempt);
    else if ('attempt' in event && isNo(event)) open.delete(event.attempt);
  }
  // A person's word ends that doubt, too.
  const saidAt = history.findLastIndex(({ type }) => type === 'IntentResolved');
  const isApplied = (event: IntentEvent): boolean => event.type === 'LateOutcome' && event.outcome === 'applied';
  return open.size > 0 || history.slice(saidAt + 1).some(isApplied);
}

function isNo(event: IntentEvent): boolean {
  if (event.type === 'LateOutcome') return event.outcome === 'not-applied' || event.outcome === 'rejected';
  return event.type === 'AttemptNotApplied' || event.type === 'AttemptRejected';
}

const outcomeTypes = ['AttemptApplied', 'AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown'];
const terminal = ['delivered', 'cancelled'];
const waysOn = ['VerifiedAbsent', 'ResendDecided', 'IntentReplayed', 'IntentResolved'];

describe('whatever is commanded in whatever order', () => {
  it('reaches at most one terminal outcome and never leaves it', () => {
    assertLife((steps) => {
      const ends = historyOf(steps).filter(({ type }) => type === 'AttemptApplied' || type === 'IntentCancelled');
      expect(ends.length).toBeLessThanOrEqual(1);
      for (const { before, after } of steps) if (terminal.includes(before.status)) expect(after).toEqual(before);
    });
  });

  it('begins only what is pending, and numbers attempts densely from 1', () => {
    assertLife((steps) => {
      const begun = steps.filter(({ events }) => events.some(({ type }) => type === 'AttemptBegun'));
      for (const { before, events } of begun) {
        expect(events.some(({ type }) => type === 'IntentReleased') ? 'pending' : before.status).toBe('pending');
      }
      const numbers = historyOf(steps).flatMap((event) => (event.type === 'AttemptBegun' ? [event.attempt] : []));
      expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
    });
  });

  it('gives each attempt at most one outcome, and only after its begin', () => {
    assertLife((steps) => {
      const open = new Set<number>();
      for (const event of historyOf(steps)) {
        if (event.type === 'AttemptBegun') open.add(event.attempt);
        else if (outcomeTypes.includes(event.type) && 'attempt' in event) expect(open.delete(event.attempt)).toBe(true);
      }
      expect(open.size).toBeLessThanOrEqual(1);
    });
  });

  it('leaves no decision between two states: after the events nothing is half done', () => {
    assertLife((steps) => {
      for (const { before, after, events } of steps) {
        if (events.some(({ type }) => type === 'AttemptRejected')) {
          const isVoided = before.status !== 'absent' && before.cancelRequest !== null;
          expect(isVoided ? ['parked', 'delivered', 'cancelled'] : ['parked', 'delivered']).toContain(after.status);
        }
      }
    });
  });

  it('begins nothing after an unknown outcome without a proof, a permission or a person', () => {
    assertLife((steps) => {
      let isOpen = false;
      for (const event of historyOf(steps)) {
        if (event.type === 'AttemptUnknown') isOpen = true;
        if (waysOn.includes(event.type)) isOpen = false;
        if (event.type === 'AttemptBegun') expect(isOpen).toBe(false);
      }
    });
  });

  it('begins nothing once it was voided, whatever the policy and whatever a person says', () => {
    assertLife((steps) => {
      let isVoided = false;
      for (const event of historyOf(steps)) {
        // What a lost history may have begun is not begun now.
        const isForgotten = event.type === 'AttemptBegun' && forgotten(steps, event);
        if (event.type === 'CancelRequested') isVoided = true;
        if (event.type === 'AttemptBegun' && !isForgotten) expect(isVoided).toBe(false);
        if (event.type === 'ResendDecided') expect(isVoided).toBe(false);
      }
    });
  });

  it('begins nothing once a worker has reported late that an attempt was applied, unless a person says otherwise', () => {
    assertLife((steps) => {
      let isApplied = false;
      for (const event of historyOf(steps)) {
        if (event.type === 'LateOutcome' && event.outcome === 'applied') isApplied = true;
        if (event.type === 'IntentResolved') isApplied = false;
        if (event.type === 'AttemptBegun' && !forgotten(steps, event)) expect(isApplied).toBe(false);
      }
    });
  });

  it('permits nothing while an attempt may still take effect', () => {
    assertLife((steps) => {
      for (const { before, command, events } of steps) {
        if (before.status !== 'unknown' || !('policy' in command)) continue;
        const isPermitted = events.some(({ type }) => type === 'ResendDecided' || type === 'VerifiedAbsent');
        if (isPermitted) expect(command.at - before.endedBy).toBeGreaterThanOrEqual(command.policy.inFlightMs);
      }
    });
  });

  it('is untouched while it is open and nothing of it may have taken effect, and only then', () => {
    assertLife((steps) => {
      const history: IntentEvent[] = [];
      for (const { events, after } of steps) {
        history.push(...events);
        const isOpen = ['pending', 'waiting', 'parked'].includes(after.status);
        expect(isUntouched(after)).toBe(isOpen && !mayHaveTakenEffect(history));
      }
    });
  });

  it('is cancelled only where nothing of it may have taken effect, by evidence or by a person\u2019s word', () => {
    assertLife((steps) => {
      const history: IntentEvent[] = [];
      for (const event of historyOf(steps)) {
        if (event.type === 'IntentCancelled') expect(mayHaveTakenEffect(history)).toBe(false);
        history.push(event);
      }
    });
  });

  it('leaves parked only by a person\u2019s word, or because what is in doubt was applied after all, or, voided, was not', () => {
    assertLife((steps) => {
      for (const { before, after, command } of steps) {
        if (before.status !== 'parked' || after.status === 'parked') continue;
        if (after.status === 'delivered') expect(['RecordLateOutcome', 'ResolveIntent']).toContain(command.type);
        else if (
          after.status !== 'cancelled' ||
          before.cancelRequest === null ||
          command.type !== 'RecordLateOutcome'
        ) {
          expect(['CancelIntent', 'IntentReplayed', 'ResolveIntent']).toContain(command.type);
        }
      }
    });
  });

  it('never exhausts on attempts that the partner did not answer', () => {
    assertLife((steps) => {
      for (const { command, events } of steps) {
        const isExhausted = events.some((event) => event.type === 'IntentParked' && event.reason === 'exhausted');
        if (isExhausted) expect(command).toMatchObject({ type: 'RecordOutcome', outcome: { answered: true } });
      }
    });
  });

  it('parks as unknown-outcome, whatever the occasion, while an attempt is in doubt', () => {
    assertLife((steps) => {
      for (const { before, events } of steps.filter(isInDoubt)) {
        if (before.status === 'unknown' && before.code === 'duplicate-refused') continue;
        for (const event of events) if (event.type === 'IntentParked') expect(event.reason).toBe('unknown-outcome');
      }
    });
  });

  it('never exhausts after an unknown outcome', () => {
    assertLife((steps) => {
      const history = historyOf(steps);
      const from = history.findIndex(({ type }) => type === 'AttemptUnknown');
      const later = from < 0 ? [] : history.slice(from);
      for (const event of later) if (event.type === 'IntentParked') expect(event.reason).not.toBe('exhausted');
    });
  });

  it('never takes a refusal, a duplicate least of all, for applied', () => {
    assertLife((steps) => {
      for (const { command, events } of steps) {
        if (events.every(({ type }) => type !== 'AttemptApplied')) continue;
        expect(command).toMatchObject({ type: 'RecordOutcome', outcome: { kind: 'applied' } });
      }
    });
  });

  it('takes a duplicate for applied only where an attempt in doubt had sent the same', () => {
    assertLife((steps) => {
      for (const { before, events } of steps) {
        const proof = events.find(
          (event) => event.type === 'VerifiedApplied' && event.evidence === 'duplicate-refusal',
        );
        if (proof !== undefined && before.status !== 'absent') expect(before.doubts).not.toEqual([]);
      }
    });
  });

  it('never plans a retry or a re-check in the past', () => {
    assertLife((steps) => {
      for (const event of historyOf(steps)) {
        if (event.type === 'AttemptNotApplied') expect(event.retryAt).toBeGreaterThan(event.at);
        if (event.type === 'WaitingBegan') expect(event.recheckAt).toBeGreaterThan(event.at);
      }
    });
  });

  it('is deterministic', () => {
    assertLife((steps) => {
      for (const { before, command, events } of steps) expect(eventsOf(before, command)).toEqual(events);
    });
  });
});

describe('the lives that the properties see', () => {
  it('include the interesting ones', () => {
    const seen = new Set<string>();
    for (const steps of fc.sample(life, { numRuns: 400, seed: 7 })) {
      for (const event of historyOf(steps)) {
        seen.add(event.type === 'IntentParked' ? `parked ${event.reason}` : event.type);
      }
      if (
        steps.some(({ before }) => before.status !== 'absent' && before.hadUnknown && before.status === 'delivering')
      ) {
        seen.add('sent again after an unknown');
      }
      if (steps.some(({ after }) => after.status !== 'absent' && after.hadUnknown && isUntouched(after))) {
        seen.add('untouched after an unknown');
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        ...[
          'AttemptApplied',
          'AttemptNotApplied',
          'AttemptUnknown',
          'IntentCancelled',
          'IntentReplayed',
          'LateOutcome',
        ],
        ...['parked rejected', 'parked exhausted', 'parked unknown-outcome', 'parked missing-pass'],
        ...['WaitingBegan', 'IntentReleased', 'sent again after an unknown', 'parked missing-purchase'],
        ...['VerifiedApplied', 'VerifiedAbsent', 'ResendDecided', 'untouched after an unknown'],
      ]),
    );
  });
});
