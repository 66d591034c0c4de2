import type { PassNaming } from '#intents/core';
import type { LookupReport } from '#gateway';

import { applied, EngineHarness, intent, lane, lookup, report } from '../testing/engine-harness.js';

const bySerial: PassNaming = { transaction: 'serialNumber', reward: 'passId' };

const shown = { passId: 9_007_199, serialNumber: 'S-1', personId: 'p-1' };

function found(pass: object): LookupReport {
  return { ...lookup('found'), pass } as LookupReport;
}

function harness(naming: PassNaming = bySerial, change: object = {}): EngineHarness {
  return new EngineHarness({ program: change, namingOf: () => naming });
}

describe('a partner whose calls name the pass as it does', () => {
  it('is told the names that the lane knows', () => {
    const engine = harness();
    engine.claimed(lane(1, { has: [intent(1), intent(2, 'reward')], named: { passId: '7', serialNumber: 'S-1' } }));
    engine.flushed();
    expect(engine.only('Send').command).toMatchObject({ operation: 'transaction', serialNumber: 'S-1' });
    expect(engine.only('Send').command).not.toHaveProperty('passId');
    engine.answered(applied).flushed();
    expect(engine.only('Send').command).toMatchObject({ operation: 'reward', passId: '7' });
  });

  it('is asked first where no name is known, once for all calls of the lane', () => {
    const engine = harness();
    engine.claimed(lane(1, { has: [intent(1), intent(2, 'reward')] }));
    expect(engine.only('Lookup')).toMatchObject({ confirmsAbsence: false, origin: { purpose: 'name' } });
    engine.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: found(shown), listed: null }).flushed();
    expect(engine.only('Send').command).toMatchObject({ serialNumber: 'S-1' });
    engine.answered(applied).flushed();
    expect(engine.only('Send').command).toMatchObject({ operation: 'reward', passId: '9007199' });
  });

  it('is not asked again where it did not say: the call goes by unique_id', () => {
    const engine = harness();
    engine.claimed(lane(1));
    engine.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: found({ passId: 7 }), listed: null }).flushed();
    expect(engine.only('Send').command).not.toHaveProperty('serialNumber');
  });

  it('is asked again later when it could not be asked, and the purchase waits where the pass is gone', () => {
    const engine = harness();
    engine.claimed(lane(1));
    engine.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('failed'), listed: null });
    expect(engine.only('Flush').steps[0]?.completion).toMatchObject({ kind: 'retry', events: [] });
    const gone = harness();
    gone.claimed(lane(1));
    gone.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null });
    const types = gone.only('Flush').steps[0]?.completion?.events.map(({ event }) => event.type);
    expect(types).toEqual(['PassAbsent', 'WaitingBegan']);
  });

  it('has told the names in the answer to an enrolment', () => {
    const engine = harness();
    engine.claimed(lane(1, { pass: 'unknown', has: [intent(1, 'issue'), intent(2)] })).flushed();
    engine.answered(report({ kind: 'applied' }, { value: shown })).flushed();
    expect(engine.only('Send').command).toMatchObject({ operation: 'transaction', serialNumber: 'S-1' });
  });

  it('is not asked for names that no call needs', () => {
    const engine = harness({ transaction: 'unique_id', reward: 'passId' });
    engine.claimed(lane(1));
    expect(engine.all('Lookup')).toEqual([]);
    expect(engine.step({ type: 'Woken', isWorkLikely: true }).all('Claim')).toEqual([]);
  });
});

it('a claim asks for what the partner calls the passes only where calls say that', () => {
  const claimOf = (engine: EngineHarness): unknown => engine.step({ type: 'Woken', isWorkLikely: true }).only('Claim');
  expect(claimOf(harness())).toMatchObject({ namesPasses: true });
  expect(claimOf(new EngineHarness())).toMatchObject({ namesPasses: false });
  expect(claimOf(new EngineHarness({ program: { lookup: { by: 'person_id' } } }))).toMatchObject({ namesPasses: true });
});

it('a lookup goes by the person where the program says so and the person is known', () => {
  const program = { lookup: { by: 'person_id' as const } };
  const known = new EngineHarness({ program });
  known.claimed(lane(1, { pass: 'unknown', named: { personId: 'p-1' } }));
  expect(known.only('Lookup').command.by).toEqual({ parameter: 'person_id', value: 'p-1' });
  const unknown = new EngineHarness({ program });
  unknown.claimed(lane(1, { pass: 'unknown' }));
  expect(unknown.only('Lookup').command).not.toHaveProperty('by');
});
