import type { LookupReport } from '#gateway';

import { evolve, initialIntentState } from '#intents/core';
import type { PartnerCommand } from '#intents/core';

import {
  applied,
  commandOf,
  EngineHarness,
  exampleProgram,
  exampleSettings,
  intent,
  lane,
  lookup,
  report,
  startAt,
} from '../testing/engine-harness.js';

const dayMs = 86_400_000;

const delivering = evolve(evolve(initialIntentState, { type: 'IntentRecorded', at: startAt }), {
  type: 'AttemptBegun',
  at: startAt,
  attempt: 1,
});

function fence<T extends { readonly completed: boolean; readonly begun: boolean }>(result: T): T {
  return { ...result, completed: false, begun: false };
}

describe('one lane with one intent', () => {
  it('is begun in the database before anything is sent', () => {
    const harness = new EngineHarness().claimed(lane(1));
    expect(harness.all('Send')).toEqual([]);
    expect(harness.only('Flush').steps).toMatchObject([
      {
        laneId: 1,
        seq: 1,
        completion: null,
        begin: { seq: 1, attempt: 1, leaseUntil: startAt + exampleSettings.leaseMs },
      },
    ]);
    expect(harness.flushed().only('Send')).toMatchObject({ laneId: 1, epoch: 1 });
  });

  it('is settled by an applied attempt, with the evidence', () => {
    const harness = new EngineHarness().claimed(lane(1)).flushed().answered(applied);
    const [step] = harness.only('Flush').steps;
    expect(step).toMatchObject({
      attempt: 1,
      attemptOpen: true,
      begin: null,
      completion: { kind: 'settle', pass: 'known' },
    });
    expect(step?.completion?.events).toMatchObject([{ seq: 1, event: { type: 'AttemptApplied', attempt: 1 } }]);
    expect(step?.completion?.events[0]?.evidence).toContain('"method":"POST"');
    harness.flushed();
    expect(harness.only('Observe').observation).toMatchObject({
      kind: 'attempt',
      outcome: 'applied',
      status: 'delivered',
    });
    expect(harness.engine.lanesHeld).toBe(0);
  });

  it('is tried again later when the partner did not take it', () => {
    const outcome = {
      kind: 'not-applied',
      code: 'http-429',
      answered: true,
      systemic: false,
      retryAfterMs: 3_000,
    } as const;
    const harness = new EngineHarness().claimed(lane(1)).flushed().answered(report(outcome));
    expect(harness.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'retry', dueAt: startAt + 3_000 });
  });

  it('parks an unknown outcome and never sends it again', () => {
    const outcome = { kind: 'unknown', code: 'timeout', retryAfterMs: null } as const;
    const harness = new EngineHarness()
      .claimed(lane(1))
      .flushed()
      .answered(report(outcome, { phase: 'sent' }));
    const { completion } = harness.only('Flush').steps[0] ?? {};
    expect(completion?.events.map(({ event }) => event.type)).toEqual(['AttemptUnknown', 'IntentParked']);
    harness.flushed();
    expect(harness.all('Send')).toEqual([]);
  });

  it('takes a duplicate refusal on a first attempt as rejected, never as applied', () => {
    const outcome = { kind: 'rejected', code: 'duplicate', message: 'receipt already used' } as const;
    const harness = new EngineHarness().claimed(lane(1)).flushed().answered(report(outcome));
    const events = harness.only('Flush').steps[0]?.completion?.events.map(({ event }) => event);
    expect(events).toMatchObject([
      { type: 'AttemptRejected', code: 'duplicate' },
      { type: 'IntentParked', reason: 'rejected' },
    ]);
  });

  it('is not sent when its begin is refused, and given back', () => {
    const harness = new EngineHarness().claimed(lane(1)).flushed(fence);
    expect(harness.all('Send')).toEqual([]);
    expect(harness.only('Release').lanes).toEqual([{ laneId: 1, epoch: 1 }]);
  });

  it('must be sent while its lease still outlives the request', () => {
    const harness = new EngineHarness().claimed(lane(1));
    harness.now += exampleSettings.sendWindowMs;
    expect(harness.flushed().only('Send').sendBy).toBe(harness.now);
  });

  it('is put down as never sent where it was begun in time and recorded too late', () => {
    const harness = new EngineHarness().claimed(lane(1));
    harness.now += exampleSettings.sendWindowMs + 1;
    harness.flushed();
    expect(harness.all('Send')).toEqual([]);
    const [step] = harness.only('Flush').steps;
    expect(step?.completion).toMatchObject({
      kind: 'retry',
      events: [{ event: { type: 'AttemptNotApplied', code: 'send-window-missed' } }],
    });
    expect(harness.engine.load.requests).toBe(0);
  });

  it('records what a fenced worker learned as a late outcome', () => {
    const harness = new EngineHarness().claimed(lane(1)).flushed().answered(applied).flushed(fence);
    expect(harness.only('RecordLate').outcomes).toMatchObject([
      { laneId: 1, epoch: 1, seq: 1, event: { type: 'LateOutcome', attempt: 1, outcome: 'applied' } },
    ]);
    expect(harness.only('Observe').observation.kind).toBe('fenced');
    expect(harness.engine.lanesHeld).toBe(0);
  });
});

