import { evolve } from '#domain';
import type { Operation } from '#domain';
import type { ClaimedIntent } from '#intents';

import { applied, EngineHarness, intent, lane, lookup, report, startAt } from '../testing/engine-harness.js';

const startedAt = startAt - 1_000;

function forgotten(seq: number, operation: Operation): ClaimedIntent {
  return { ...intent(seq, operation), forgottenBefore: startedAt };
}

function typesIn(house: EngineHarness): readonly string[] {
  return (house.only('Flush').steps[0]?.completion?.events ?? []).map(({ event }) => event.type);
}

describe('a lane whose intents a lost history may have sent', () => {
  it('parks a reward without asking anybody, tells why, and goes on with the next', () => {
    const house = new EngineHarness().claimed(lane(1, { has: [forgotten(1, 'reward'), intent(2)] }));
    expect(house.all('Lookup')).toEqual([]);
    expect(typesIn(house)).toEqual(['AttemptBegun', 'AttemptUnknown', 'IntentParked']);
    const [step] = house.only('Flush').steps;
    expect(step?.completion).toMatchObject({ kind: 'settle' });
    expect(step?.completion?.events[0]?.evidence).toContain(`"forgottenBefore":${startedAt}`);
    expect(step?.begin).toMatchObject({ seq: 2, attempt: 1 });
    expect(house.flushed().only('Observe').observation).toMatchObject({ kind: 'parked', reason: 'unknown-outcome' });
  });

  it('looks an enrolment up before anything else', () => {
    const house = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [forgotten(1, 'issue')] }));
    expect(typesIn(house)).toEqual(['AttemptBegun', 'AttemptUnknown']);
    expect(house.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'doubt', dueAt: startAt });
    expect(house.only('Flush').steps[0]?.begin).toBeNull();
  });

  it('finds the pass of a purchase first, where none is known', () => {
    const house = new EngineHarness().claimed(lane(1, { pass: 'unknown', has: [forgotten(1, 'transaction')] }));
    expect(house.all('Flush')).toEqual([]);
    expect(house.only('Lookup')).toMatchObject({ laneId: 1 });
    house.tell({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('found'), listed: null });
    expect(typesIn(house)).toEqual(['PassFound']);
  });

  it('sends what has been taken into account', () => {
    const known = { ...forgotten(1, 'transaction') };
    const state =
      known.state.status === 'pending' ? { ...known.state, attempts: 1, forgottenAt: startAt } : known.state;
    const house = new EngineHarness().claimed(lane(1, { has: [{ ...known, state }] }));
    expect(house.only('Flush').steps[0]?.begin).toMatchObject({ seq: 1, attempt: 2 });
    expect(house.flushed().answered(applied).only('Flush').steps[0]?.completion).toMatchObject({ kind: 'settle' });
  });

  it('takes it into account again after a later recovery', () => {
    const known = { ...forgotten(1, 'reward'), forgottenBefore: startAt + 1 };
    const state =
      known.state.status === 'pending' ? { ...known.state, attempts: 1, forgottenAt: startAt } : known.state;
    const house = new EngineHarness().claimed(lane(1, { has: [{ ...known, state }] }));
    expect(typesIn(house)).toEqual(['AttemptBegun', 'AttemptUnknown', 'IntentParked']);
  });

  it.each([
    ['before it', startedAt - 1, 'forgotten'],
    ['after it', startedAt, 'worker-lost'],
  ])('tells an attempt that was open at the restored moment from one begun since: %s', (_name, openSince, code) => {
    const begun = { type: 'AttemptBegun', at: openSince, attempt: 1 } as const;
    const known = forgotten(1, 'reward');
    const open = { ...known, state: evolve(known.state, begun) };
    const house = new EngineHarness().claimed(lane(1, { attempt: 1, attemptOpen: true, openSince, has: [open] }));
    expect(house.only('Flush').steps[0]?.completion?.events).toMatchObject([
      { event: { type: 'AttemptUnknown', attempt: 1, code } },
      { event: { type: 'IntentParked', reason: 'unknown-outcome' } },
    ]);
  });

  it('leaves everything else as it is', () => {
    const house = new EngineHarness().claimed(lane(1, { has: [intent(1, 'reward')] }));
    expect(
      house
        .flushed()
        .answered(report({ kind: 'applied' }))
        .only('Flush').steps[0]?.completion,
    ).toMatchObject({
      kind: 'settle',
    });
  });
});
