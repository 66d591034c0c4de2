import { evolve, initialIntentState } from '#domain';

import {
  applied,
  EngineHarness,
  exampleSettings,
  intent,
  lane,
  lookup,
  report,
  startAt,
} from '../testing/engine-harness.js';

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
    const house = new EngineHarness().claimed(lane(1));
    expect(house.all('Send')).toEqual([]);
    expect(house.only('Flush').steps).toMatchObject([
      {
        laneId: 1,
        seq: 1,
        completion: null,
        begin: { seq: 1, attempt: 1, leaseUntil: startAt + exampleSettings.leaseMs },
      },
    ]);
    expect(house.flushed().only('Send')).toMatchObject({ laneId: 1, epoch: 1 });
  });

  it('is settled by an applied attempt, with the evidence', () => {
    const house = new EngineHarness().claimed(lane(1)).flushed().answered(applied);
    const [step] = house.only('Flush').steps;
    expect(step).toMatchObject({
      attempt: 1,
      attemptOpen: true,
      begin: null,
      completion: { kind: 'settle', pass: 'known' },
    });
    expect(step?.completion?.events).toMatchObject([{ seq: 1, event: { type: 'AttemptApplied', attempt: 1 } }]);
    expect(step?.completion?.events[0]?.evidence).toContain('"method":"POST"');
    house.flushed();
    expect(house.only('Observe').observation).toMatchObject({
      kind: 'attempt',
      outcome: 'applied',
      status: 'delivered',
    });
    expect(house.engine.lanesHeld).toBe(0);
  });

  it('is tried again later when the partner did not take it', () => {
    const outcome = {
      kind: 'not-applied',
      code: 'http-429',
      answered: true,
      systemic: false,
      retryAfterMs: 3_000,
    } as const;
    const house = new EngineHarness().claimed(lane(1)).flushed().answered(report(outcome));
    expect(house.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'retry', dueAt: startAt + 3_000 });
  });

  it('parks an unknown outcome and never sends it again', () => {
    const outcome = { kind: 'unknown', code: 'timeout', retryAfterMs: null } as const;
    const house = new EngineHarness()
      .claimed(lane(1))
      .flushed()
      .answered(report(outcome, { phase: 'sent' }));
    const { completion } = house.only('Flush').steps[0] ?? {};
    expect(completion?.events.map(({ event }) => event.type)).toEqual(['AttemptUnknown', 'IntentParked']);
    house.flushed();
    expect(house.all('Send')).toEqual([]);
  });

  it('takes a duplicate refusal on a first attempt as rejected, never as applied', () => {
    const outcome = { kind: 'rejected', code: 'duplicate', message: 'receipt already used' } as const;
    const house = new EngineHarness().claimed(lane(1)).flushed().answered(report(outcome));
    const events = house.only('Flush').steps[0]?.completion?.events.map(({ event }) => event);
    expect(events).toMatchObject([
      { type: 'AttemptRejected', code: 'duplicate' },
      { type: 'IntentParked', reason: 'rejected' },
    ]);
  });

  it('is not sent when its begin is refused, and given back', () => {
    const house = new EngineHarness().claimed(lane(1)).flushed(fence);
    expect(house.all('Send')).toEqual([]);
    expect(house.only('Release').lanes).toEqual([{ laneId: 1, epoch: 1 }]);
  });

  it('must be sent while its lease still outlives the request', () => {
    const house = new EngineHarness().claimed(lane(1));
    house.now += 60_000;
    expect(house.flushed().only('Send').sendBy).toBe(startAt + exampleSettings.sendWindowMs);
  });

  it('records what a fenced worker learned as a late outcome', () => {
    const house = new EngineHarness().claimed(lane(1)).flushed().answered(applied).flushed(fence);
    expect(house.only('RecordLate').outcomes).toMatchObject([
      { laneId: 1, epoch: 1, seq: 1, event: { type: 'LateOutcome', attempt: 1, outcome: 'applied' } },
    ]);
    expect(house.only('Observe').observation.kind).toBe('fenced');
    expect(house.engine.lanesHeld).toBe(0);
  });
});

