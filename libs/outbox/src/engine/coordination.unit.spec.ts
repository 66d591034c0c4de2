import type { CoordinationState } from '#intents';
import { deferredRange, deferredUntil, resumeLanesMax } from '#intents';

import { applied, EngineHarness, intent, lane, report, startAt } from '../testing/engine-harness.js';

const nothing: CoordinationState = { others: [], gates: [], pauses: [] };
const program = 'coffee-club';
const paused = { ...nothing, pauses: [{ program, operation: null, automatic: false }] };
const transactionsPaused = { ...nothing, pauses: [{ program, operation: 'transaction', automatic: false } as const] };

/** The engine reports and gets this answer, as often as it asks: what is new to the others is said twice. */
function coordinated(harness: EngineHarness, state: CoordinationState = nothing): EngineHarness {
  harness.step({ type: 'CoordinationDue' });
  do answer(harness, state);
  while (harness.all('Coordinate').length > 0);
  return harness;
}

function answer(harness: EngineHarness, state: CoordinationState = nothing): EngineHarness {
  return harness.step({ type: 'Coordinated', replicaId: 'me', at: harness.now, state });
}

function begins(harness: EngineHarness): number[] {
  const steps = harness.all('Flush').flatMap((flush) => flush.steps);
  return steps.filter(({ begin }) => begin !== null).map(({ laneId }) => laneId);
}

describe('an engine that is one of several', () => {
  it('claims nothing before it has heard of the others, and then at once', () => {
    const harness = new EngineHarness().step({ type: 'CoordinationDue' });
    expect(harness.only('Coordinate')).toMatchObject({
      at: startAt,
      report: { programs: { [program]: null }, gates: [] },
    });
    expect(harness.step({ type: 'Woken', isWorkLikely: true }).all('Claim')).toEqual([]);
    expect(answer(harness).all('Claim')).toEqual([]);
    expect(harness.all('Coordinate')).toHaveLength(1);
    expect(answer(harness).only('Claim').program).toBe(program);
  });

  it('takes no more than its share beside one that starts in the same moment: neither report sees the other', () => {
    const harness = new EngineHarness().step({ type: 'CoordinationDue' });
    expect(begins(answer(harness).claimed(lane(1), lane(2), lane(3), lane(4)))).toEqual([]);
    answer(harness, { ...nothing, others: [{ replicaId: 'other', programs: { [program]: null } }] });
    expect(begins(harness)).toEqual([1, 2]);
  });

  it('takes no more than its share beside one that comes to work in the same moment', () => {
    const idle = { ...nothing, others: [{ replicaId: 'other', programs: { [program]: null } }] };
    const limits = { requestsPerSecond: 40, concurrency: null, replayShare: 0.2 };
    const harness = coordinated(new EngineHarness({ program: { limits } }), idle);
    expect(begins(harness.claimed(lane(1), lane(2), lane(3), lane(4)))).toEqual([1, 2]);
    // The report that tells of our work has crossed that of the other.
    answer(harness.flushed(), idle);
    harness.now += 50;
    expect(begins(harness.step({ type: 'Woken', isWorkLikely: false }))).toEqual([3]);
  });

  it('says anew who it is after a silence in which the others took it for gone', () => {
    const harness = coordinated(new EngineHarness());
    harness.now += 3_001;
    harness.step({ type: 'CoordinationDue' });
    expect(begins(answer(harness.claimed(lane(1))))).toEqual([]);
    expect(begins(answer(harness))).toEqual([1]);
  });

  it('begins nothing once the others must take it for gone, and goes on when it has reported again', () => {
    const harness = coordinated(new EngineHarness());
    harness.now += 3_001;
    expect(begins(harness.claimed(lane(1)))).toEqual([]);
    coordinated(harness);
    expect(begins(harness)).toEqual([1]);
  });

  it('reports once at a time, and again after a failure', () => {
    const harness = new EngineHarness().step({ type: 'CoordinationDue' });
    expect(harness.step({ type: 'CoordinationDue' }).all('Coordinate')).toEqual([]);
    harness.step({ type: 'CoordinationFailed' });
    expect(harness.all('Coordinate')).toHaveLength(1);
  });

  it('tells at once that it has come to work on a program, and for a while after it had work', () => {
    const harness = coordinated(new EngineHarness());
    harness.step({ type: 'CoordinationFailed' });
    harness.claimed(lane(1));
    expect(harness.only('Coordinate').report.programs).toEqual({ [program]: startAt });
    harness.flushed().answered(applied).flushed();
    const toldAfter = (ms: number): unknown => {
      harness.now += ms;
      harness.step({ type: 'CoordinationFailed' });
      return harness.step({ type: 'CoordinationDue' }).only('Coordinate').report.programs;
    };
    expect(toldAfter(4_000)).toEqual({ [program]: startAt });
    expect(toldAfter(2_000)).toEqual({ [program]: null });
  });

  it('begins its share of the limit only', () => {
    const others = [{ replicaId: 'other', programs: { [program]: startAt - 9 } }];
    const harness = coordinated(new EngineHarness(), { ...nothing, others });
    harness.claimed(lane(1), lane(2), lane(3), lane(4));
    expect(begins(harness)).toEqual([1, 2]);
  });

  it('gives back what it holds when others do all the work that a small limit allows', () => {
    const limits = { requestsPerSecond: null, concurrency: 1, replayShare: 0.2 };
    const others = [{ replicaId: 'other', programs: { [program]: startAt - 9 } }];
    const harness = coordinated(new EngineHarness({ program: { limits } }), { ...nothing, others });
    expect(harness.step({ type: 'Woken', isWorkLikely: true }).all('Claim')).toEqual([]);
    harness.step({ type: 'Claimed', program, asked: 1, lanes: [lane(7)] });
    expect(harness.only('Release').lanes).toEqual([{ laneId: 7, epoch: 1 }]);
  });

  it('tells a rest at once, and obeys that of another', () => {
    const cooldown = { program, cooldownUntil: startAt + 9_000, breakerOpenedAt: null, breakerUntil: null };
    const harness = coordinated(new EngineHarness());
    coordinated(harness.claimed(lane(1)).flushed());
    harness.step({ type: 'CoordinationFailed' });
    coordinated(harness);
    const outcome = { kind: 'not-applied', code: 'too-many-requests', answered: false, systemic: false } as const;
    harness.answered(report({ ...outcome, retryAfterMs: 9_000 }));
    expect(harness.only('Coordinate').report.gates).toEqual([cooldown]);
    const other = coordinated(new EngineHarness(), { ...nothing, gates: [cooldown] });
    expect(begins(other.claimed(lane(1)))).toEqual([]);
    expect(other.only('SetTimer').at).toBe(cooldown.cooldownUntil);
  });
});

