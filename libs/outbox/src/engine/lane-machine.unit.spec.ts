import { evolve } from '#intents/core';

import { applied, EngineHarness, exampleSettings, intent, lane, lookup, startAt } from '../testing/engine-harness.js';

function refuse<T extends { readonly completed: boolean; readonly begun: boolean }>(result: T): T {
  return { ...result, completed: false, begun: false };
}

const waiting = evolve(intent(2).state, { type: 'WaitingBegan', at: startAt, for: 'pass', recheckAt: startAt });

describe('a decision that the database refuses because others have appended', () => {
  it('gives the lane back at once: it need not wait for its lease to end', () => {
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown' }));
    harness
      .step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null })
      .flushed(refuse);
    expect(harness.only('Release').lanes).toEqual([{ laneId: 1, epoch: 1 }]);
    expect(harness.all('Observe')).toEqual([]);
    expect(harness.engine.load).toEqual({ lanes: 0, requests: 0, lookups: 0, openCalls: 0, unwritten: 0 });
  });

  it('leaves no request counted when it went with a begin', () => {
    const harness = new EngineHarness().claimed(lane(1, { pass: 'unknown' }));
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(harness.only('Flush').steps[0]?.begin).not.toBeNull();
    harness.flushed(refuse);
    expect(harness.all('Send')).toEqual([]);
    expect(harness.only('Release').lanes).toEqual([{ laneId: 1, epoch: 1 }]);
    expect(harness.engine.load).toEqual({ lanes: 0, requests: 0, lookups: 0, openCalls: 0, unwritten: 0 });
  });
});

describe('an outcome whose lane goes on with an intent that waited', () => {
  // Overtaken by an enrolment: what waited may have been cancelled while the enrolment was under way.
  const overtaken = lane(1, {
    pass: 'absent',
    cursor: { head: 2, tail: 3, current: 3, redo: [3], ahead: [] },
    has: [intent(2, 'transaction', waiting), intent(3, 'issue')],
  });

  it('is recorded alone: the release must not be appended where the begin is refused', () => {
    const harness = new EngineHarness().claimed(overtaken).flushed().answered(applied);
    const [step] = harness.only('Flush').steps;
    expect(step?.begin).toBeNull();
    expect(step?.completion?.events.map(({ event }) => event.type)).toEqual(['AttemptApplied']);
  });
});

describe('a begin', () => {
  it('names the time after which it must not be recorded any more', () => {
    const harness = new EngineHarness().claimed(lane(1));
    expect(harness.only('Flush').steps[0]?.begin).toMatchObject({ sendBy: startAt + exampleSettings.sendWindowMs });
  });
});