describe('an attempt that a lost worker left open', () => {
  it('becomes unknown and parks; nothing is sent', () => {
    const open = lane(1, { attempt: 1, attemptOpen: true, has: [intent(1, 'transaction', delivering)] });
    const harness = new EngineHarness().claimed(open);
    expect(harness.only('Flush').steps).toMatchObject([{ attempt: 1, attemptOpen: true, begin: null }]);
    expect(harness.only('Flush').steps[0]?.completion?.events).toMatchObject([
      { event: { type: 'AttemptUnknown', code: 'worker-lost' } },
      { event: { type: 'IntentParked', reason: 'unknown-outcome', lane: 'continue' } },
    ]);
  });

  it('is parked even where its history does not show it: never stepped over', () => {
    const harness = new EngineHarness().claimed(lane(1, { attempt: 1, attemptOpen: true }));
    const events = harness.only('Flush').steps[0]?.completion?.events.map(({ event }) => event);
    expect(events).toMatchObject([{ type: 'IntentParked', reason: 'unknown-outcome' }]);
  });

  it('is looked after before anything else is sent when it was an issue', () => {
    const open = lane(1, { attempt: 1, attemptOpen: true, has: [intent(1, 'issue', delivering), intent(2)] });
    const harness = new EngineHarness().claimed(open);
    expect(harness.only('Flush').steps).toMatchObject([{ completion: { kind: 'doubt' }, begin: null }]);
  });
});

describe('a lane with several intents', () => {
  const two = [intent(1), intent(2)];

  it('begins the next one in the statement that settles the one before', () => {
    const harness = new EngineHarness()
      .claimed(lane(1, { has: two }))
      .flushed()
      .answered(applied);
    expect(harness.only('Flush').steps).toMatchObject([
      { completion: { kind: 'settle' }, begin: { seq: 2, attempt: 1 } },
    ]);
    expect(harness.flushed().only('Send')).toMatchObject({ laneId: 1 });
  });

  it('keeps the completion when only the merged begin is refused', () => {
    const harness = new EngineHarness()
      .claimed(lane(1, { has: two }))
      .flushed()
      .answered(applied);
    harness.flushed((result) => ({ ...result, begun: false }));
    expect(harness.all('Send')).toEqual([]);
    expect(harness.all('Release')).toEqual([]);
    expect(harness.only('Observe').observation).toMatchObject({ kind: 'attempt', outcome: 'applied' });
    expect(harness.engine.lanesHeld).toBe(0);
  });

  it('steps over what was cancelled meanwhile', () => {
    const cancelled = evolve(intent(1).state, { type: 'IntentCancelled', at: startAt, by: 'x', reason: 'voided' });
    const harness = new EngineHarness().claimed(
      lane(1, { has: [intent(1, 'transaction', cancelled), intent(2)], revision: 1 }),
    );
    expect(harness.only('Flush').steps).toMatchObject([
      { revision: 1, completion: { kind: 'settle', events: [] }, begin: { seq: 2, attempt: 1 } },
    ]);
  });
});

