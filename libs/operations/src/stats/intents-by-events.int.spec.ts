import type { IntentEvent } from '#intents/core';
import { evolve, initialIntentState } from '#intents/core';
import { listPositions, QuarantineSettlements } from '#intents';
import type { TestStore } from '#intents/testing';
import { attemptOf, clearData, enrolment, laneOf, now, purchase, testStore, Till } from '#intents/testing';

import { StatusRepository } from './intents-by-events.js';

const begun: IntentEvent = { type: 'AttemptBegun', at: now, attempt: 1 };
const unknown: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' };
const byOperator = { at: now, by: 'anna', reason: 'asked' };

/** Every way in which an intent can stand, by the last event that says so. */
const histories: readonly (readonly IntentEvent[])[] = [
  [],
  [
    { type: 'PassAbsent', at: now },
    { type: 'WaitingBegan', at: now, for: 'pass', recheckAt: now + 1 },
  ],
  [
    { type: 'WaitingBegan', at: now, for: 'pass', recheckAt: now + 1 },
    { type: 'IntentReleased', at: now },
  ],
  [begun],
  [begun, { type: 'AttemptApplied', at: now, attempt: 1 }],
  [begun, { type: 'AttemptApplied', at: now, attempt: 1 }, { type: 'PassFound', at: now }],
  [begun, { type: 'AttemptNotApplied', at: now, attempt: 1, code: 'refused', answered: false, retryAt: now + 1 }],
  [begun, { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' }],
  [begun, unknown],
  [begun, unknown, { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'lookup' }],
  [begun, unknown, { type: 'VerifiedAbsent', at: now, attempt: 1, evidence: 'lookup' }],
  [begun, unknown, parked],
  [begun, unknown, parked, { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'ok' }],
  [begun, unknown, parked, { type: 'IntentReplayed', ...byOperator, overtaken: 0 }],
  [begun, unknown, parked, { type: 'IntentResolved', ...byOperator, as: 'delivered' }],
  [begun, unknown, parked, { type: 'IntentResolved', ...byOperator, as: 'not-delivered' }],
  [{ type: 'IntentCancelled', ...byOperator }],
  [{ type: 'IntentCorrected', ...byOperator }],
];

describe('the overview', () => {
  let store: TestStore;

  beforeAll(async () => {
    store = await testStore();
  });

  afterAll(() => store.close());

  const append = async (laneId: number, seq: number, events: readonly IntentEvent[]): Promise<void> => {
    for (const [index, event] of events.entries()) {
      await store.sql(
        `INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
         VALUES ($1, $2, $3, $4, 0, $5, now(), $6::jsonb)`,
        ...[laneId, seq, 1_000 + index, attemptOf(event), event.type, clearData(event)],
      );
    }
  };

  it('tells how each intent stands as the fold of its events does', async () => {
    const till = new Till(store);
    await till.record(...histories.map((_, index) => purchase(`p${index}`, `m${index}`)));
    const wanted = new Map<string, unknown>();
    for (const [index, events] of histories.entries()) {
      await append((await laneOf(store, `m${index}`)).lane_id, 1, events);
      const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: now });
      const state = events.reduce(evolve, recorded);
      wanted.set(`m${index}`, [state.status, state.status === 'parked' ? state.reason : null]);
    }

    const intents = await new StatusRepository(store.database).list({ laneId: 0, seq: 0 });

    expect(new Map(intents.map((each) => [each.memberId, [each.status, each.parkedReason]]))).toEqual(wanted);
    expect(intents[0]).toMatchObject({
      program: 'coffee-club',
      operation: 'transaction',
      topic: till.source.topic,
      partition: till.source.partition,
      offset: 0,
      seq: 1,
    });
    const counts = await new StatusRepository(store.database).count();
    for (const status of ['pending', 'waiting', 'delivering', 'unknown', 'delivered', 'parked', 'cancelled'] as const) {
      expect(counts[status]).toBe(intents.filter((each) => each.status === status).length);
    }
    const last = intents.at(-1);
    expect(await new StatusRepository(store.database).list(last ?? { laneId: 0, seq: 0 })).toEqual([]);
  });

  it('counts lanes that will go on by themselves, and those that a person holds up', async () => {
    const till = new Till(store);
    const before = await new StatusRepository(store.database).countWork();
    await till.record(enrolment('e1', 'open'), enrolment('e2', 'stuck'), purchase('x2', 'stuck'));
    expect(await new StatusRepository(store.database).countWork()).toEqual({
      ...before,
      openLanes: before.openLanes + 2,
    });
    await store.sql(`UPDATE lane SET state = 'blocked' WHERE lane_id = $1`, (await laneOf(store, 'stuck')).lane_id);
    expect(await new StatusRepository(store.database).countWork()).toEqual({
      ...before,
      openLanes: before.openLanes + 1,
      blockedLanes: before.blockedLanes + 1,
    });
  });

  it('tells how far each partition was ingested, in its newest incarnation', async () => {
    const till = new Till(store);
    await till.record(purchase('q1', 'n1'), purchase('q2', 'n1'));
    const { clusterId, topic, partition } = till.source;
    const position = async (): Promise<number | undefined> =>
      (await listPositions(store.database)).find((each) => each.partition === partition)?.nextOffset;
    expect(await position()).toBe(2);
    await store.sql(
      `INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset) VALUES ($1, $2, 2, $3, 0)`,
      ...[clusterId, topic, partition],
    );
    expect(await position()).toBe(0);
  });

  it('lists what was quarantined, in order', async () => {
    for (const offset of [4, 5]) {
      await store.sql(
        `INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, value_bytes, broker_at,
           recorded_at)
         VALUES ('loyalty.rewards', 3, $1, 'invalid', '', '', 0, now(), now())`,
        offset,
      );
    }
    const records = await new StatusRepository(store.database).listQuarantined(0);
    expect(records).toMatchObject([4, 5].map((offset) => ({ topic: 'loyalty.rewards', partition: 3, offset })));
    expect(await new StatusRepository(store.database).listQuarantined(records[0]?.quarantineId ?? 0)).toEqual(
      records.slice(1),
    );
    expect((await new StatusRepository(store.database).countWork()).quarantined).toBe(2);
    await new QuarantineSettlements(store.database, store.keys).discard({
      quarantineId: records[0]!.quarantineId,
      audit: { at: now, actor: 'ada', address: null, reason: 'of no use' },
    });
    expect((await new StatusRepository(store.database).countWork()).quarantined).toBe(1);
    expect(await new StatusRepository(store.database).listQuarantined(0)).toEqual(records);
  });
});
