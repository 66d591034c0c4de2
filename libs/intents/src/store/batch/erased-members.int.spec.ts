import type { BusinessKey } from '#intents/core';
import { nobody } from '#intents/core';

import { erasedName } from '../erasure/erased-names.js';
import { destroyKey, finishErasures } from '../erasure/erasure.js';
import { ErasureRepository } from '../erasure/erasure-repository.js';
import { QuarantineSettlements } from '../quarantine/quarantine-settlements.js';
import { claim, deliverOne, leaseMs, owner } from '../../testing/lease.js';
import type { TestEvent, TimedEvent } from '../../testing/records.js';
import {
  cancelling,
  enrolment,
  laneOf,
  leaving,
  namesOfRow,
  now,
  personal,
  program,
  purchase,
  purchaseKey,
  routingBy,
  setAside,
  Till,
  transactionIntent,
  update,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore, withBefore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(8);
  till = new Till(store);
});

afterEach(() => store.close());

const hourMs = 3_600_000;
/** So many hours before the specs' present. */
const ago = (hours: number): number => now - hours * hourMs;

const audit = { at: ago(5), actor: 'ada', address: null, reason: 'asked by letter' };

async function eraseByWord(memberId = 'a'): Promise<void> {
  await store.sql(
    `INSERT INTO job (job_id, kind, program_id, request, reason, state, created_at, created_by, owner)
     VALUES ('j1', 'erase', $1, '{}', 'asked by letter', 'running', now(), 'ada', $2::uuid)`,
    ...[program, owner],
  );
  const erasures = new ErasureRepository(store.database, store.newKeys());
  for (const member of await erasures.familyOf({ program, memberId })) {
    const request = { jobId: 'j1', ...member, since: ago(5), audit, isPatient: false };
    expect(await erasures.eraseMember(request)).toMatchObject({ kind: 'erased' });
  }
}

/** Delivers what tells the partner, and destroys the key. */
async function finish(): Promise<void> {
  await store.sql(`UPDATE lane SET due_at = NULL FROM member m WHERE m.lane_id = lane.lane_id AND m.member_id <> 'a'`);
  while ((await memberRow()).openIntents > 0) await deliverOne(store, { now: now + leaseMs + 1 });
  expect(await finishErasures(store.database, now)).toBe(1);
}

const waysToErase: readonly (readonly [name: string, erase: () => Promise<void>])[] = [
  [
    'by an event, once the partner knows',
    async () => {
      await till.tell([leaving('x', 'a', true), ago(5)]);
      await finish();
    },
  ],
  [
    'by an event, before the partner knows',
    async () => {
      await till.tell([leaving('x', 'a', true), ago(5)]);
    },
  ],
  ["on somebody's word", () => eraseByWord()],
];

interface MemberRow {
  readonly generation: number;
  readonly intents: number;
  readonly openIntents: number;
  readonly hasKey: boolean;
}

async function memberRow(memberId = 'a'): Promise<MemberRow> {
  const [row] = await store.sql<MemberRow>(
    `SELECT m.generation, k.lane_id IS NOT NULL AS "hasKey", l.tail_seq - l.cur_seq + 1 AS "openIntents",
       (SELECT count(*) FROM intent i WHERE i.lane_id = m.lane_id) AS intents
     FROM member m JOIN lane l USING (lane_id) LEFT JOIN member_key k USING (lane_id) WHERE m.member_id = ANY ($1::text[])`,
    namesOfRow(store, memberId),
  );
  return row!;
}

/** Amount or nothing of what is set aside, and whether anything else of it is kept. */
async function kept(): Promise<{ reason: string; detail: string; hasBytes: boolean }[]> {
  return store.sql(
    `SELECT reason, detail, sealed_key IS NOT NULL OR sealed_value IS NOT NULL OR erased_at IS NULL AS "hasBytes"
     FROM quarantine WHERE state = 'open' ORDER BY quarantine_id`,
  );
}

function numbered(id: string, memberId: string, scope: BusinessKey['scope']): TestEvent {
  const event = purchase(id, memberId);
  const businessKey = { scope, parts: [id], perGeneration: false };
  return { ...event, verdict: { ...event.verdict, intents: [transactionIntent(memberId, id, { businessKey })] } };
}

