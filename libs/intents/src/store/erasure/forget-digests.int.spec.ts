import type { BusinessKey } from '#intents/core';
import { keyedDigest } from '#platform';

import { QuarantineRepository } from '../quarantine/quarantine-repository.js';
import type { TestEvent } from '../../testing/records.js';
import {
  cancelling,
  enrolment,
  namesOfRow,
  now,
  prepared,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
  update,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { erasedName } from './erased-names.js';
import { destroyKey } from './erasure.js';
import { forgetDigests, forgetDigestsMax, forgetUnowned, settledAfterMs } from './forget-digests.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore();
  till = new Till(store);
});

afterEach(() => store.close());

const at = (event: TestEvent, timeMs: number): TestEvent => ({
  ...event,
  verdict: { ...event.verdict, profilePosition: { sequence: null, timeMs } },
});

const saying = (event: TestEvent, content: string): TestEvent => ({ ...event, content });

async function laneOf(memberId: string): Promise<number> {
  const [row] = await store.sql<{ lane_id: number }>(
    'SELECT lane_id FROM member WHERE member_id = ANY ($1::text[])',
    namesOfRow(store, memberId),
  );
  return row!.lane_id;
}

async function erase(memberId: string, happenedAt = now): Promise<void> {
  const laneId = await laneOf(memberId);
  const erasure = { laneId, at: happenedAt, now, erasedName: erasedName(store.keys.mac, memberId) };
  await store.database.transaction('erase', (session) => destroyKey(session, erasure));
}

/** A while later. @returns in how many turns */
async function forget(): Promise<number> {
  for (let turns = 0; ; turns += 1) if (!(await forgetDigests(store.database, now + settledAfterMs))) return turns;
}

/** Whether a digest of this content is left, by whoever holds the key of all digests. */
async function canBeGuessed(content: string): Promise<boolean> {
  const rows = await store.sql<{ digest: Buffer }>(
    `SELECT body_mac AS digest FROM dedup UNION ALL SELECT enrolment_mac FROM member WHERE enrolment_mac IS NOT NULL`,
  );
  const guess = keyedDigest(store.keys.mac, content);
  return rows.some(({ digest }) => guess.equals(digest));
}

describe('the digests of an erased member', () => {
  it('cannot be guessed back; those of others stay', async () => {
    const phone = '+441632960961';
    await till.recordOutcomes(enrolment('e', 'a', phone), saying(purchase('p', 'a'), phone));
    await till.recordOutcomes(saying(enrolment('f', 'a', 'other'), `${phone} again`));
    await till.recordOutcomes(enrolment('g', 'b', 'bob'));
    const said = [phone, `${phone} again`, 'e', 'other'];
    expect(await Promise.all(said.map(canBeGuessed))).toEqual([true, true, true, true]);
    await erase('a');
    await forget();
    expect(await Promise.all([...said, 'bob', 'g'].map(canBeGuessed))).toEqual([
      ...[false, false, false, false],
      ...[true, true],
    ]);
    expect(await store.sql('SELECT FROM digest_erasure')).toEqual([]);
  });

  it('are forgotten of what came to nothing, too', async () => {
    await till.recordOutcomes(enrolment('e', 'a'), at(update('u', 'a'), now - 10));
    expect(
      await till.recordOutcomes(
        saying(at(update('old', 'a'), now - 20), 'a stale phone number'),
        saying(cancelling('v', 'a', purchaseKey('none')), 'a void that says why'),
      ),
    ).toEqual(['stale', 'recorded']);
    await erase('a');
    await forget();
    expect(await canBeGuessed('a stale phone number')).toBe(false);
    expect(await canBeGuessed('a void that says why')).toBe(false);
  });

  it('are forgotten in turns, however many there are', async () => {
    for (let from = 0; from < forgetDigestsMax; from += 400) {
      await till.record(...Array.from({ length: 400 }, (_, index) => purchase(`p${from + index}`, 'a')));
    }
    await erase('a');
    expect(await forget()).toBeGreaterThan(1);
    expect(await store.sql(`SELECT FROM dedup WHERE body_mac <> ''::bytea`)).toEqual([]);
  });

  it('wait for transactions that may have seen the member before', async () => {
    await till.recordOutcomes(enrolment('e', 'a'));
    await erase('a');
    expect(await forgetDigests(store.database, now + settledAfterMs - 1)).toBe(false);
    expect(await canBeGuessed('e')).toBe(true);
  });

  it('of what the person says after coming back stay', async () => {
    await till.recordOutcomes(enrolment('e', 'a'));
    await erase('a');
    await till.recordOutcomes(enrolment('back', 'a', 'anew'));
    await forget();
    expect(await canBeGuessed('anew')).toBe(true);
    expect(await till.recordOutcomes(saying(enrolment('back', 'a', 'anew'), 'something else'))).toEqual(['conflict']);
  });
});