describe('a member without a known pass', () => {
  const unknownPass = lane(1, { pass: 'unknown' });

  it('is looked up first; a pass that is found is recorded with the begin', () => {
    const harness = new EngineHarness().claimed(unknownPass);
    expect(harness.all('Flush')).toEqual([]);
    expect(harness.only('Lookup')).toMatchObject({ laneId: 1 });
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(harness.only('Flush').steps).toMatchObject([
      { completion: { kind: 'stay', pass: 'known', events: [{ event: { type: 'PassFound' } }] }, begin: { seq: 1 } },
    ]);
  });

  it('waits when there is none', () => {
    const harness = new EngineHarness().claimed(unknownPass);
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null });
    const { completion } = harness.only('Flush').steps[0] ?? {};
    expect(completion).toMatchObject({ kind: 'wait', pass: 'absent' });
    expect(completion?.events.map(({ event }) => event.type)).toEqual(['PassAbsent', 'WaitingBegan']);
  });

  it.each(['foreign-pass', 'several-passes'])(
    'regression: waits, too, where the lookup shows other passes (%s)',
    (code) => {
      const harness = new EngineHarness().claimed(unknownPass);
      const report = { ...lookup('failed'), code } as LookupReport;
      harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report, listed: null });
      const { completion } = harness.only('Flush').steps[0] ?? {};
      expect(completion).toMatchObject({ kind: 'wait', pass: 'absent' });
      expect(completion?.events.at(-1)).toMatchObject({ event: { type: 'WaitingBegan', for: 'pass' } });
    },
  );

  const waitedInVain = evolve(evolve(initialIntentState, { type: 'IntentRecorded', at: startAt - 2 * dayMs }), {
    type: 'WaitingBegan',
    at: startAt - 2 * dayMs,
    for: 'pass',
    recheckAt: startAt,
  });

  it('regression: is remembered as one without a pass where an intent is parked for it', () => {
    const harness = new EngineHarness();
    harness.claimed(lane(1, { pass: 'unknown', has: [intent(1, 'transaction', waitedInVain)] }));
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null });
    const { completion } = harness.only('Flush').steps[0] ?? {};
    expect(completion).toMatchObject({ kind: 'settle', pass: 'absent' });
    expect(completion?.events.map(({ event }) => event.type)).toEqual(['PassAbsent', 'IntentParked']);
  });

  it.each(['absent', 'failed'] as const)(
    'regression: waits anew where the pass that had come is not shown when the points are read (%s)',
    (kind) => {
      const { onUnknown } = exampleProgram();
      const program = { onUnknown: { ...onUnknown, reward: 'probe' } } as const;
      const command = { ...commandOf('reward'), pointsDelta: -10 } as PartnerCommand;
      const reward = { ...intent(1, 'reward', waitedInVain), command };
      const harness = new EngineHarness({ program });
      harness.claimed(lane(1, { pass: 'known', has: [reward] }));
      const report = { ...lookup(kind), ...(kind === 'failed' && { code: 'foreign-pass' }) } as LookupReport;
      harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report, listed: null });
      const { completion } = harness.only('Flush').steps[0] ?? {};
      expect(completion).toMatchObject({ kind: 'wait', pass: 'absent' });
      const types = completion?.events.map(({ event }) => event.type);
      expect(types).toEqual(['IntentReleased', 'PassAbsent', 'WaitingBegan']);
    },
  );

  it('regression: waits for it once the purchase that was waited for is delivered', () => {
    const waiting = evolve(evolve(initialIntentState, { type: 'IntentRecorded', at: startAt }), {
      type: 'WaitingBegan',
      at: startAt,
      for: 'purchase',
      recheckAt: startAt,
    });
    const refund = { ...intent(1, 'transaction', waiting), waitsFor: { place: null, status: 'delivered' } } as const;
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [refund] }));
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null });
    const { completion } = harness.only('Flush').steps[0] ?? {};
    expect(completion).toMatchObject({ kind: 'wait', pass: 'absent' });
    const types = completion?.events.map(({ event }) => event.type);
    expect(types).toEqual(['IntentReleased', 'PassAbsent', 'WaitingBegan']);
  });

  it('comes back without an event when the lookup failed', () => {
    const harness = new EngineHarness().claimed(unknownPass);
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('failed'), listed: null });
    expect(harness.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'retry', events: [] });
  });

  it('does not hold up an issue', () => {
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [intent(1, 'issue')] }));
    expect(harness.all('Lookup')).toEqual([]);
    expect(harness.only('Flush').steps).toMatchObject([{ begin: { seq: 1 } }]);
  });
});

describe('an unknown outcome', () => {
  it('that a lookup proves tells how long it took from Kafka to delivered', () => {
    const doubtful = evolve(delivering, {
      type: 'AttemptUnknown',
      at: startAt,
      attempt: 1,
      code: 'timeout',
      checkAt: startAt,
    });
    const harness = new EngineHarness();
    harness.now = startAt + 90_000;
    harness.claimed(lane(1, { attempt: 1, leaseUntil: Infinity, has: [intent(1, 'issue', doubtful)] }));
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(harness.flushed().only('Observe').observation).toMatchObject({
      ...{ kind: 'resolved', resolution: 'pass-found', status: 'delivered', sinceBrokerMs: 90_000 },
    });
  });
});

