import type { Program } from '#contracts';

import {
  applied,
  EngineHarness,
  exampleProgram,
  exampleSettings,
  lane,
  report,
  startAt,
} from '../testing/engine-harness.js';
import type { DeliveryEffect } from './messages.js';

type Claim = Extract<DeliveryEffect, { type: 'Claim' }>;

const example = exampleProgram();

function programs(...names: readonly string[]): Record<string, Program> {
  return Object.fromEntries(names.map((name) => [name, example]));
}

/** An engine with these programs, woken: its first claims are out. */
function woken(names: readonly string[], settings: Partial<typeof exampleSettings> = {}): EngineHarness {
  const harness = new EngineHarness({ settings });
  harness.engine.setPrograms(programs(...names));
  return harness.step({ type: 'Woken', isWorkLikely: true });
}

function claims(harness: EngineHarness): Claim[] {
  return harness.all('Claim');
}

function answer(harness: EngineHarness, program: string, laneIds: readonly number[]): EngineHarness {
  const lanes = laneIds.map((laneId) => lane(laneId, { program }));
  return harness.step({ type: 'Claimed', program, asked: Math.max(1, laneIds.length), lanes });
}

describe('a program that leaves the programs file', () => {
  it('is claimed no more, although lanes of it are still open', () => {
    const harness = answer(woken(['a', 'b']), 'a', [1]).flushed();
    harness.engine.setPrograms(programs('b'));
    harness.now += 60_000;
    harness.step({ type: 'Woken', isWorkLikely: true });
    expect(claims(harness).map(({ program }) => program)).not.toContain('a');
    harness.answered(applied).flushed();
    expect(harness.engine.load).toMatchObject({ lanes: 0, requests: 0 });
  });

  it('gives back what waits for a turn', () => {
    const harness = answer(woken(['a']), 'a', [1, 2, 3, 4, 5, 6]);
    harness.engine.setPrograms({});
    harness.step({ type: 'Woken', isWorkLikely: false });
    expect(harness.only('Release').lanes).toEqual([
      { laneId: 5, epoch: 1 },
      { laneId: 6, epoch: 1 },
    ]);
  });

  it('gives back what a claim under way brings: no lane stays leased for nothing', () => {
    const harness = woken(['a']);
    harness.engine.setPrograms({});
    expect(answer(harness, 'a', [7]).only('Release').lanes).toEqual([{ laneId: 7, epoch: 1 }]);
    expect(harness.engine.load.lanes).toBe(0);
  });

  it('holds up a drain until its claim is answered: that would leave a lease behind', () => {
    const harness = woken(['a']);
    harness.engine.setPrograms({});
    expect(harness.step({ type: 'DrainRequested' }).all('Drained')).toEqual([]);
    answer(harness, 'a', [7]);
    expect(harness.only('Release').lanes).toEqual([{ laneId: 7, epoch: 1 }]);
    expect(harness.all('Drained')).toHaveLength(1);
  });

  it('does not claim twice at once when it comes back', () => {
    const harness = woken(['a']);
    harness.engine.setPrograms({});
    harness.engine.setPrograms(programs('a'));
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: true }))).toEqual([]);
    expect(claims(answer(harness, 'a', []))).toHaveLength(1);
  });
});