describe.each([
  ['before its digests are forgotten', async () => undefined],
  [
    'afterwards',
    async () => {
      await forget();
    },
  ],
])('what an erased member had said, %s,', (_when, settle) => {
  it('is a duplicate when it comes again, whatever it says, and brings nobody back', async () => {
    const p = purchase('p', 'a');
    await till.recordOutcomes(enrolment('e', 'a'), p);
    await erase('a');
    await settle();
    expect(await till.recordOutcomes(enrolment('e', 'a'), p)).toEqual(['duplicate-event', 'duplicate-event']);
    expect(await till.recordOutcomes(saying(p, 'other'), saying(p, 'and another'))).toEqual(
      Array(2).fill('duplicate-event'),
    );
    expect(await store.sql('SELECT FROM member_key')).toEqual([]);
    expect(await store.sql('SELECT FROM quarantine')).toEqual([]);
  });

  const numbered = (id: string, memberId: string, scope: BusinessKey['scope']): TestEvent => {
    const businessKey = { scope, parts: ['n1'], perGeneration: false };
    const event = purchase(id, memberId);
    const intents = [transactionIntent(memberId, 'n1', { businessKey })];
    return { ...event, verdict: { ...event.verdict, intents } };
  };

  it.each(['purchase', 'refund', 'grant', 'void', 'revocation'] as const)(
    'is for a person under another event with the number of its %s, whoever sends that, and keeps its place, number and amount',
    async (scope) => {
      await till.recordOutcomes(enrolment('e', 'a'), enrolment('f', 'b'), numbered('p', 'a', scope));
      await erase('a');
      await settle();
      const again = [numbered('q', 'a', scope), numbered('r', 'b', scope), numbered('s', 'c', scope)];
      const from = till.offset;
      expect(await till.recordOutcomes(...again)).toEqual(Array(3).fill('conflict'));
      const rows = await store.sql<object>(
        `SELECT kafka_offset AS at, detail, sealed_key AS key, sealed_value AS value, erased_at IS NOT NULL AS erased, state
         FROM quarantine ORDER BY kafka_offset`,
      );
      const detail = `${scope} n1, 59.99 EUR: a number of an erased member`;
      expect(rows).toEqual(
        again.map((_, index) => ({ at: from + index, detail, key: null, value: null, erased: true, state: 'open' })),
      );
      const [lost] = await store.sql<{ id: number }>('SELECT quarantine_id AS id FROM quarantine LIMIT 1');
      const letter = await new QuarantineRepository(store.database, store.keys).read(lost!.id);
      expect(letter).toMatchObject({ key: null, value: null, headersText: '{}', isUnreadable: true });
      expect(
        await store.sql(
          `SELECT FROM member_key JOIN member USING (lane_id) WHERE member_id = ANY ($1::text[])`,
          namesOfRow(store, 'a'),
        ),
      ).toEqual([]);
      expect(await store.sql(`SELECT FROM member WHERE member_id = 'c'`)).toEqual([]);
      expect(await till.recordOutcomes(numbered('p', 'a', scope))).toEqual(['duplicate-event']);
    },
  );

  it('is taken back by nobody: a void of it is for a person, and nothing is recorded for who is erased', async () => {
    await till.recordOutcomes(enrolment('e', 'a'), purchase('p', 'a'), enrolment('f', 'b'));
    await erase('a');
    await settle();
    const late = cancelling('v', 'b', purchaseKey('p'));
    const instead = transactionIntent('b', 'p', { businessKey: { ...purchaseKey('p'), scope: 'void' } });
    const cancels = late.verdict.cancels.map((cancel) => ({ ...cancel, total: '59.99 EUR', ifTooLate: instead }));
    const voids = [late, { ...late, id: 'w', verdict: { ...late.verdict, cancels } }];
    expect(await till.recordOutcomes(...voids)).toEqual(['conflict', 'conflict']);
    expect(await store.sql('SELECT detail FROM quarantine ORDER BY kafka_offset')).toEqual([
      { detail: 'purchase p: a number of an erased member' },
      { detail: 'void p, 59.99 EUR: a number of an erased member' },
    ]);
    expect(
      await store.sql(
        `SELECT FROM member_key JOIN member USING (lane_id) WHERE member_id = ANY ($1::text[])`,
        namesOfRow(store, 'a'),
      ),
    ).toEqual([]);
  });

  it('is left behind where it was an enrolment or an update, also under a new id, and leaves no digest', async () => {
    await till.recordOutcomes(at(enrolment('e', 'a'), now - 500));
    await erase('a');
    await settle();
    const late = [at(enrolment('f', 'a', 'late phone'), now - 100), at(update('u', 'a'), now - 1)];
    expect(await till.recordOutcomes(...late)).toEqual(['stale', 'stale']);
    expect(await till.recordOutcomes(...late)).toEqual(['duplicate-event', 'duplicate-event']);
    expect(await store.sql('SELECT FROM member_key')).toEqual([]);
    expect(await canBeGuessed('f')).toBe(false);
    expect(await till.recordOutcomes(at(enrolment('g', 'a'), now + 1))).toEqual(['recorded']);
    expect(await till.recordOutcomes(saying(at(enrolment('h', 'a', 'later'), now - 50), 'phone'))).toEqual(['stale']);
    expect(await canBeGuessed('phone')).toBe(false);
  });
});