describe('an enrolment that finds a pass instead of making one', () => {
  const refused = evolve(delivering, {
    type: 'AttemptUnknown',
    at: startAt,
    attempt: 1,
    code: 'duplicate-refused',
    checkAt: startAt,
  });

  it('is settled together with the update that follows, and nothing is begun before that', () => {
    const harness = new EngineHarness();
    harness.claimed(lane(1, { attempt: 1, has: [intent(1, 'issue', refused), intent(2)] }));
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    const [step] = harness.only('Flush').steps;
    expect(step).toMatchObject({ begin: null, completion: { kind: 'settle', pass: 'known' } });
    expect(step?.completion?.renewal?.command).toMatchObject({ operation: 'update-via-workflow' });
    harness.flushed();
    expect(harness.engine.lanesHeld).toBe(0);
  });

  it('regression: has that update claimed in a moment where nothing else is due', () => {
    const harness = new EngineHarness();
    harness.claimed(lane(1, { attempt: 1, has: [intent(1, 'issue', refused)] }));
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 4, lanes: [], quietUntil: Infinity });
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    harness.flushed();
    expect(harness.only('SetTimer').at - harness.now).toBe(exampleSettings.idlePollMs);
  });
});

describe('a database that fails', () => {
  it('gets the same steps again, marked as a retry, and nothing is sent meanwhile', () => {
    const harness = new EngineHarness().claimed(lane(1));
    const { flushId, steps } = harness.only('Flush');
    harness.step({ type: 'FlushFailed', flushId, isAway: true });
    expect(harness.all('Send')).toEqual([]);
    expect(harness.all('Claim')).toEqual([]);
    harness.now = harness.only('SetTimer').at;
    harness.step({ type: 'Woken', isWorkLikely: false });
    expect(harness.only('Flush')).toEqual({ type: 'Flush', flushId, steps, isRetry: true });
    expect(harness.flushed().only('Send')).toMatchObject({ laneId: 1 });
  });

  it('is asked for lanes again after a pause', () => {
    const harness = new EngineHarness().step({ type: 'Woken', isWorkLikely: true });
    expect(harness.only('Claim').program).toBe('coffee-club');
    harness.step({ type: 'ClaimFailed', program: 'coffee-club' });
    expect([...harness.all('Claim'), ...harness.all('FindBegun')]).toEqual([]);
    harness.now = harness.only('SetTimer').at;
    expect(harness.step({ type: 'Woken', isWorkLikely: false }).only('FindBegun').program).toBe('coffee-club');
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 1, lanes: [] });
    harness.now = harness.only('SetTimer').at;
    expect(harness.step({ type: 'Woken', isWorkLikely: false }).only('Claim').program).toBe('coffee-club');
  });
});

describe('draining', () => {
  it('gives back what waits, finishes what is open, begins nothing new, and says when it is done', () => {
    const lanes = Array.from({ length: 6 }, (_, index) => lane(index + 1, { has: [intent(1), intent(2)] }));
    const harness = new EngineHarness().claimed(...lanes).flushed();
    expect(harness.all('Send')).toHaveLength(4);
    harness.step({ type: 'DrainRequested' });
    expect(harness.only('Release').lanes).toHaveLength(2);
    expect(harness.all('Drained')).toEqual([]);
    for (const laneId of [1, 2, 3, 4]) {
      harness.answered(applied, laneId);
      const flush = harness.all('Flush')[0];
      expect(flush?.steps.every(({ begin }) => begin === null) ?? true).toBe(true);
      if (flush !== undefined) harness.flushed();
    }
    expect(harness.engine.lanesHeld).toBe(0);
    expect(harness.all('Drained')).toEqual([]);
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 4, lanes: [lane(99)] });
    expect(harness.only('Release').lanes).toEqual([{ laneId: 99, epoch: 1 }]);
    expect(harness.all('Drained')).toHaveLength(1);
    expect(harness.all('Claim')).toEqual([]);
  });

  it('is done at once when nothing is held', () => {
    const harness = new EngineHarness().step({ type: 'DrainRequested' });
    expect(harness.all('Drained')).toHaveLength(1);
    expect(harness.step({ type: 'Woken', isWorkLikely: true }).all('Drained')).toEqual([]);
  });

  it('regression: sets no timer any more then, although the partner wants rest: it would keep the process alive', () => {
    const harness = new EngineHarness().claimed(lane(1)).flushed();
    const busy = {
      kind: 'not-applied',
      code: 'http-429',
      answered: true,
      systemic: false,
      retryAfterMs: 60_000,
    } as const;
    harness.answered(report(busy)).flushed().step({ type: 'DrainRequested' });
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 4, lanes: [] });
    expect(harness.all('Drained')).toHaveLength(1);
    expect(harness.step({ type: 'Woken', isWorkLikely: false }).all('SetTimer')).toEqual([]);
  });
});

