import type { CancelRequest, IntentEvent } from '#intents/core';

import { recordLateOutcomes } from '../lanes/record-late-outcomes.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import type { Lease } from '../../testing/lease.js';
import { begin, claim, claimOne, completion, leaseMs, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { cancelling, enrolment, historyOf, now, purchase, purchaseKey, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

const later = now + 2 * leaseMs;

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

/** The one lane's intent was begun by somebody who then lost the lane: its attempt is in doubt. */
async function leaveInDoubt(event: TestEvent): Promise<Lease> {
  await till.recordOutcomes(event);
  const lost = await begin(store, await claimOne(store));
  const unknown: IntentEvent = { type: 'AttemptUnknown', at: later, attempt: 1, code: 'worker-lost', checkAt: later };
  await decided(unknown);
  return lost;
}

/** The lane's next holder records this, and the intent is tried again later. */
async function decided(...events: readonly IntentEvent[]): Promise<void> {
  const lease = await claimOne(store, { now: later });
  const { completed } = await record(
    store,
    stepOf(lease, { completion: completion(lease, 'doubt', { events, dueAt: now }) }),
  );
  expect(completed).toBe(true);
}

type Proof = (lost: Lease) => Promise<unknown>;

const byEvidence: Proof = () =>
  decided({ type: 'VerifiedAbsent', at: later, attempt: 1, evidence: 'lookup-and-listing' });

const byLateNo: Proof = ({ laneId, epoch, key }) => {
  const event = { type: 'LateOutcome', at: later, attempt: 1, outcome: 'not-applied', code: 'http-429' } as const;
  return recordLateOutcomes(store.database, [{ laneId, epoch, key, seq: 1, event, evidence: null }], store.keys);
};

const byPerson: Proof = async ({ laneId }) => {
  await decided({ type: 'IntentParked', at: later, reason: 'unknown-outcome', lane: 'continue' });
  const audit = { at: later, actor: 'ada', address: '127.0.0.1', reason: 'not in their books' };
  const action = { kind: 'resolve', as: 'not-delivered' } as const;
  const result = await new IntentActionRepository(store.database, store.keys.members).act({
    place: { laneId, seq: 1 },
    action,
    audit,
  });
  expect(result).toMatchObject({ kind: 'done' });
};

const everything: CancelRequest['target'] = 'everything-queued';
const proofs: readonly (readonly [string, Proof])[] = [
  ['by evidence', byEvidence],
  ['by a late answer', byLateNo],
  ['by a person', byPerson],
];

describe('an intent whose only attempt is proven not to be applied', () => {
  it.each(proofs)('is cancelled by the void of its purchase: %s', async (_name, prove) => {
    await prove(await leaveInDoubt(purchase('p1', 'a')));
    expect(await till.recordOutcomes(cancelling('v', 'a', purchaseKey('p1')))).toEqual(['recorded']);
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 IntentCancelled');
  });

  it.each(proofs)('is cancelled with what is queued for a member who leaves: %s', async (_name, prove) => {
    await prove(await leaveInDoubt(enrolment('e', 'a')));
    expect(await till.recordOutcomes(cancelling('o', 'a', everything))).toEqual(['recorded']);
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 IntentCancelled');
  });

  it.each(proofs)('is corrected by another enrolment: %s', async (_name, prove) => {
    await prove(await leaveInDoubt(enrolment('e', 'a', 'Old')));
    expect(await till.recordOutcomes(enrolment('f', 'a', 'New'))).toEqual(['recorded']);
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 IntentCorrected');
    const [lane] = await claim(store, { now: later + 2 * leaseMs });
    expect(lane?.intents.get(1)?.command).toMatchObject({ content: { person: { firstName: 'New' } } });
  });
});

describe('an intent that is sent again although nobody knows what became of the attempt before', () => {
  const resent: IntentEvent = { type: 'ResendDecided', at: later, attempt: 1, basis: 'policy' };

  it.each([
    ['the void of its purchase, which is remembered', cancelling('v', 'a', purchaseKey('p1')), 'recorded'],
    ['a member who leaves', cancelling('o', 'a', everything), 'void-after-delivery'],
  ])('is not cancelled by %s', async (_name, event, result) => {
    await leaveInDoubt(purchase('p1', 'a'));
    await decided(resent);
    expect(await till.recordOutcomes(event)).toEqual([result]);
    expect(await historyOf(store, 'a')).not.toContain('1 IntentCancelled');
    const isRequested = (await historyOf(store, 'a')).includes('1 CancelRequested');
    expect(isRequested).toBe(result === 'recorded');
  });
});