const withheld = { reason: 'erased', detail: '59.99 EUR: of an erased member', hasBytes: false };

describe.each(waysToErase)('who was erased %s', (_way, erase) => {
  beforeEach(async () => {
    await till.tell([enrolment('e', 'a'), ago(9)], [purchase('p', 'a'), ago(8)], [purchase('q', 'b'), ago(8)]);
    await erase();
  });

  it.each(['purchase', 'refund', 'grant'] as const)(
    'is owed nothing more, whenever it happened: of a %s the amount is kept, and nothing else',
    async (scope) => {
      const before = await memberRow();
      expect(await till.tell([numbered('n', 'a', scope), ago(1)], [numbered('o', 'a', scope), ago(7)])).toEqual([
        ...['erased', 'erased'],
      ]);
      expect(await kept()).toEqual([withheld, withheld]);
      expect(await memberRow()).toEqual(before);
    },
  );

  it('leaves no identity: the same again in one batch is set aside, too', async () => {
    const sale = purchase('n', 'a');
    expect(await till.tell([sale, ago(1)], [sale, ago(1)], [purchase('other', 'a', 'n'), ago(1)])).toEqual(
      Array(3).fill('erased'),
    );
    expect(await kept()).toEqual(Array(3).fill(withheld));
  });

  it('takes back nothing that nobody knows, and everything of others', async () => {
    const unknown = cancelling('v', 'a', purchaseKey('none'));
    const others = cancelling('w', 'a', purchaseKey('q'));
    expect(await till.tell([unknown, ago(1)], [others, ago(1)])).toEqual(['erased', 'recorded']);
    expect(await kept()).toEqual([{ reason: 'erased', detail: 'of an erased member', hasBytes: false }]);
    expect(await store.sql(`SELECT FROM dedup WHERE kind = 'mark'`)).toEqual([]);
  });

  it.each([
    ['nobody is named', nobody],
    ['somebody else is named', 'b'],
  ])('keeps what a void of theirs would take back, where %s', async (_whom, memberId) => {
    expect(await till.tell([cancelling('v', memberId, purchaseKey('p')), ago(1)])).toEqual(['conflict']);
    expect((await kept()).map(({ hasBytes }) => hasBytes)).toEqual([false]);
  });

  it('is not changed, and brought back by nothing of before', async () => {
    const before = await memberRow();
    expect(
      await till.tell([update('u', 'a'), ago(1)], [update('t', 'a'), ago(7)], [enrolment('old', 'a', 'Anew'), ago(6)]),
    ).toEqual(['stale', 'stale', 'stale']);
    expect(await memberRow()).toEqual(before);
    expect(await kept()).toEqual([]);
  });

  it('is told to the partner as gone, once more, and forgotten again', async () => {
    const optOut = { ...update('sms', 'a'), type: 'loyalty.member.opted-out.v1' };
    expect(await till.tell([optOut, ago(1)])).toEqual(['recorded']);
    expect(await till.tell([purchase('n', 'a'), ago(1)])).toEqual(['erased']);
    await finish();
    expect(await memberRow()).toMatchObject({ hasKey: false });
    expect(await till.tell([purchase('o', 'a'), ago(1)])).toEqual(['erased']);
  });

  it('begins anew with an enrolment of after it: from that on, what they buy is theirs', async () => {
    const { generation } = await memberRow();
    expect(await till.tell([enrolment('back', 'a', 'Anew'), ago(3)], [purchase('n', 'a'), ago(2)])).toEqual([
      ...['recorded', 'recorded'],
    ]);
    expect(await till.tell([purchase('o', 'a'), ago(4)], [update('u', 'a'), ago(4)])).toEqual(['erased', 'stale']);
    expect(await memberRow()).toMatchObject({ hasKey: true });
    expect((await memberRow()).generation).toBeGreaterThanOrEqual(generation);
    expect(await kept()).toEqual([withheld]);
  });

  it('is not brought back by a record from quarantine', async () => {
    const [quarantineId] = await setAside(store, till, ['late']);
    const request = { quarantineId: quarantineId!, correction: null, audit, permit: () => [] };
    const route = routingBy({ late: purchase('late', 'a') });
    const settlements = new QuarantineSettlements(store.database, store.keys);
    const before = await memberRow();
    expect(await settlements.resubmit(request, route)).toMatchObject({ kind: 'refused', reason: 'erased' });
    expect(await memberRow()).toEqual(before);
  });

  it('leaves nothing personal in clear', async () => {
    await till.tell([purchase('n', 'a'), ago(1)], [enrolment('old', 'a'), ago(7)]);
    const rows = await store.sql<{ row: string }>('SELECT q::text AS row FROM quarantine q');
    expect(rows.filter(({ row }) => row.includes(personal))).toEqual([]);
  });
});