describe('the same lane under an old and a new lease', () => {
  it('never mixes up their answers', () => {
    const harness = new EngineHarness().claimed(lane(1)).flushed();
    const open = lane(1, { epoch: 2, attempt: 1, attemptOpen: true, has: [intent(1, 'transaction', delivering)] });
    harness.claimed(open);
    expect(harness.only('Flush').steps).toMatchObject([{ epoch: 2, attemptOpen: true }]);
    harness.flushed();
    harness.answered(applied, 1, 1);
    expect(harness.only('Flush').steps).toMatchObject([{ epoch: 1, attempt: 1 }]);
    expect(harness.flushed(fence).only('RecordLate').outcomes).toMatchObject([{ epoch: 1 }]);
    expect(harness.engine.lanesHeld).toBe(0);
  });
});

describe('limits', () => {
  it('never has more requests under way than the program allows', () => {
    const lanes = Array.from({ length: 12 }, (_, index) => lane(index + 1));
    const harness = new EngineHarness().claimed(...lanes);
    expect(harness.only('Flush').steps).toHaveLength(4);
    harness.flushed();
    harness.answered(applied, 1);
    expect(harness.only('Flush').steps.filter(({ begin }) => begin !== null)).toHaveLength(1);
  });

  it('never holds more lanes than it may', () => {
    const harness = new EngineHarness({ settings: { lanesHeldMax: 8 } }).step({ type: 'Woken', isWorkLikely: true });
    expect(harness.only('Claim').limit).toBe(8);
  });
});

describe('a partner in trouble', () => {
  const outage = report({ kind: 'unknown', code: 'http-503', retryAfterMs: null });

  function afterOutcomes(harness: EngineHarness, answer: typeof outage, count: number): EngineHarness {
    for (let laneId = 1; laneId <= count; laneId += 1) {
      harness.claimed(lane(laneId)).flushed().answered(answer, laneId).flushed();
    }
    return harness;
  }

  it('costs a few parked intents, not the backlog: unknown outcomes in a row open the breaker, a read probes', () => {
    const harness = afterOutcomes(new EngineHarness(), outage, 5);
    harness.claimed(lane(6), lane(7));
    expect(harness.all('Flush')).toEqual([]);
    harness.now = harness.only('SetTimer').at;
    harness.step({ type: 'Woken', isWorkLikely: false });
    expect(harness.all('Flush')).toEqual([]);
    const { laneId } = harness.only('Lookup');
    harness.step({ type: 'LookupAnswered', laneId, epoch: 1, report: lookup('absent'), listed: null });
    // The probe changed nothing about its lane; one call now shows whether more than reads work again.
    expect(harness.only('Flush').steps).toMatchObject([{ completion: null, begin: { attempt: 1 } }]);
    harness.flushed().answered(applied, harness.only('Send').laneId);
    expect(harness.only('Flush').steps.filter(({ begin }) => begin !== null)).toHaveLength(1);
  });

  it('opens the breaker for refusals that meet everybody, too', () => {
    const refusal = {
      kind: 'not-applied',
      code: 'http-403',
      answered: true,
      systemic: true,
      retryAfterMs: null,
    } as const;
    const harness = afterOutcomes(new EngineHarness(), report(refusal), 5);
    expect(harness.claimed(lane(6, { has: [intent(1, 'issue')] })).all('Flush')).toEqual([]);
  });

  it('rests after a 429 that names no time', () => {
    const slow = {
      kind: 'not-applied',
      code: 'too-many-requests',
      answered: false,
      systemic: false,
      retryAfterMs: null,
    } as const;
    const harness = afterOutcomes(new EngineHarness(), report(slow), 1);
    expect(harness.claimed(lane(2)).all('Flush')).toEqual([]);
    harness.now = harness.only('SetTimer').at;
    expect(harness.now).toBe(startAt + 1_000);
    expect(harness.step({ type: 'Woken', isWorkLikely: false }).only('Flush').steps).toHaveLength(1);
  });

  it('stays open for refusals of single intents', () => {
    const refusal = { kind: 'rejected', code: 'refused', message: 'no' } as const;
    const harness = afterOutcomes(new EngineHarness(), report(refusal), 8);
    expect(harness.claimed(lane(9)).only('Flush').steps).toHaveLength(1);
  });
});
