import type { Program } from '#contracts';
import type { PartnerCommand, PassContent } from '#domain';
import { evolve } from '#domain';
import type { ClaimedIntent, ClaimedLane } from '#intents';

import { commandOf, EngineHarness, exampleProgram, intent, lane, lookup, startAt } from '../testing/engine-harness.js';

const { onUnknown } = exampleProgram();
/** Nothing is read before an update is sent. */
const program: Partial<Program> = { onUnknown: { ...onUnknown, update: 'park' } };
const leaves: PassContent = { smsSubscription: 900, passdata: { optOut: true, metaData: { memberId: 'm_1' } } };

/** A word that the member has left, before which nothing of its lane can have made a pass. */
function leaving(change: Partial<ClaimedIntent> = {}, content = leaves): ClaimedIntent {
  const command = { ...commandOf('update-via-workflow'), content } as PartnerCommand;
  return { ...intent(1, 'update-via-workflow'), command, leavesUnissued: true, ...change };
}

function claimed(has: ClaimedIntent, change: Partial<ClaimedLane> = {}): EngineHarness {
  return new EngineHarness({ program }).claimed(lane(1, { pass: 'unknown', has: [has], ...change }));
}

function looked(house: EngineHarness, kind: 'found' | 'absent' | 'failed', listed: number | null): EngineHarness {
  expect(house.all('Flush')).toEqual([]);
  expect(house.only('Lookup')).toMatchObject({ laneId: 1, confirmsAbsence: true });
  return house.tell({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup(kind), listed });
}

function begunIn(house: EngineHarness): object | null | undefined {
  return house.only('Flush').steps[0]?.begin;
}

describe('a member who left before an enrolment was sent', () => {
  it('regression: has no pass, so that nothing is sent that could make one, and nothing parks', () => {
    const house = looked(claimed(leaving()), 'absent', 0);
    const [step] = house.only('Flush').steps;
    expect(step).toMatchObject({ begin: null, completion: { kind: 'settle', pass: 'absent' } });
    expect(step?.completion?.events.map(({ event }) => event)).toEqual([
      { type: 'PassAbsent', at: startAt },
      { type: 'IntentCancelled', at: startAt, by: 'loyaltyd', reason: 'no-pass' },
    ]);
    expect(step?.completion?.events[0]?.evidence).toContain('"listed":0');
    expect(house.flushed().all('Observe')).toEqual([]);
    expect(house.engine.lanesHeld).toBe(0);
  });

  it('is told of where there is a pass that we did not know', () => {
    const house = looked(claimed(leaving()), 'found', null);
    const [step] = house.only('Flush').steps;
    expect(step?.completion?.events).toMatchObject([{ event: { type: 'PassFound' } }]);
    expect(step?.begin ?? begunIn(house.flushed())).toMatchObject({ seq: 1, attempt: 1 });
  });

  it('is told of where the listing knows what the lookup denies; it is not asked about twice', () => {
    expect(begunIn(looked(claimed(leaving()), 'absent', 1))).toMatchObject({ seq: 1, attempt: 1 });
  });

  it('is asked about again when the partner could not say', () => {
    const house = looked(claimed(leaving()), 'failed', null);
    expect(house.only('Flush').steps).toMatchObject([{ completion: { kind: 'retry', events: [] }, begin: null }]);
  });
});

describe('no pass is asked for', () => {
  const begun = evolve(intent(1).state, { type: 'AttemptBegun', at: startAt, attempt: 1 });
  const doubted = [
    { type: 'AttemptUnknown', at: startAt, attempt: 1, code: 'timeout', checkAt: startAt },
    { type: 'VerifiedAbsent', at: startAt, attempt: 1, evidence: 'x' },
  ] as const;
  const parked = evolve(intent(1).state, { type: 'IntentParked', at: startAt, reason: 'rejected', lane: 'continue' });
  const put = { type: 'IntentReplayed', at: startAt, by: 'ada', reason: 'x', overtaken: 0 } as const;

  it.each<[string, ClaimedIntent, Partial<ClaimedLane>]>([
    ['where one is known', leaving(), { pass: 'known' }],
    ['where something before may have made one', intent(1, 'update-via-workflow'), {}],
    ['for an opt-out of messages alone', leaving({}, { smsSubscription: 900 }), {}],
    ['for an opt-out of the wallet alone', leaving({}, { passdata: { optOut: true } }), {}],
    ['for a schedule, which makes none', { ...intent(1, 'schedule-update'), leavesUnissued: true }, {}],
    ['after an attempt in doubt', leaving({ state: doubted.reduce(evolve, begun) }), { attempt: 1 }],
    ['against a person’s word', leaving({ state: evolve(parked, put) }), {}],
  ])('%s', (_when, has, change) => {
    expect(begunIn(claimed(has, change))).toMatchObject({ seq: 1 });
  });
});