it('a sale is decided on anew where its member is erased after it was looked up', async () => {
  await till.tell([enrolment('e', 'a'), ago(9)]);
  const other = new Till(withBefore(store, 'extend_lanes', () => till.tell([leaving('x', 'a', true), ago(5)])));
  expect(await other.recordOutcomes(purchase('p1', 'a'))).toEqual(['erased']);
  const [lane] = await claim(store, { now: now + leaseMs + 1 });
  expect([...(lane?.intents ?? [])].map(([, { command }]) => command?.operation ?? null)).not.toContain('transaction');
});

/** `a` lives on, and has absorbed `old`. */
function absorbing(id: string): TestEvent {
  const { verdict, ...event } = update(id, 'a');
  const merge = { into: 'a', absorbed: ['old'], isUndone: false };
  return {
    ...event,
    type: 'loyalty.member.merged.v1',
    verdict: {
      ...verdict,
      intents: verdict.intents.map((intent) => ({ ...intent, command: null })),
      memberEffects: { raisesGeneration: false, erase: false, merge },
    },
  };
}

describe.each(waysToErase)('regression: whom a member had absorbed who was erased %s', (_way, erase) => {
  const nobodysNames = async (): Promise<unknown[]> =>
    store.sql(`SELECT 1 FROM member WHERE 'a' IN (member_id, merged_into) OR 'old' IN (member_id, merged_into)`);

  it.each([
    ['of whom nothing else was ever told', []],
    ['who has bought by the old number', [purchase('n', 'old')]],
  ])('is erased, too, %s', async (_what, sales) => {
    await till.tell([enrolment('e', 'a'), ago(9)], [absorbing('m'), ago(8)]);
    if (sales.length > 0) await till.tell(...sales.map((sale): TimedEvent => [sale, ago(7)]));
    await erase();
    expect(await till.tell([purchase('o', 'old'), ago(1)])).toEqual(['erased']);
    expect(await till.tell([purchase('p', 'a'), ago(1)])).toEqual(['erased']);
  });

  it('regression: holds up nothing where it was said while the erasure went on', async () => {
    await till.tell([enrolment('e', 'a'), ago(9)]);
    await store.sql(`INSERT INTO member (program_id, member_id, merged_into, merged_at, created_at)
      VALUES ('${program}', 'old', 'a', now(), now())`);
    const { lane_id: laneId } = await laneOf(store, 'a');
    await store.database.transaction('erase', (session) =>
      destroyKey(session, { laneId, at: ago(5), now, erasedName: erasedName(store.keys.mac, 'a') }),
    );
    expect(await till.tell([purchase('o', 'old'), ago(1)])).toEqual(['recorded']);
  });

  it('is not absorbed by what is told afterwards', async () => {
    await till.tell([enrolment('e', 'a'), ago(9)]);
    await erase();
    expect(await till.tell([absorbing('m'), ago(8)])).toEqual(['stale']);
    expect(await till.tell([purchase('o', 'old'), ago(1)])).toEqual(['recorded']);
  });

  it('keeps neither name', async () => {
    await till.tell([enrolment('e', 'a'), ago(9)], [absorbing('m'), ago(8)]);
    await erase();
    if ((await store.sql('SELECT FROM erasure')).length > 0) await finish();
    expect(await nobodysNames()).toEqual([]);
  });
});