describe('the lanes that may be held at once', () => {
  it('count from the moment they are asked for, over all programs', () => {
    const harness = woken(['a', 'b', 'c', 'd'], { lanesHeldMax: 20 });
    expect(claims(harness).reduce((sum, { limit }) => sum + limit, 0)).toBeLessThanOrEqual(20);
  });

  it('are shared: a program with endless work leaves room for one that comes later', () => {
    const harness = woken(['busy', 'late'], { lanesHeldMax: 8, claimBatchSizeMax: 8 });
    const started = claims(harness);
    answer(harness, 'late', []);
    let laneId = 0;
    for (let claim = started.find(({ program }) => program === 'busy'); claim !== undefined;) {
      const laneIds = Array.from({ length: claim.limit }, () => (laneId += 1));
      [claim] = claims(answer(harness, 'busy', laneIds));
    }
    expect(harness.engine.lanesHeld).toBeGreaterThan(4);
    harness.now += 1_000;
    harness.step({ type: 'Woken', isWorkLikely: true });
    expect(claims(harness).map(({ program }) => program)).toContain('late');
  });

  it('are claimed one by one where that is all there is: nobody starves on a small rest', () => {
    const harness = woken(['a'], { lanesHeldMax: 1 });
    expect(claims(harness)).toMatchObject([{ limit: 1 }]);
  });

  it('go round: who has claimed comes last the next time', () => {
    const harness = woken(['a', 'b'], { lanesHeldMax: 1 });
    const first = claims(harness)[0]?.program ?? '';
    answer(harness, first, []);
    harness.now += 1_000;
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: true }))[0]?.program).not.toBe(first);
  });
});

describe('an idle engine', () => {
  it('claims again at once when it is woken while a claim is under way', () => {
    const harness = woken(['a']);
    harness.step({ type: 'Woken', isWorkLikely: true });
    expect(claims(answer(harness, 'a', []))).toHaveLength(1);
    expect(claims(answer(harness, 'a', []))).toEqual([]);
  });

  it('asks the database as often for many programs as for a few', () => {
    const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
    const harness = woken(names);
    for (const name of names) answer(harness, name, []);
    harness.now += exampleSettings.idlePollMs * 2;
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: false }))).toEqual([]);
    harness.now += exampleSettings.idlePollMs * 10;
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: false }))).toHaveLength(40);
  });

  it('sets no timer for tokens while all requests are under way', () => {
    const limits = { requestsPerSecond: 1_000, concurrency: 1, replayShare: 0.2 };
    const harness = new EngineHarness({ program: { limits } }).claimed(lane(1), lane(2)).flushed();
    expect(harness.only('SetTimer').at).toBe(startAt + exampleSettings.leaseMs / 2);
  });
});

describe('lanes that wait behind a closed gate', () => {
  it('are given back at half of their lease: the engine wakes for that', () => {
    const retryAfterMs = 3_600_000;
    const tooMany = { ...applied, outcome: { kind: 'unknown', code: 'http-503', retryAfterMs } } as const;
    const lanes = [1, 2, 3, 4, 5].map((laneId) => lane(laneId));
    const harness = new EngineHarness().claimed(...lanes).flushed();
    for (const laneId of [1, 2, 3, 4]) {
      harness.answered(tooMany, laneId);
      if (harness.all('Flush').length > 0) harness.flushed();
    }
    while (harness.all('Flush').length > 0) harness.flushed();
    expect(harness.engine.load.lanes).toBe(1);
    harness.now = harness.only('SetTimer').at;
    expect(harness.now).toBe(startAt + exampleSettings.leaseMs / 2);
    expect(harness.step({ type: 'Woken', isWorkLikely: false }).only('Release').lanes).toEqual([
      { laneId: 5, epoch: 1 },
    ]);
  });
});

describe('lanes that wait for a lookup', () => {
  const withoutPass = (from: number, count: number): ReturnType<typeof lane>[] =>
    Array.from({ length: count }, (_, index) => lane(from + index, { pass: 'unknown' }));

  it('fill half of the hands at most: the rest comes back a little later, and those that need none go on', () => {
    const harness = new EngineHarness().claimed(...withoutPass(1, 14), lane(15), lane(16));
    const steps = harness.only('Flush').steps;
    expect(steps.filter(({ begin }) => begin !== null).map(({ laneId }) => laneId)).toEqual([15, 16]);
    const deferred = steps.filter(({ begin }) => begin === null);
    expect(deferred.map(({ laneId }) => laneId)).toEqual([9, 10, 11, 12, 13, 14]);
    expect(deferred[0]?.completion).toMatchObject({ kind: 'retry', events: [], dueAt: harness.now + 500 });
    harness.flushed();
    expect(harness.engine.load.lanes).toBe(10);
  });

  it('are put off longer as long as there are too many, so that they do not come round and round', () => {
    const harness = new EngineHarness().claimed(...withoutPass(1, 8));
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 1, lanes: withoutPass(9, 1) });
    const delays = [1, 2, 3].map((round) => {
      harness.step({ type: 'Claimed', program: 'coffee-club', asked: 1, lanes: withoutPass(round * 100, 1) });
      const dueAt = harness.only('Flush').steps[0]?.completion?.dueAt ?? 0;
      harness.flushed();
      return dueAt - harness.now;
    });
    expect(delays).toEqual([1_000, 2_000, 4_000]);
  });
});

