import type { IntentEvent } from '#intents/core';

import type { ActionRequest } from '../operator/intent-action-repository.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import type { LaneCompletion } from '../lanes/record-steps.js';
import type { Lease } from '../../testing/lease.js';
import { begin, claimOne, completion, deliverOne, record, stepOf, waitForPass } from '../../testing/lease.js';
import type { LaneRow } from '../../testing/records.js';
import { cancelling, enrolment, now, purchase, purchaseKey, Till, updateIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { rebuildLanes } from './rebuild-lanes.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(2);
  till = new Till(store);
});

afterEach(() => store.close());

const park = (lane: 'block' | 'continue'): IntentEvent => ({
  type: 'IntentParked',
  at: now,
  reason: 'rejected',
  lane,
});

/** Begins the lane's current intent and ends the attempt with these events. */
async function attempt(kind: Parameters<typeof completion>[1], ...events: IntentEvent[]): Promise<Lease> {
  const lease = await begin(store, await claimOne(store));
  await record(store, stepOf(lease, { completion: completion(lease, kind, { events, dueAt: now + 60_000 }) }));
  return lease;
}

const rejected: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
const failed: IntentEvent = {
  type: 'AttemptNotApplied',
  at: now,
  attempt: 1,
  code: 'http-429',
  answered: true,
  retryAt: now + 60_000,
};

/** All that a rebuilt lane must have in common with the live one: everything but its lease and its counters. */
async function lanes(): Promise<Partial<LaneRow>[]> {
  return store.sql(
    `SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state, priority
     FROM lane ORDER BY lane_id`,
  );
}

/** The current enrolment finds a pass, and is followed by what it says. */
async function findPass(): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  const proof: IntentEvent = { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'pass-found' };
  const lost: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'duplicate-refused', checkAt: null };
  const settled = completion(lease, 'settle', { events: [lost, proof], pass: 'known' });
  const renewal = { command: updateIntent('m').command } as LaneCompletion['renewal'];
  const step = stepOf(lease, { completion: { ...settled, ...(renewal === undefined ? {} : { renewal }) } });
  expect(await record(store, step)).toMatchObject({ completed: true });
}

const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };

/** An operator sends an intent of the only lane once more. */
async function replay(seq: number): Promise<void> {
  await act(seq, { kind: 'replay' });
}

async function act(seq: number, action: ActionRequest['action']): Promise<void> {
  const [lane] = await store.sql<{ lane_id: number }>('SELECT lane_id FROM lane');
  const request = { place: { laneId: lane?.lane_id ?? 0, seq }, action, audit };
  expect(await new IntentActionRepository(store.database, store.keys.members).act(request)).toMatchObject({
    kind: 'done',
  });
}

/** Lives that lanes can have, each ending at rest. */
const lives: Readonly<Record<string, () => Promise<unknown>>> = {
  'delivered to its end': async () => {
    await till.record(enrolment('e', 'm'), purchase('p', 'm'));
    await deliverOne(store);
    await deliverOne(store);
  },
  'idle behind something undelivered': () => till.record(purchase('p', 'm'), purchase('q', 'm')),
  'tried again later': async () => {
    await till.record(purchase('p', 'm'));
    await attempt('retry', failed);
  },
  'gone on after a refusal': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await attempt('settle', rejected, park('continue'));
  },
  blocked: async () => {
    await till.record(enrolment('e', 'm'), purchase('q', 'm'));
    await attempt('block', rejected, park('block'));
  },
  'waiting for the pass': async () => {
    await till.record(purchase('p', 'm'));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
  },
  'overtaken by its enrolment': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    await till.record(enrolment('e', 'm'));
  },
  'overtaken, and the enrolment delivered': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    await till.record(enrolment('e', 'm'));
    await deliverOne(store);
  },
  'of an enrolment that has found a pass': async () => {
    await till.record(enrolment('e', 'm'), purchase('p', 'm'));
    await findPass();
  },
  'of an enrolment that has found a pass, and the update of it delivered': async () => {
    await till.record(enrolment('e', 'm'), purchase('p', 'm'));
    await findPass();
    await deliverOne(store);
    await deliverOne(store);
  },
  'of an enrolment that has found a pass, and nothing behind it': async () => {
    await till.record(enrolment('e', 'm'));
    await findPass();
  },
  'of an enrolment that has made a card in the place of a lost one': async () => {
    await till.record(purchase('p', 'm'));
    await deliverOne(store);
    await till.record(enrolment('e', 'm'), purchase('q', 'm'));
    const made = await begin(store, await claimOne(store));
    const applied: IntentEvent = { type: 'AttemptApplied', at: now, attempt: 1 };
    const settled = completion(made, 'settle', { events: [applied], pass: 'known' });
    await record(store, stepOf(made, { completion: { ...settled, replacesCard: true } }));
    const listed = await claimOne(store);
    expect(listed).toMatchObject({ seq: 4 });
    await record(store, stepOf(listed, { completion: completion(listed, 'settle', { events: [] }) }));
  },
  'with something put back': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await attempt('settle', rejected, park('continue'));
    await replay(1);
  },
  'with something that was not delivered, as a person found out': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    const lost = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null } as const;
    await attempt('settle', lost, { ...park('continue'), reason: 'unknown-outcome' } as IntentEvent);
    await act(1, { kind: 'resolve', as: 'not-delivered' });
  },
  'with something put back beside a failing attempt': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await attempt('settle', rejected, park('continue'));
    const lease = await begin(store, await claimOne(store));
    await replay(1);
    const retry = completion(lease, 'retry', { events: [failed], dueAt: now + 60_000 });
    await record(store, stepOf(lease, { completion: retry }));
  },
  'blocked while something was put back': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await attempt('settle', rejected, park('continue'));
    const lease = await begin(store, await claimOne(store));
    await replay(1);
    const blocked = completion(lease, 'block', { events: [rejected, park('block')] });
    await record(store, stepOf(lease, { completion: blocked }));
  },
  'with something cancelled in it': async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'), purchase('r', 'm'));
    await till.record(cancelling('v', 'm', purchaseKey('q')));
    await deliverOne(store);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [] }) }));
  },
  'with something cancelled as it was recorded': async () => {
    await till.record(purchase('p', 'm'), cancelling('v', 'm', purchaseKey('q')));
    await till.record(purchase('q', 'm'), purchase('r', 'm'));
    await deliverOne(store);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [] }) }));
  },
};

