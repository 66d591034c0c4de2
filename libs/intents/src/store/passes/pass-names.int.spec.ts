import { begin, claim, claimOne, completion, record, stepOf } from '../../testing/lease.js';
import { enrolment, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { adoptPasses, ensureMembers } from './adopt-passes.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

const answered = (pass: object): string =>
  JSON.stringify({ phase: 'answered', request: {}, response: { status: 200, body: JSON.stringify(pass) } });

/** Delivers the enrolment of the one lane that is due. */
async function issue(pass: object): Promise<void> {
  const lease = await begin(store, await claimOne(store), 1);
  const event = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
  const plain = completion(lease, 'settle', { pass: 'known' });
  const events = [{ seq: 1, event, evidence: answered(pass) }];
  await record(store, stepOf(lease, { completion: { ...plain, events } }));
}

describe('what the partner calls a pass', () => {
  it('comes with a claim that asks for it, as the answer to the enrolment showed it', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'));
    await issue({ passId: 7, serialNumber: 'S-1', personId: 'p-1' });
    const [lane] = await claim(store, { namesPasses: true, now: now + 100_000 });
    expect(lane?.named).toEqual({ passId: '7', serialNumber: 'S-1', personId: 'p-1' });
  });

  it('keeps all digits', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'));
    const text = '{"passId":9007199254740993123,"serialNumber":"S-1"}';
    const lease = await begin(store, await claimOne(store), 1);
    const evidence = JSON.stringify({ response: { status: 200, body: text } });
    const events = [{ seq: 1, event: { type: 'AttemptApplied', at: now, attempt: 1 } as const, evidence }];
    await record(store, stepOf(lease, { completion: { ...completion(lease, 'settle', { pass: 'known' }), events } }));
    const [lane] = await claim(store, { namesPasses: true, now: now + 100_000 });
    expect(lane?.named).toEqual({ passId: '9007199254740993123', serialNumber: 'S-1' });
  });

  it('is that of a listing where the pass was adopted', async () => {
    const members = await ensureMembers(store.database, { program, memberIds: ['a'], now }, store.keys);
    const { laneId, key } = members.get('a')!;
    const pass = { passId: 8, serialNumber: 'S-8' };
    const request = {
      program,
      place: { brandId: '1', programId: '2' },
      passes: [{ laneId, key: key!, pass }],
      job: 'r1',
      page: 1,
      now,
    };
    await store.database.transaction('adopt', (session) => adoptPasses(session, request, store.keys));
    await till.record(purchase('p', 'a'));
    const [lane] = await claim(store, { namesPasses: true });
    expect(lane?.named).toEqual({ passId: '8', serialNumber: 'S-8' });
  });

  it('is not asked for otherwise, and is none where no pass is known', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'));
    const [unknown] = await claim(store, { namesPasses: true });
    expect(unknown).not.toHaveProperty('named');
    await store.sql(`UPDATE lane SET due_at = to_timestamp(${now} / 1000.0), owner = NULL`);
    await issue({ passId: 7, serialNumber: 'S-1' });
    const [lane] = await claim(store, { now: now + 100_000 });
    expect(lane).not.toHaveProperty('named');
  });
});