describe('a paused program', () => {
  it('begins nothing, finishes what is under way, holds no lane, claims none', () => {
    const lanes = [1, 2, 3, 4, 5, 6].map((laneId) => lane(laneId, { has: [intent(1), intent(2)] }));
    const harness = coordinated(new EngineHarness())
      .claimed(...lanes)
      .flushed();
    coordinated(coordinated(harness), paused);
    expect(harness.only('Release').lanes.map(({ laneId }) => laneId)).toEqual([5, 6]);
    harness.answered(applied);
    expect(harness.only('Flush').steps).toMatchObject([{ completion: { kind: 'settle' }, begin: null }]);
    harness.flushed();
    expect(harness.step({ type: 'Woken', isWorkLikely: true }).all('Claim')).toEqual([]);
  });

  it('goes on at once when it is resumed', () => {
    const harness = coordinated(new EngineHarness(), paused);
    expect(harness.step({ type: 'Woken', isWorkLikely: true }).all('Claim')).toEqual([]);
    expect(coordinated(harness).only('Claim').program).toBe(program);
  });

  it('is paused for a programs file that is read again, too', () => {
    const harness = coordinated(new EngineHarness(), paused);
    harness.engine.setPrograms({});
    harness.step({ type: 'Woken', isWorkLikely: true });
    harness.engine.setPrograms({ [program]: { ...harness.program, uniqueIdKey: 'other' } });
    expect(harness.step({ type: 'Woken', isWorkLikely: true }).all('Claim')).toEqual([]);
  });
});

const transactions = { operation: 'transaction', factor: null } as const;

/** Whether lanes that were deferred for the pause of transactions are made due. */
function isResumed(harness: EngineHarness): boolean {
  const { from, to } = deferredRange(transactions);
  return harness.only('Resume').targets.some((range) => range.from <= from && to <= range.to);
}

