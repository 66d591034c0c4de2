import type { MatchedMember } from '#intents';
import { adoptPasses, ensureMembers, matchMembers, rebuildLanes } from '#intents';
import type { TestStore } from '#intents/testing';
import {
  claimOne,
  deliverOne,
  enrolment,
  eraseMember,
  findMembers,
  historyOf,
  laneOf,
  leaving,
  now,
  outcomeReader,
  program,
  purchase,
  record,
  SettableClock,
  stepOf,
  testStore,
  Till,
  waitForPass,
} from '#intents/testing';

import { MemberRepository } from '../../../members/member-repository.js';
import { findKnownPasses, findLeft } from '../../../partner-reading/known-passes.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

const passOf = (memberId: string) => ({
  passId: memberId.charCodeAt(0),
  serialNumber: `serial-of-${memberId}`,
  downloadUrl: `https://d.example/${memberId}`,
  passdata: { points: 3, metaData: { memberId, secret: 'Ada-in-metaData' } },
});

async function adopt(...memberIds: string[]): Promise<number> {
  const members = await ensureMembers(store.database, { program, memberIds, now }, store.keys);
  const passes = [...members.values()].flatMap(({ laneId, memberId, key }) =>
    key === null ? [] : [{ laneId, key, pass: passOf(memberId) }],
  );
  const request = { program, place: { brandId: '1', programId: '2' }, passes, job: 'j1', page: 3, now };
  const { adopted } = await store.database.transaction('adopt', (session) => adoptPasses(session, request, store.keys));
  return adopted.size;
}

async function matched(memberId: string): Promise<MatchedMember> {
  const member = (await matchMembers(store.database, { program, memberIds: [memberId] }, store.newKeys())).get(
    memberId,
  );
  if (member === undefined) throw new Error(`${memberId} is not known`);
  return member;
}

describe('adopting a pass', () => {
  it('makes its member known, once, with links that the shop is told', async () => {
    expect(await adopt('a', 'b')).toBe(2);
    expect(await adopt('a', 'b')).toBe(0);
    expect(await laneOf(store, 'a')).toMatchObject({ pass: 'known', version: 1, tail_seq: 0, due_at: null });
    expect(await historyOf(store, 'a')).toEqual(['0 PassAdopted']);
    const story = await new MemberRepository(store.database, store.newKeys()).state({ program, memberId: 'a' });
    expect(story).toMatchObject({ passKnown: 'known', pass: { serialNumber: 'serial-of-a' }, queued: 0 });
    const reader = outcomeReader(store, {
      owner: '00000000-0000-4000-8000-000000000001',
      clock: new SettableClock(now),
    });
    await reader.drain();
    expect(reader.received.map(({ name, memberId }) => `${name} ${memberId}`)).toEqual([
      'loyalty.pass.issued.v1 a',
      'loyalty.pass.issued.v1 b',
    ]);
  });

  it('leaves nothing of the pass in the clear', async () => {
    await adopt('a');
    const [row] = await store.sql<{ text: string; data: unknown }>(
      `SELECT encode(sealed, 'escape') AS text, data FROM intent_history`,
    );
    expect(row?.text).not.toContain('Ada-in-metaData');
    expect(row?.data).toEqual({ job: 'j1' });
  });

  it('lets what comes later be sent at once: nothing waits, nothing is looked up', async () => {
    await adopt('a');
    await till.record(purchase('p', 'a'));
    const lease = await claimOne(store);
    expect(lease).toMatchObject({ seq: 1, attemptOpen: false });
    expect(await laneOf(store, 'a')).toMatchObject({ pass: 'known', version: 2, tail_seq: 1 });
  });

  it('wakes what waits for the pass', async () => {
    await till.record(purchase('p', 'a'));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease, now + 3_600_000) }));
    expect(await adopt('a')).toBe(1);
    expect(await laneOf(store, 'a')).toMatchObject({ pass: 'known', state: 'waiting', due_at: now });
    await deliverOne(store);
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 AttemptApplied');
  });

  it('is not undone by a lookup that was under way, and does not take the lane from its owner', async () => {
    await till.record(purchase('p', 'a'));
    const lease = await claimOne(store);
    const { due_at: leasedUntil } = await laneOf(store, 'a');
    await adopt('a');
    expect(await laneOf(store, 'a')).toMatchObject({ due_at: leasedUntil, pass: 'known' });
    const waited = await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    expect(waited).toMatchObject({ completed: false });
    expect(await laneOf(store, 'a')).toMatchObject({ pass: 'known' });
  });

  it('is found again by a rebuild', async () => {
    await adopt('a');
    await till.record(purchase('p', 'b'), purchase('q', 'c'));
    const lease = await claimOne(store, { limit: 1 });
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    await adopt('b', 'c');
    await store.sql('UPDATE lane SET owner = NULL');
    const lanes = 'SELECT lane_id, version, head_seq, tail_seq, cur_seq, redo, ahead, pass, state FROM lane ORDER BY 1';
    const before = await store.sql(lanes);
    expect(await rebuildLanes(store.owned, now)).toEqual({ lanes: 3, facts: expect.any(Number) as number });
    expect(await store.sql(lanes)).toEqual(before);
  });

  it('is repeated when others create a member at the same time: it is one member', async () => {
    const memberIds = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const request = { program, memberIds, now };
    const [one, other] = await Promise.all([
      ensureMembers(store.database, request, store.keys),
      ensureMembers(store.database, request, store.newKeys()),
      till.record(...memberIds.map((memberId) => purchase(`p-${memberId}`, memberId))),
    ]);
    expect(one.size).toBe(50);
    expect([...one.values()].map(({ laneId }) => laneId)).toEqual([...other.values()].map(({ laneId }) => laneId));
  });
});

describe('what is known of a listed member', () => {
  it('tells how the last enrolment stands, and which pass we know', async () => {
    await till.record(enrolment('e', 'a'));
    expect(await matched('a')).toMatchObject({ enrolment: 'pending', enrolmentSeq: 1, pass: 'unknown', isIdle: false });
    await deliverOne(store);
    expect(await matched('a')).toMatchObject({ enrolment: 'delivered', pass: 'known', isIdle: true });
    await adopt('b');
    const known = await findKnownPasses(store.database, [await matched('b')], store.newMemberKeys());
    expect([...known.values()]).toMatchObject([{ passId: 98, serialNumber: 'serial-of-b' }]);
  });

  it('tells who has left, until they enrol again', async () => {
    await till.tell([enrolment('e', 'a'), now - 9], [enrolment('f', 'b'), now - 9], [purchase('p', 'c'), now - 9]);
    await till.tell([leaving('l', 'a'), now - 5]);
    const left = async (memberId: string) => findLeft([await matched(memberId)]).size === 1;
    expect([await left('a'), await left('b'), await left('c')]).toEqual([true, false, false]);
    // One from before the leaving, which is read after it, brings nobody back.
    await till.tell([enrolment('old', 'a'), now - 7]);
    expect(await left('a')).toBe(true);
    await till.tell([enrolment('g', 'a'), now - 3]);
    expect(await left('a')).toBe(false);
  });

  it('tells who is erased', async () => {
    await till.record(purchase('p', 'a'));
    await store.database.transaction('erase', async (session) => {
      const members = await findMembers(session, [{ program, memberId: 'a' }], store.keys);
      for (const member of members.values()) {
        await eraseMember(session, { member, now, at: now }, store.keys);
      }
    });
    expect(findLeft([await matched('a')]).size).toBe(1);
    expect(await adopt('a')).toBe(0);
  });
});