describe('an attempt that a lost worker left open', () => {
  it('becomes unknown and parks; nothing is sent', () => {
    const open = lane(1, { attempt: 1, attemptOpen: true, has: [intent(1, 'transaction', delivering)] });
    const house = new EngineHarness().claimed(open);
    expect(house.only('Flush').steps).toMatchObject([{ attempt: 1, attemptOpen: true, begin: null }]);
    expect(house.only('Flush').steps[0]?.completion?.events).toMatchObject([
      { event: { type: 'AttemptUnknown', code: 'worker-lost' } },
      { event: { type: 'IntentParked', reason: 'unknown-outcome', lane: 'continue' } },
    ]);
  });

  it('is parked even where its history does not show it: never stepped over', () => {
    const house = new EngineHarness().claimed(lane(1, { attempt: 1, attemptOpen: true }));
    const events = house.only('Flush').steps[0]?.completion?.events.map(({ event }) => event);
    expect(events).toMatchObject([{ type: 'IntentParked', reason: 'unknown-outcome' }]);
  });

  it('is looked after before anything else is sent when it was an issue', () => {
    const open = lane(1, { attempt: 1, attemptOpen: true, has: [intent(1, 'issue', delivering), intent(2)] });
    const house = new EngineHarness().claimed(open);
    expect(house.only('Flush').steps).toMatchObject([{ completion: { kind: 'doubt' }, begin: null }]);
  });
});

describe('a lane with several intents', () => {
  const two = [intent(1), intent(2)];

  it('begins the next one in the statement that settles the one before', () => {
    const house = new EngineHarness()
      .claimed(lane(1, { has: two }))
      .flushed()
      .answered(applied);
    expect(house.only('Flush').steps).toMatchObject([
      { completion: { kind: 'settle' }, begin: { seq: 2, attempt: 1 } },
    ]);
    expect(house.flushed().only('Send')).toMatchObject({ laneId: 1 });
  });

  it('keeps the completion when only the merged begin is refused', () => {
    const house = new EngineHarness()
      .claimed(lane(1, { has: two }))
      .flushed()
      .answered(applied);
    house.flushed((result) => ({ ...result, begun: false }));
    expect(house.all('Send')).toEqual([]);
    expect(house.all('Release')).toEqual([]);
    expect(house.only('Observe').observation).toMatchObject({ kind: 'attempt', outcome: 'applied' });
    expect(house.engine.lanesHeld).toBe(0);
  });

  it('steps over what was cancelled meanwhile', () => {
    const cancelled = evolve(intent(1).state, { type: 'IntentCancelled', at: startAt, by: 'x', reason: 'voided' });
    const house = new EngineHarness().claimed(
      lane(1, { has: [intent(1, 'transaction', cancelled), intent(2)], revision: 1 }),
    );
    expect(house.only('Flush').steps).toMatchObject([
      { revision: 1, completion: { kind: 'settle', events: [] }, begin: { seq: 2, attempt: 1 } },
    ]);
  });
});