describe('a rebuilt lane', () => {
  it.each(Object.keys(lives))('is what it was: %s', async (name) => {
    await lives[name]?.();
    const before = await lanes();
    const { facts } = await rebuildLanes(store.owned, now);
    expect(before).toHaveLength(1);
    expect(await lanes()).toEqual(before);
    expect(facts).toBe(before[0]?.version);
  });

  it('is done with as before: what was open goes on, what was settled is not sent again', async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await deliverOne(store);
    await rebuildLanes(store.owned, now);
    const lease = await claimOne(store);
    expect(lease).toMatchObject({ seq: 2, attemptOpen: false });
  });

  it('shows the attempt that a lost worker left open', async () => {
    await till.record(purchase('p', 'm'));
    await begin(store, await claimOne(store));
    await store.sql('UPDATE lane SET owner = NULL');
    await rebuildLanes(store.owned, now);
    expect(await claimOne(store)).toMatchObject({ seq: 1, attempt: 1, attemptOpen: true });
  });

  it('keeps the begin of an attempt under way, which stood on its lane alone', async () => {
    await till.record(purchase('p', 'm'));
    const lease = await begin(store, await claimOne(store));
    const history = 'SELECT version, type, attempt, epoch, at FROM intent_history ORDER BY version';
    const before = await store.sql(history);
    expect(await store.sql('SELECT FROM intent_event')).toEqual([]);
    await store.sql('UPDATE lane SET owner = NULL');
    await rebuildLanes(store.owned, now);
    expect(await store.sql(history)).toEqual(before);
    expect(before).toMatchObject([{ type: 'AttemptBegun', epoch: lease.epoch }]);
    await rebuildLanes(store.owned, now);
    expect(await store.sql(history)).toEqual(before);
  });

  it('fences the workers of before', async () => {
    await till.record(purchase('p', 'm'));
    const old = await begin(store, await claimOne(store));
    await store.sql('UPDATE lane SET owner = NULL');
    await rebuildLanes(store.owned, now);
    const heir = await claimOne(store);
    expect(heir.epoch).toBeGreaterThan(old.epoch);
    const late = completion(old, 'settle', { events: [{ type: 'AttemptApplied', at: now, attempt: 1 }] });
    expect(await record(store, stepOf(old, { completion: late }))).toMatchObject({ completed: false });
  });
});

describe('rebuilding', () => {
  it('steps over what is settled already, where the live lane does so at its next claim', async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await till.record(cancelling('v', 'm', purchaseKey('p')));
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toMatchObject([{ head_seq: 2, cur_seq: 2 }]);
  });

  it('is refused while a lane is held, and changes nothing', async () => {
    await till.record(purchase('p', 'm'));
    await claimOne(store);
    const before = await lanes();
    await expect(rebuildLanes(store.owned, now)).rejects.toThrow('1 lanes are held');
    expect(await lanes()).toEqual(before);
  });

  it('is refused where truth is missing, and changes nothing', async () => {
    await till.record(purchase('p', 'm'), purchase('q', 'm'));
    await attempt('settle', rejected, park('continue'));
    await store.sql('ALTER TABLE intent_event DISABLE TRIGGER USER');
    await store.sql("DELETE FROM intent_event WHERE type = 'AttemptRejected'");
    const before = await lanes();
    await expect(rebuildLanes(store.owned, now)).rejects.toThrow('its history lacks version 3');
    expect(await lanes()).toEqual(before);
  });

  it('covers every lane, page by page', async () => {
    const members = Array.from({ length: 1_100 }, (_, index) => purchase(`p${index}`, `m${index}`));
    for (let from = 0; from < members.length; from += 500) await till.record(...members.slice(from, from + 500));
    const before = await lanes();
    expect(await rebuildLanes(store.owned, now)).toEqual({ lanes: 1_100, facts: 1_100 });
    expect(await lanes()).toEqual(before);
  });
});