describe('a paused operation', () => {
  it('puts its lanes off without a trace; others go on', () => {
    const harness = coordinated(new EngineHarness(), transactionsPaused);
    harness.claimed(lane(1), lane(2, { pass: 'unknown' }), lane(3, { has: [intent(1, 'reward')] }));
    expect(begins(harness)).toEqual([3]);
    const off = { kind: 'retry', dueAt: deferredUntil(transactions, startAt), events: [], pass: null };
    expect(harness.only('Flush').steps).toMatchObject([
      { laneId: 1, attempt: 0, attemptOpen: false, completion: off },
      { laneId: 2, completion: off },
      { laneId: 3 },
    ]);
    expect(harness.all('Lookup')).toEqual([]);
  });

  it('holds back what waits for a turn, and what would follow in the same lane', () => {
    const lanes = [1, 2, 3, 4, 5].map((laneId) => lane(laneId, { has: [intent(1, 'reward'), intent(2)] }));
    const harness = coordinated(new EngineHarness()).claimed(...lanes, lane(6));
    coordinated(harness.flushed(), transactionsPaused);
    harness.answered(applied, 1);
    expect(harness.only('Flush').steps).toMatchObject([
      { laneId: 1, completion: { kind: 'settle' }, begin: null },
      { laneId: 5, begin: { seq: 1 } },
    ]);
    harness.flushed().answered(applied, 2).flushed();
    // Lane 6 got the turn, but not the call.
    expect(harness.engine.load).toMatchObject({ requests: 3 });
  });

  it('calls its lanes back when it is resumed, until there are none', () => {
    const harness = answer(new EngineHarness().step({ type: 'CoordinationDue' }), transactionsPaused);
    expect(isResumed(harness)).toBe(false);
    harness.step({ type: 'Resumed', count: 0 });
    answer(harness.step({ type: 'CoordinationDue' }));
    expect(isResumed(harness)).toBe(true);
    harness.step({ type: 'Resumed', count: resumeLanesMax });
    expect(harness.all('Resume')).toHaveLength(1);
    harness.step({ type: 'Resumed', count: 7 });
    expect(harness.all('Resume')).toEqual([]);
  });

  it('is looked after every few seconds: a lane may be put off in the moment in which it is resumed', () => {
    const harness = coordinated(new EngineHarness());
    harness.step({ type: 'Resumed', count: 0 });
    harness.now += 5_000;
    expect(harness.step({ type: 'CoordinationDue' }).all('Resume')).toHaveLength(1);
  });
});