describe('a member without a known pass', () => {
  const unknownPass = lane(1, { pass: 'unknown' });

  it('is looked up first; a pass that is found is recorded with the begin', () => {
    const house = new EngineHarness().claimed(unknownPass);
    expect(house.all('Flush')).toEqual([]);
    expect(house.only('Lookup')).toMatchObject({ laneId: 1 });
    house.tell({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(house.only('Flush').steps).toMatchObject([
      { completion: { kind: 'stay', pass: 'known', events: [{ event: { type: 'PassFound' } }] }, begin: { seq: 1 } },
    ]);
  });

  it('waits when there is none', () => {
    const house = new EngineHarness().claimed(unknownPass);
    house.tell({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null });
    const { completion } = house.only('Flush').steps[0] ?? {};
    expect(completion).toMatchObject({ kind: 'wait', pass: 'absent' });
    expect(completion?.events.map(({ event }) => event.type)).toEqual(['PassAbsent', 'WaitingBegan']);
  });

  it('comes back without an event when the lookup failed', () => {
    const house = new EngineHarness().claimed(unknownPass);
    house.tell({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('failed'), listed: null });
    expect(house.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'retry', events: [] });
  });

  it('does not hold up an issue', () => {
    const house = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [intent(1, 'issue')] }));
    expect(house.all('Lookup')).toEqual([]);
    expect(house.only('Flush').steps).toMatchObject([{ begin: { seq: 1 } }]);
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
    const house = new EngineHarness();
    house.now = startAt + 90_000;
    house.claimed(lane(1, { attempt: 1, leaseUntil: Infinity, has: [intent(1, 'issue', doubtful)] }));
    house.tell({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(house.flushed().only('Observe').observation).toMatchObject({
      ...{ kind: 'resolved', resolution: 'pass-found', status: 'delivered', sinceBrokerMs: 90_000 },
    });
  });
});

describe('a database that fails', () => {
  it('gets the same steps again, marked as a retry, and nothing is sent meanwhile', () => {
    const house = new EngineHarness().claimed(lane(1));
    const { flushId, steps } = house.only('Flush');
    house.tell({ type: 'FlushFailed', flushId, isAway: true });
    expect(house.all('Send')).toEqual([]);
    expect(house.all('Claim')).toEqual([]);
    house.now = house.only('SetTimer').at;
    house.tell({ type: 'Woken', isWorkLikely: false });
    expect(house.only('Flush')).toEqual({ type: 'Flush', flushId, steps, isRetry: true });
    expect(house.flushed().only('Send')).toMatchObject({ laneId: 1 });
  });

  it('is asked for lanes again after a pause', () => {
    const house = new EngineHarness().tell({ type: 'Woken', isWorkLikely: true });
    expect(house.only('Claim').program).toBe('coffee-club');
    house.tell({ type: 'ClaimFailed', program: 'coffee-club' });
    expect(house.all('Claim')).toEqual([]);
    house.now = house.only('SetTimer').at;
    expect(house.tell({ type: 'Woken', isWorkLikely: false }).only('Claim').program).toBe('coffee-club');
  });
});

describe('draining', () => {
  it('gives back what waits, finishes what is open, begins nothing new, and says when it is done', () => {
    const lanes = Array.from({ length: 6 }, (_, index) => lane(index + 1, { has: [intent(1), intent(2)] }));
    const house = new EngineHarness().claimed(...lanes).flushed();
    expect(house.all('Send')).toHaveLength(4);
    house.tell({ type: 'DrainRequested' });
    expect(house.only('Release').lanes).toHaveLength(2);
    expect(house.all('Drained')).toEqual([]);
    for (const laneId of [1, 2, 3, 4]) {
      house.answered(applied, laneId);
      const flush = house.all('Flush')[0];
      expect(flush?.steps.every(({ begin }) => begin === null) ?? true).toBe(true);
      if (flush !== undefined) house.flushed();
    }
    expect(house.engine.lanesHeld).toBe(0);
    expect(house.all('Drained')).toEqual([]);
    house.tell({ type: 'Claimed', program: 'coffee-club', asked: 4, lanes: [lane(99)] });
    expect(house.only('Release').lanes).toEqual([{ laneId: 99, epoch: 1 }]);
    expect(house.all('Drained')).toHaveLength(1);
    expect(house.all('Claim')).toEqual([]);
  });

  it('is done at once when nothing is held', () => {
    const house = new EngineHarness().tell({ type: 'DrainRequested' });
    expect(house.all('Drained')).toHaveLength(1);
    expect(house.tell({ type: 'Woken', isWorkLikely: true }).all('Drained')).toEqual([]);
  });
});

