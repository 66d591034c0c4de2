import type { PartnerCommand, PassContent } from '#intents/core';

import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { begin, claim, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { enrolment, historyOf, laneOf, leaving, now, program, purchase, Till, update } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { adoptPasses, ensureMembers } from './adopt-passes.js';
import type { ReissueResult } from './reissue-pass.js';
import { reissuePass, reissuesMax } from './reissue-pass.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

const audit = { at: now + 5, actor: 'ada', address: null, reason: 'the partner has lost it' };

async function reissue(memberId: string): Promise<ReissueResult> {
  const { lane_id: laneId } = await laneOf(store, memberId);
  const request = { laneId, evidence: '{"lookup":{},"listed":0}', job: 'r1', audit };
  // As a process does that has never worked with the member.
  const keys = store.newMemberKeys();
  return store.database.transaction('reissue', (session) => reissuePass(session, request, keys));
}

const refused = (reason: string): unknown => ({ kind: 'refused', reason });
const lanes = `SELECT lane_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state
  FROM lane ORDER BY 1`;

describe('issuing a vanished pass anew', () => {
  it('opens the delivered enrolment again, before what the lane still owes, and leaves a trace', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'));
    await deliverOne(store);
    expect(await reissue('a')).toEqual({ kind: 'done', seq: 1 });
    expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 1, redo: [1], pass: 'absent', state: 'live' });
    const lease = await begin(store, await claimOne(store), 2);
    expect(lease).toMatchObject({ seq: 1 });
    const applied = { type: 'AttemptApplied', at: now, attempt: 2 } as const;
    await record(
      store,
      stepOf(lease, { completion: completion(lease, 'settle', { events: [applied], pass: 'known' }) }),
    );
    await deliverOne(store);
    expect((await historyOf(store, 'a')).slice(2)).toEqual([
      '1 AttemptBegun',
      '1 AttemptApplied',
      '1 IntentReissued',
      '1 AttemptBegun',
      '1 AttemptApplied',
      '2 AttemptBegun',
      '2 AttemptApplied',
    ]);
    expect(await store.sql('SELECT action, actor, reason, seq, detail FROM operator_action')).toEqual([
      { action: 'reconcile.reissue', actor: 'ada', reason: audit.reason, seq: 1, detail: { job: 'r1' } },
    ]);
  });

  it('is done once, however often it is asked for', async () => {
    await till.record(enrolment('e', 'a'));
    await deliverOne(store);
    const results = await Promise.all([reissue('a'), reissue('a'), reissue('a')]);
    expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'refused')).toEqual([
      refused('not-delivered'),
      refused('not-delivered'),
    ]);
  });

  it('shows as pending, also where evidence had settled it', async () => {
    await till.record(enrolment('e', 'a'));
    const lease = await begin(store, await claimOne(store));
    const events = [
      { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: now } as const,
      { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'pass-found' } as const,
    ];
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events, pass: 'known' }) }));
    expect(await store.sql('SELECT status FROM intent_standing')).toEqual([{ status: 'delivered' }]);
    expect(await reissue('a')).toMatchObject({ kind: 'done' });
    expect(await store.sql('SELECT status FROM intent_standing')).toEqual([]);
  });

  it('is found again by a rebuild', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'), purchase('q', 'a'));
    await deliverOne(store);
    await deliverOne(store);
    await reissue('a');
    const before = await store.sql(lanes);
    await rebuildLanes(store.owned, now);
    expect(await store.sql(lanes)).toEqual(before);
  });

  it('is not done while a call is under way', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'));
    await deliverOne(store);
    await begin(store, await claimOne(store));
    expect(await reissue('a')).toEqual(refused('in-flight'));
  });

  it('is not done for a member of whom we have no enrolment', async () => {
    const memberIds = ['a'];
    const members = await ensureMembers(store.database, { program, memberIds, now }, store.keys);
    const { laneId, key } = members.get('a')!;
    const passes = [{ laneId, key: key!, pass: { serialNumber: 's' } }];
    await store.database.transaction('adopt', (session) =>
      adoptPasses(
        session,
        { program, place: { brandId: '1', programId: '2' }, passes, job: 'j', page: 1, now },
        store.keys,
      ),
    );
    expect(await reissue('a')).toEqual(refused('no-enrolment'));
  });

  it('regression: is done as well where the lane has noticed', async () => {
    await till.record(enrolment('e', 'a'));
    await deliverOne(store);
    await store.sql(`UPDATE lane SET pass = 'absent'`);
    expect(await reissue('a')).toMatchObject({ kind: 'done' });
  });

  it('regression: is not done for a member whom another one has absorbed since', async () => {
    await till.record(enrolment('e', 'a'));
    await deliverOne(store);
    const { verdict, ...merge } = update('m', 'b');
    const of = { into: 'b', absorbed: ['a', 'nobody-knows'] };
    const told = (id: string, isUndone: boolean, timeMs: number): TestEvent => {
      const memberEffects = { raisesGeneration: false, erase: false, merge: { ...of, isUndone } };
      return { ...merge, id, verdict: { ...verdict, memberEffects, profilePosition: { sequence: null, timeMs } } };
    };
    await till.record(told('m', false, now));
    expect(await reissue('a')).toEqual(refused('merged'));
    await till.record(told('u', true, now + 1));
    expect(await reissue('a')).toMatchObject({ kind: 'done' });
  });

  describe('of a member who enrols once more', () => {
    const again = async (id: string, name?: string): Promise<void> => {
      await till.record(enrolment('e', 'a', 'Ada'));
      await deliverOne(store);
      await store.sql(`UPDATE lane SET pass = 'absent'`);
      await till.record(enrolment(id, 'a', name ?? 'Ada'));
    };

    it.each([
      ['the same', 'Ada'],
      ['something else', 'Eve'],
    ])('regression: opens it where its pass is known to be gone, saying %s', async (_what, name) => {
      await again('f', name);
      expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 1, redo: [1], state: 'live' });
      expect(await historyOf(store, 'a')).toContain('1 IntentReissued');
    });

    it('does nothing for the same event, nor where the pass is not known to be gone', async () => {
      await again('e');
      await store.sql(`UPDATE lane SET pass = 'known'`);
      await till.record(enrolment('f', 'a', 'Ada'));
      expect(await historyOf(store, 'a')).not.toContain('1 IntentReissued');
    });
  });

  it('regression: is done once where a sale finds no pass and its member has enrolled once more since, not for a re-export', async () => {
    const told = (id: string, timeMs: number): TestEvent => {
      const { verdict, ...event } = enrolment(id, 'a', 'Ada');
      return { ...event, verdict: { ...verdict, profilePosition: { sequence: null, timeMs } } };
    };
    const findNone = async (seq: number): Promise<void> => {
      const lease = await claimOne(store);
      expect(lease.seq).toBe(seq);
      const events = [
        { type: 'PassAbsent', at: now } as const,
        { type: 'WaitingBegan', at: now, for: 'pass', recheckAt: now + 1 } as const,
      ];
      await record(store, stepOf(lease, { completion: completion(lease, 'wait', { events, pass: 'absent' }) }));
    };
    await till.record(enrolment('e', 'a', 'Ada'));
    await deliverOne(store);
    await till.record(told('f', now - 3_600_000 * 48), purchase('p', 'a'));
    await findNone(2);
    expect(await historyOf(store, 'a')).not.toContain('1 IntentReissued');
    await store.sql(`UPDATE lane SET pass = 'known', state = 'live', due_at = to_timestamp(${now} / 1000.0)`);
    await till.record(told('g', now + 60_000));
    await findNone(2);
    expect(await historyOf(store, 'a')).toContain('1 IntentReissued');
    expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 1, redo: [1], state: 'live' });
  });

  it.each([{ kind: 'replay' }, { kind: 'resolve', as: 'not-delivered' }] as const)(
    'regression: is done by a person’s %j where its pass is known to be gone',
    async (action) => {
      await till.record(enrolment('e', 'a'));
      await deliverOne(store);
      const { lane_id: laneId } = await laneOf(store, 'a');
      const act = (): Promise<unknown> =>
        new IntentActionRepository(store.owned, store.newMemberKeys()).act({
          place: { laneId, seq: 1 },
          action,
          audit,
        });
      expect(await act()).toEqual(refused('already-settled'));
      await store.sql(`UPDATE lane SET pass = 'absent'`);
      expect(await act()).toMatchObject({ kind: 'done', event: { type: 'IntentReissued' } });
      expect(await act()).toMatchObject({ kind: 'refused' });
    },
  );

  it('is not done for a member who has opted out since', async () => {
    await till.record(enrolment('e', 'a'));
    await deliverOne(store);
    await till.tell([leaving('o'), now]);
    expect(await reissue('a')).toEqual(refused('opted-out'));
  });

  describe('of a member who consented when they enrolled', () => {
    const consents: PassContent = { smsSubscription: 200, passdata: { optOut: false } };
    const said = (source: TestEvent, content: PassContent, timeMs = now - 60_000): TestEvent => {
      const intents = source.verdict.intents.map((intent) => {
        return { ...intent, command: { ...intent.command, content } as PartnerCommand };
      });
      return { ...source, verdict: { ...source.verdict, intents, profilePosition: { sequence: null, timeMs } } };
    };

    const contentSent = async (): Promise<unknown> => {
      const [lane] = await claim(store, { now: now + 10 });
      const command = lane?.intents.get(1)?.command;
      return command !== undefined && command !== null && 'content' in command ? command.content : null;
    };

    it('is done with that consent where nothing was said since', async () => {
      await till.record(said(enrolment('e', 'a'), consents));
      await deliverOne(store);
      await till.record(said(update('u', 'a'), { tierId: 3 }, now - 50_000));
      await deliverOne(store);
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
      expect(await contentSent()).toEqual({ ...consents, tierId: 3 });
    });

    it('is done as the card is by now: without what was cleared, what was refused, and the points', async () => {
      const first = { tierId: 1, message: 'Hello', groupId: 'g', person: { firstName: 'Ada', email: 'a@example.org' } };
      await till.record(said(enrolment('e', 'a'), { ...first, passdata: { points: 5, seat: '1' } }));
      await till.record(said(update('u', 'a'), { tierId: 2, templateId: 12, passdata: { points: 90, seat: '2' } }));
      await till.record(said(update('v', 'a'), { message: null, person: { email: 'ada@example.org' } }));
      await till.record(said(update('w', 'a'), { tierId: 3, groupId: 'h' }));
      for (let times = 0; times < 3; times += 1) await deliverOne(store);
      const lease = await begin(store, await claimOne(store));
      const events = [
        { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' } as const,
        { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' } as const,
      ];
      await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
      expect(await contentSent()).toEqual({
        ...{ tierId: 2, templateId: 12, groupId: 'g', passdata: { points: 5, seat: '2' } },
        person: { firstName: 'Ada', email: 'ada@example.org' },
      });
    });

    it('regression: is done without the consent that was withdrawn since', async () => {
      await till.record(said(enrolment('e', 'a'), consents));
      await deliverOne(store);
      await till.record(said(update('u', 'a'), { smsSubscription: 900 }, now - 50_000));
      await deliverOne(store);
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
      expect(await contentSent()).toEqual({ smsSubscription: 900, passdata: { optOut: false } });
      const detail = { job: 'r1', withdrawn: ['smsSubscription'] };
      expect(await store.sql('SELECT detail FROM operator_action')).toEqual([{ detail }]);
    });

    it('is done without messages for who wants none any more, and not for who wants no card', async () => {
      const optOut = (id: string, content: PassContent, at: number): TestEvent =>
        said({ ...update(id, 'a'), type: 'loyalty.member.opted-out.v1' }, content, at);
      await till.record(said(enrolment('e', 'a'), consents));
      await till.record(optOut('o', { smsSubscription: 900 }, now - 50_000));
      for (let times = 0; times < 2; times += 1) await deliverOne(store);
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
      await till.record(optOut('w', { passdata: { optOut: true } }, now - 40_000));
      expect(await reissue('a')).toEqual(refused('opted-out'));
      expect(await contentSent()).toMatchObject({ smsSubscription: 900 });
    });

    it('is done with consent that was given again', async () => {
      await till.record(said(enrolment('e', 'a'), consents));
      await till.record(said(update('u', 'a'), { smsSubscription: 900 }, now - 50_000));
      await till.record(said(update('v', 'a'), { smsSubscription: 200 }, now - 40_000));
      for (let times = 0; times < 3; times += 1) await deliverOne(store);
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
      expect(await contentSent()).toEqual(consents);
    });

    it('is done without consent of which something was said that has left the database', async () => {
      await till.record(said(enrolment('e', 'a'), consents));
      await till.record(said(update('u', 'a'), { smsSubscription: 200 }, now - 50_000));
      for (let times = 0; times < 2; times += 1) await deliverOne(store);
      await store.sql('ALTER TABLE intent DISABLE TRIGGER ALL');
      await store.sql('DELETE FROM intent WHERE seq = 2');
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
      expect(await contentSent()).toMatchObject({ smsSubscription: 900 });
    });
  });

  it('is not done for a member who is erased', async () => {
    await till.record(enrolment('e', 'a'));
    await deliverOne(store);
    await store.sql('DELETE FROM member_key');
    const { lane_id: laneId } = await laneOf(store, 'a');
    const request = { laneId, evidence: '{}', job: 'r1', audit };
    const result = store.database.transaction('reissue', (session) =>
      reissuePass(session, request, store.keys.members),
    );
    expect(await result).toEqual(refused('erased'));
  });

  it('is left to a person when the pass vanishes again and again', async () => {
    await till.record(enrolment('e', 'a'));
    for (let time = 0; time < reissuesMax; time += 1) {
      await deliverOne(store, { now: now + 10 });
      expect(await reissue('a')).toMatchObject({ kind: 'done' });
    }
    await deliverOne(store, { now: now + 10 });
    expect(await reissue('a')).toEqual(refused('reissued-too-often'));
  });
});
