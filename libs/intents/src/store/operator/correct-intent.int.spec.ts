import type { PartnerCommand, TransactionCommand } from '#intents/core';

import { beginRecovery } from '../recovery/recovery.js';
import { applied, begin, beginOf, claim, claimOne, completion, record, stepOf } from '../../testing/lease.js';
import { laneOf, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { CorrectionResult } from './intent-action-repository.js';
import { IntentActionRepository } from './intent-action-repository.js';
import { loadCommands } from './load-commands.js';
import { AuditRepository } from './operator-action.js';

let store: TestStore;
let till: Till;

beforeAll(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(async () => {
  await store.sql('UPDATE lane SET due_at = NULL, owner = NULL');
});

afterAll(() => store.close());

const audit = { at: now + 5, actor: 'ada', address: '127.0.0.1', reason: 'the till had the wrong amount' };

let names = 0;

async function withPurchase(): Promise<string> {
  names += 1;
  await till.record(purchase(`p${names}`, `m${names}`));
  return `m${names}`;
}

async function placeOf(member: string): Promise<{ readonly laneId: number; readonly seq: number }> {
  const place = await new IntentActionRepository(store.database, store.keys.members).find({
    program,
    memberId: member,
    seq: 1,
  });
  if (place === null) throw new Error('no such intent');
  return place;
}

async function correct(member: string, amount: string): Promise<CorrectionResult> {
  const revise = (current: PartnerCommand | null) => ({
    command: { ...(current as TransactionCommand), amount },
    changed: ['amount'],
    privileged: [],
  });
  // With keys of its own, as a process has that has never seen the member.
  return new IntentActionRepository(store.database, store.newMemberKeys()).correct({
    place: await placeOf(member),
    revise,
    audit,
  });
}

async function claimedAmount(): Promise<string | undefined> {
  const [lane] = await claim(store);
  const command = lane?.intents.get(1)?.command;
  return command?.operation === 'transaction' ? command.amount : undefined;
}

describe('a correction', () => {
  it('is what is sent from then on, and leaves what was recorded', async () => {
    const member = await withPurchase();
    const place = await placeOf(member);
    const stored = await store.sql('SELECT payload FROM intent WHERE lane_id = $1', place.laneId);
    expect(await correct(member, '12.34')).toMatchObject({
      kind: 'done',
      before: { amount: '59.99' },
      after: { amount: '12.34' },
    });
    expect(await store.sql('SELECT payload FROM intent WHERE lane_id = $1', place.laneId)).toEqual(stored);
    const loaded = await loadCommands(store.database, [place], store.newMemberKeys());
    expect(loaded).toMatchObject([{ ...place, current: { kind: 'command', command: { amount: '12.34' } } }]);
    expect(await claimedAmount()).toBe('12.34');
  });

  it('is made on top of the one before, and each leaves its trace', async () => {
    const member = await withPurchase();
    await correct(member, '1.00');
    expect(await correct(member, '2.00')).toMatchObject({ before: { amount: '1.00' } });
    expect(await claimedAmount()).toBe('2.00');
    const query = { actor: null, action: 'intent.correct', programs: null, before: null, limit: 2 };
    expect((await new AuditRepository(store.database).list(query)).items).toMatchObject([
      { reason: audit.reason, detail: { changed: ['amount'] } },
      {},
    ]);
  });

  it('is never overtaken by a send that was prepared before it', async () => {
    const member = await withPurchase();
    const lease = await claimOne(store);
    await correct(member, '3.00');
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({ begun: false });
  });

  it('is refused while an attempt is under way, and for what is settled', async () => {
    const member = await withPurchase();
    const lease = await begin(store, await claimOne(store));
    expect(await correct(member, '4.00')).toEqual({ kind: 'refused', reason: 'in-flight' });
    await record(store, stepOf(lease, { completion: applied(lease) }));
    expect(await correct(member, '4.00')).toEqual({ kind: 'refused', reason: 'already-settled' });
  });

  it('is refused for what may have taken effect: its evidence would be about something else', async () => {
    const member = await withPurchase();
    const lease = await begin(store, await claimOne(store));
    const events = [
      { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null },
      { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' },
    ] as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
    expect(await correct(member, '5.00')).toEqual({ kind: 'refused', reason: 'in-doubt' });
  });

  it.each([
    ['refused where a lost history may have sent the value that the partner takes once', true, true],
    ['refused where it would be given such a value only now', false, true],
    ['taken where nothing is told by such a value', false, false],
  ])('regression: is %s', async (_what, isEnforced, becomesEnforced) => {
    const restored = await testStore(4);
    try {
      const sale = purchase('p1', 'a');
      const [intent] = sale.verdict.intents;
      const withValue = (enforced: boolean): TransactionCommand => {
        const uniqueAttribute = { name: 'receipt', value: 'p1', enforced };
        return { ...(intent!.command as TransactionCommand), uniqueAttribute };
      };
      const intents = [{ ...intent!, command: withValue(isEnforced) }];
      await new Till(restored).record({ ...sale, verdict: { ...sale.verdict, intents } });
      await beginRecovery(restored.database, { recoveredFrom: now + 60_000, lostUntil: null, now: now + 120_000 });
      const place = { laneId: (await laneOf(restored, 'a')).lane_id, seq: 1 };
      const command = { ...withValue(becomesEnforced), amount: '1.00' };
      const revise = () => ({ command, changed: ['amount'], privileged: [] });
      const result = await new IntentActionRepository(restored.database, restored.keys.members).correct({
        place,
        revise,
        audit,
      });
      expect(result).toMatchObject(becomesEnforced ? { kind: 'refused', reason: 'in-flight' } : { kind: 'done' });
    } finally {
      await restored.close();
    }
  });

  it('is refused once the person is erased', async () => {
    const member = await withPurchase();
    const { laneId } = await placeOf(member);
    await store.sql('DELETE FROM member_key WHERE lane_id = $1', laneId);
    expect(await correct(member, '6.00')).toEqual({ kind: 'refused', reason: 'erased' });
  });

  it('changes nothing where it cannot be made', async () => {
    const member = await withPurchase();
    const place = await placeOf(member);
    const revise = (): never => {
      throw new RangeError('no such amount');
    };
    const asked = new IntentActionRepository(store.database, store.newMemberKeys()).correct({ place, revise, audit });
    await expect(asked).rejects.toThrow('no such amount');
    const [lane] = await store.sql<{ revision: number }>('SELECT revision FROM lane WHERE lane_id = $1', place.laneId);
    expect(lane?.revision).toBe(0);
  });
});