describe('digests of earlier releases', () => {
  it('that name no member are forgotten, and the event is still known', async () => {
    const digest = keyedDigest(store.keys.mac, 'an old phone number');
    const key = Buffer.alloc(16, 7);
    await store.sql(
      `INSERT INTO dedup (key, kind, body_mac, seen_on) VALUES ($1, 'event', $2, now()::date)`,
      key,
      digest,
    );
    expect(await canBeGuessed('an old phone number')).toBe(true);
    expect(await forgetUnowned(store.database)).toBe(false);
    expect(await canBeGuessed('an old phone number')).toBe(false);
    expect(await store.sql('SELECT FROM dedup')).toHaveLength(1);
  });
});

it('an event that comes to nothing, of a member whom nobody knows, is remembered by its id alone', async () => {
  const ignored = (content: string, offset: number) => ({
    ...prepared(update('u', 'nobody-yet'), offset),
    verdict: {
      kind: 'ignored' as const,
      reason: 'not-mapped' as const,
      identity: {
        eventKeyText: 'key',
        eventContentText: content,
        member: { program: 'coffee-club', memberId: 'nobody-yet' },
      },
    },
  });
  await till.recordPrepared([ignored('a phone number', till.offset)]);
  expect(await canBeGuessed('a phone number')).toBe(false);
  const { results } = await till.recordPrepared([ignored('another', till.offset)]);
  expect(results).toEqual([{ kind: 'ignored', reason: 'duplicate-event' }]);
});