describe('an operation that is refused for everybody', () => {
  const refusal = report({ kind: 'rejected', code: 'refused', message: 'template 11 is not active' });

  function refusedThrice(): EngineHarness {
    const harness = coordinated(new EngineHarness({ program: { autoPause: { sameRefusals: 3 } } }));
    for (const laneId of [1, 2]) harness.claimed(lane(laneId)).flushed().answered(refusal, laneId).flushed();
    return harness.claimed(lane(3), lane(4)).flushed().answered(refusal, 3);
  }

  it('is paused, and what shows it is put back instead of parked', () => {
    const harness = refusedThrice();
    expect(harness.only('SetPause')).toMatchObject({
      program,
      operation: 'transaction',
      factor: 'transaction-type:31',
    });
    expect(harness.only('SetPause').reason).not.toContain('template');
    expect(harness.only('Flush').steps[0]?.completion).toMatchObject({
      kind: 'retry',
      events: [{ event: { type: 'AttemptNotApplied', code: 'refused', answered: false } }],
    });
    harness.flushed().answered(refusal, 4);
    expect(harness.only('Flush').steps[0]?.completion?.events.map(({ event }) => event.type)).toEqual([
      'AttemptNotApplied',
    ]);
    harness.flushed().claimed(lane(5), lane(6, { has: [intent(1, 'reward')] }));
    expect(begins(harness)).toEqual([6]);
  });

  it('regression: is paused for what is denied as "no pass" although the pass was found: it is about something else', () => {
    const harness = coordinated(new EngineHarness({ program: { autoPause: { sameRefusals: 2 } } }));
    const denial = report({ kind: 'rejected', code: 'no-such-pass', message: 'Store record for s1 not found' });
    const state = { ...intent(1).state, passDenial: 'found' } as ReturnType<typeof intent>['state'];
    const denied = (laneId: number): void => {
      harness
        .claimed(lane(laneId, { has: [intent(1, 'transaction', state)] }))
        .flushed()
        .answered(denial, laneId);
    };
    denied(1);
    const events = harness.only('Flush').steps[0]?.completion?.events.map(({ event }) => event);
    expect(events).toMatchObject([{ type: 'AttemptRejected', code: 'refused' }, { type: 'IntentParked' }]);
    harness.flushed();
    denied(2);
    expect(harness.only('SetPause')).toMatchObject({
      program,
      operation: 'transaction',
      factor: 'transaction-type:31',
    });
    expect(harness.only('SetPause').reason).toContain('(refused)');
  });

  it('parks all the same what may have taken effect before: a refusal proves nothing then', () => {
    const state = { ...intent(1).state, hadUnknown: true, doubts: [1] } as ReturnType<typeof intent>['state'];
    const harness = new EngineHarness({ program: { autoPause: { sameRefusals: 1 } } });
    harness
      .claimed(lane(8, { has: [intent(1, 'transaction', state)] }))
      .flushed()
      .answered(refusal, 8);
    expect(harness.only('Flush').steps[0]?.completion?.events.at(-1)).toMatchObject({
      event: { type: 'IntentParked' },
    });
  });

  it('is paused for answers that prove nothing, too, and what was answered so stays in doubt', () => {
    const harness = coordinated(new EngineHarness({ program: { autoPause: { sameRefusals: 3 } } }));
    const hollow = report({ kind: 'unknown', code: 'unproven-200', retryAfterMs: null });
    for (const laneId of [1, 2, 3]) {
      expect(harness.all('SetPause')).toEqual([]);
      harness.claimed(lane(laneId)).flushed().answered(hollow, laneId);
      const events = harness.only('Flush').steps[0]?.completion?.events.map(({ event }) => event.type);
      expect(events).toEqual(['AttemptUnknown', 'IntentParked']);
      if (laneId < 3) harness.flushed();
    }
    expect(harness.only('SetPause')).toMatchObject({
      program,
      operation: 'transaction',
      factor: 'transaction-type:31',
    });
    expect(harness.only('SetPause').reason).toMatch(/3 members within .* with what proves nothing \(unproven-200\)/);
    harness.flushed().claimed(lane(5), lane(6, { has: [intent(1, 'reward')] }));
    expect(begins(harness)).toEqual([6]);
  });

  it('is not paused for duplicates that prove what became of calls that a crash left open', () => {
    const harness = coordinated(new EngineHarness({ program: { autoPause: { sameRefusals: 2 } } }));
    const duplicate = report({ kind: 'rejected', code: 'duplicate', message: 'receipt "B-1" is already used' });
    const before = intent(1).state;
    const state = { ...before, hadUnknown: true, doubts: [1], attempts: 1 } as typeof before;
    for (const laneId of [1, 2, 3, 4, 5]) {
      harness
        .claimed(lane(laneId, { has: [intent(1, 'transaction', state)] }))
        .flushed()
        .answered(duplicate, laneId);
      const events = harness.only('Flush').steps[0]?.completion?.events.map(({ event }) => event.type);
      expect(events).toContain('VerifiedApplied');
      expect(harness.all('SetPause')).toEqual([]);
      harness.flushed();
    }
  });

  it('is paused again and again until that is recorded, and resumed when a person has lifted it', () => {
    const ofType = { operation: 'transaction', factor: 'transaction-type:31' } as const;
    const harness = refusedThrice().flushed();
    harness.step({ type: 'PauseSet', program, ...ofType, isSet: false });
    expect(harness.all('SetPause')).toEqual([]);
    expect(harness.step({ type: 'CoordinationDue' }).all('SetPause')).toHaveLength(1);
    harness.step({ type: 'PauseSet', program, ...ofType, isSet: true });
    const inForce = [{ program, ...ofType, automatic: true }];
    harness.step({ type: 'Coordinated', replicaId: 'me', at: harness.now, state: { ...nothing, pauses: inForce } });
    expect(begins(harness.claimed(lane(5)))).toEqual([]);
    harness.flushed();
    harness.now += 10;
    coordinated(harness);
    expect(begins(harness.claimed(lane(6)))).toEqual([6]);
    // The count begins anew.
    harness.flushed().answered(refusal, 6);
    expect(harness.only('Flush').steps[0]?.completion?.events.at(-1)).toMatchObject({
      event: { type: 'IntentParked' },
    });
  });
});