describe('a program of which nothing is due', () => {
  const { idlePollMs, idlePollMsMax } = exampleSettings;

  function quiet(quietUntil?: number): EngineHarness {
    const known = quietUntil === undefined ? {} : { quietUntil };
    return woken(['a']).step({ type: 'Claimed', program: 'a', asked: 4, lanes: [], ...known });
  }

  /** How long it rests, by the timer that it sets. */
  const restOf = (harness: EngineHarness): number => harness.only('SetTimer').at - harness.now;

  it('is asked for often, unless others tell of their work', () => {
    expect(restOf(quiet())).toBe(idlePollMs);
  });

  it('is asked for when its next lane comes due, and once in a while all the same: news can be lost', () => {
    expect(restOf(quiet(startAt + 300))).toBe(300);
    expect(restOf(quiet(Infinity))).toBe(idlePollMsMax);
    expect(restOf(quiet(startAt - 5))).toBe(idlePollMs);
  });

  it('is claimed at once when work is told of', () => {
    const harness = quiet(Infinity);
    harness.now += 1;
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: true }))).toMatchObject([{ looksFirst: false }]);
  });

  it('is only looked at once in a while, and claimed where something is due or work was told of meanwhile', () => {
    const looks = (harness: EngineHarness, afterMs: number): unknown => {
      harness.now += afterMs;
      return claims(harness.step({ type: 'Woken', isWorkLikely: false })).map(({ looksFirst }) => looksFirst);
    };
    const harness = quiet(Infinity);
    expect(looks(harness, idlePollMsMax)).toEqual([true]);
    harness.step({ type: 'Woken', isWorkLikely: true });
    const told = harness.step({ type: 'Claimed', program: 'a', asked: 4, lanes: [], quietUntil: Infinity });
    expect(claims(told)).toMatchObject([{ looksFirst: false }]);
    expect(looks(quiet(startAt + 300), 300)).toEqual([false]);
    expect(looks(quiet(), idlePollMs)).toEqual([false]);
    const failed = quiet(Infinity);
    failed.now += idlePollMsMax;
    failed.step({ type: 'Woken', isWorkLikely: false });
    failed.step({ type: 'ClaimFailed', program: 'a' });
    expect(looks(failed, 60_000)).toEqual([false]);
  });

  const answered = (harness: EngineHarness, quietUntil: number): EngineHarness => {
    const { at, looks } = harness.only('Coordinate');
    const state = { others: [], gates: [], pauses: [] };
    const answers = new Map(looks.map((name) => [name, quietUntil]));
    return harness.step({ type: 'Coordinated', replicaId: 'me', at, state, quietUntil: answers });
  };

  /** Reports to the other replicas, and the look on the way sees that. What is new is reported twice. */
  const looked = (harness: EngineHarness, quietUntil: number): EngineHarness => {
    harness.step({ type: 'CoordinationDue' });
    do answered(harness, quietUntil);
    while (harness.all('Coordinate').length > 0);
    return harness;
  };

  /** Some time after a claim that found nothing, and in step with the others. */
  const resting = (quietUntil: number): EngineHarness => {
    const harness = looked(quiet(quietUntil), Infinity);
    harness.now += 200;
    return harness;
  };

  const tick = (harness: EngineHarness, afterMs: number): ReturnType<typeof claims> => {
    harness.now += afterMs;
    return claims(harness.step({ type: 'Woken', isWorkLikely: false }));
  };

  it('is looked at on the way of a report, and then not by itself: an idle daemon asks half as often', () => {
    const harness = resting(Infinity);
    for (let reports = 0; reports < 5; reports += 1) {
      expect(restOf(looked(harness, Infinity))).toBe(idlePollMsMax);
      expect(tick(harness, exampleSettings.coordinationIdleMs)).toEqual([]);
    }
    expect(tick(harness, idlePollMsMax)).toMatchObject([{ looksFirst: true }]);
  });

  it('is claimed when a report finds what is due, or when it comes due', () => {
    expect(claims(looked(resting(Infinity), startAt - 5))).toMatchObject([{ looksFirst: false }]);
    expect(restOf(looked(resting(Infinity), startAt + 500))).toBe(300);
    expect(restOf(looked(resting(startAt + 500), Infinity))).toBe(300);
  });

  it('is not looked at while a claim is under way or something is known to be due', () => {
    const looksOf = (harness: EngineHarness): readonly string[] =>
      harness.step({ type: 'CoordinationDue' }).only('Coordinate').looks;
    expect(looksOf(woken(['a']))).toEqual([]);
    expect(looksOf(quiet(startAt - 5))).toEqual([]);
    expect(looksOf(resting(Infinity))).toEqual(['a']);
  });

  it('is claimed at once when work is told of while a report looks, whatever that saw', () => {
    const harness = resting(Infinity).step({ type: 'CoordinationDue' });
    const { effects } = harness;
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: true }))).toMatchObject([{ looksFirst: false }]);
    harness.effects = effects;
    answered(harness, Infinity);
    harness.step({ type: 'Claimed', program: 'a', asked: 4, lanes: [], quietUntil: harness.now + 40 });
    expect(restOf(harness)).toBe(40);
  });

  const busy = report({ kind: 'not-applied', code: 'http-503', answered: true, systemic: false, retryAfterMs: null });

  it('is claimed when a lane comes due that it has let go of itself', () => {
    const harness = answer(woken(['a']), 'a', [1]).flushed();
    harness.step({ type: 'Claimed', program: 'a', asked: 4, lanes: [], quietUntil: Infinity });
    harness.answered(busy);
    const dueAt = harness.only('Flush').steps[0]?.completion?.dueAt ?? 0;
    expect(dueAt).toBeGreaterThan(harness.now);
    harness.flushed();
    expect(harness.only('SetTimer').at).toBeLessThanOrEqual(dueAt);
    harness.now = dueAt;
    expect(claims(harness.step({ type: 'Woken', isWorkLikely: false }))).toHaveLength(1);
  });

  it('regression: is claimed at once where something was appended to a lane that was under way', () => {
    const harness = answer(woken(['a'], { idlePollMsMax: 60_000 }), 'a', [1]).flushed();
    harness.step({ type: 'Claimed', program: 'a', asked: 4, lanes: [], quietUntil: startAt + 30_000 });
    harness.answered(report({ kind: 'applied' }));
    harness.flushed((result) => ({ ...result, dueAt: harness.now }));
    expect(restOf(harness)).toBe(idlePollMs);
  });

  it('regression: is claimed then, too, where the claim under way was too early to see that lane', () => {
    const harness = answer(woken(['a'], { idlePollMsMax: 60_000 }), 'a', [1]).flushed();
    harness.answered(busy);
    const dueAt = harness.only('Flush').steps[0]?.completion?.dueAt ?? 0;
    harness.flushed().step({ type: 'Claimed', program: 'a', asked: 4, lanes: [], quietUntil: Infinity });
    expect(restOf(harness)).toBe(dueAt - harness.now);
  });
});