describe('the same lane under an old and a new lease', () => {
  it('never mixes up their answers', () => {
    const house = new EngineHarness().claimed(lane(1)).flushed();
    const open = lane(1, { epoch: 2, attempt: 1, attemptOpen: true, has: [intent(1, 'transaction', delivering)] });
    house.claimed(open);
    expect(house.only('Flush').steps).toMatchObject([{ epoch: 2, attemptOpen: true }]);
    house.flushed();
    house.answered(applied, 1, 1);
    expect(house.only('Flush').steps).toMatchObject([{ epoch: 1, attempt: 1 }]);
    expect(house.flushed(fence).only('RecordLate').outcomes).toMatchObject([{ epoch: 1 }]);
    expect(house.engine.lanesHeld).toBe(0);
  });
});

describe('limits', () => {
  it('never has more requests under way than the program allows', () => {
    const lanes = Array.from({ length: 12 }, (_, index) => lane(index + 1));
    const house = new EngineHarness().claimed(...lanes);
    expect(house.only('Flush').steps).toHaveLength(4);
    house.flushed();
    house.answered(applied, 1);
    expect(house.only('Flush').steps.filter(({ begin }) => begin !== null)).toHaveLength(1);
  });

  it('never holds more lanes than it may', () => {
    const house = new EngineHarness({ settings: { lanesHeldMax: 8 } }).tell({ type: 'Woken', isWorkLikely: true });
    expect(house.only('Claim').limit).toBe(8);
  });
});

describe('a partner in trouble', () => {
  const outage = report({ kind: 'unknown', code: 'http-503', retryAfterMs: null });

  function afterOutcomes(house: EngineHarness, answer: typeof outage, count: number): EngineHarness {
    for (let laneId = 1; laneId <= count; laneId += 1) {
      house.claimed(lane(laneId)).flushed().answered(answer, laneId).flushed();
    }
    return house;
  }

  it('costs a few parked intents, not the backlog: unknown outcomes in a row open the breaker, a read probes', () => {
    const house = afterOutcomes(new EngineHarness(), outage, 5);
    house.claimed(lane(6), lane(7));
    expect(house.all('Flush')).toEqual([]);
    house.now = house.only('SetTimer').at;
    house.tell({ type: 'Woken', isWorkLikely: false });
    expect(house.all('Flush')).toEqual([]);
    const { laneId } = house.only('Lookup');
    house.tell({ type: 'LookupAnswered', laneId, epoch: 1, report: lookup('absent'), listed: null });
    // The probe changed nothing about its lane; one call now shows whether more than reads work again.
    expect(house.only('Flush').steps).toMatchObject([{ completion: null, begin: { attempt: 1 } }]);
    house.flushed().answered(applied, house.only('Send').laneId);
    expect(house.only('Flush').steps.filter(({ begin }) => begin !== null)).toHaveLength(1);
  });

  it('opens the breaker for refusals that meet everybody, too', () => {
    const refusal = {
      kind: 'not-applied',
      code: 'http-403',
      answered: true,
      systemic: true,
      retryAfterMs: null,
    } as const;
    const house = afterOutcomes(new EngineHarness(), report(refusal), 5);
    expect(house.claimed(lane(6, { has: [intent(1, 'issue')] })).all('Flush')).toEqual([]);
  });

  it('rests after a 429 that names no time', () => {
    const slow = {
      kind: 'not-applied',
      code: 'too-many-requests',
      answered: false,
      systemic: false,
      retryAfterMs: null,
    } as const;
    const house = afterOutcomes(new EngineHarness(), report(slow), 1);
    expect(house.claimed(lane(2)).all('Flush')).toEqual([]);
    house.now = house.only('SetTimer').at;
    expect(house.now).toBe(startAt + 1_000);
    expect(house.tell({ type: 'Woken', isWorkLikely: false }).only('Flush').steps).toHaveLength(1);
  });

  it('stays open for refusals of single intents', () => {
    const refusal = { kind: 'rejected', code: 'refused', message: 'no' } as const;
    const house = afterOutcomes(new EngineHarness(), report(refusal), 8);
    expect(house.claimed(lane(9)).only('Flush').steps).toHaveLength(1);
  });
});
