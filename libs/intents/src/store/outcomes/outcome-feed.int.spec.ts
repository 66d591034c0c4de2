import pg from 'pg';

import { OUTCOME_EVENT_SCHEMAS } from '#contracts';
import type { IntentEvent } from '#intents/core';
import type { Database, SqlParameter, SqlResult, SqlStatement } from '#platform';
import { MasterKeyMissingError } from '#platform';

import { switchFeed } from '../feeds/feed-checkpoint.js';
import { feedLeaseMs } from '../feeds/topic-feed.js';
import { beginRecovery } from '../recovery/recovery.js';
import type { OutcomeReader } from '../../testing/outcome-reader.js';
import { answered, happens, outcomeReader, SettableClock } from '../../testing/outcome-reader.js';
import { enrolment, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { outcomesFeed } from './outcome-feed.js';
import type { Outcome } from './outcome.js';

const one = '00000000-0000-4000-8000-000000000001';
const two = '00000000-0000-4000-8000-000000000002';
const applied: IntentEvent = { type: 'AttemptApplied', at: now, attempt: 1 };
const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' };

const pass = {
  passId: 7,
  serialNumber: 's-7',
  templateId: 11,
  downloadUrl: 'https://d.example/7',
  downloadUrlApple: 'https://d.example/7/apple',
  downloadUrlGoogle: 'https://d.example/7/google',
  statusCode: 'ACTIVE',
  personId: 'not to be told',
};

let store: TestStore;
let clock: SettableClock;
let reader: OutcomeReader;

beforeEach(async () => {
  store = await testStore(8);
  clock = new SettableClock(now);
  reader = outcomeReader(store, { owner: one, clock });
});

afterEach(() => store.close());

const told = (outcomes: readonly Outcome[]): string[] =>
  outcomes.map(
    ({ name, memberId, sequence }) => `${memberId} ${sequence} ${name.slice('loyalty.'.length, -'.v1'.length)}`,
  );

async function sell(...memberIds: readonly string[]): Promise<void> {
  await new Till(store).record(...memberIds.map((memberId) => purchase(`p-${memberId}`, memberId)));
}

describe('what happened to an intent', () => {
  it('is told once it is delivered or parked, with what it came from', async () => {
    await sell('a', 'b');
    await happens(store, { memberId: 'a', seq: 1 }, { type: 'AttemptBegun', at: now, attempt: 1 });
    await happens(store, { memberId: 'a', seq: 1, evidence: answered({ transactionId: 1 }) }, applied);
    await happens(store, { memberId: 'b', seq: 1 }, parked);
    await reader.drain();
    expect(reader.received).toEqual([
      expect.objectContaining({ name: 'loyalty.intent.delivered.v1', memberId: 'a', sequence: 3, at: now }),
      expect.objectContaining({ name: 'loyalty.intent.parked.v1', memberId: 'b', sequence: 2 }),
    ]);
    const cause = { topic: 'loyalty.purchases', partition: expect.any(Number) as number, offset: 0 };
    const intentId = `${program}~a~1`;
    expect(reader.received[0]?.data).toEqual({
      ...{ program, memberId: 'a', intentId, operation: 'transaction', purchaseId: 'p-a', cause },
    });
    expect(reader.received[1]?.data).toMatchObject({ reason: 'rejected', holdsLane: true });
  });

  it("is told without another member's pass, however late that was answered, and with ours once it is proven", async () => {
    await new Till(store).record(enrolment('e', 'a'), enrolment('f', 'b'));
    const foreign = { at: now, attempt: 1, code: 'foreign-pass' };
    const place = { memberId: 'a', seq: 1, evidence: answered({ ...pass, serialNumber: 'not-ours' }) };
    await happens(store, place, { type: 'AttemptUnknown', ...foreign, checkAt: null });
    await happens(store, place, { type: 'LateOutcome', ...foreign, outcome: 'unknown' });
    await happens(store, { memberId: 'b', seq: 1 }, { type: 'AttemptUnknown', ...foreign, checkAt: null });
    const reread = { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'answer-reread' } as const;
    await happens(store, { memberId: 'b', seq: 1, evidence: answered(pass) }, reread);
    await reader.drain();
    expect(told(reader.received)).toEqual(['b 3 pass.issued', 'b 3 intent.delivered']);
    expect(JSON.stringify(reader.received)).not.toContain('not-ours');
  });

  it('is told with the pass and its links, where an enrolment issued one', async () => {
    await new Till(store).record(enrolment('e', 'a'));
    await happens(store, { memberId: 'a', seq: 1, evidence: answered(pass) }, applied);
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 pass.issued', 'a 2 intent.delivered']);
    const { templateId: _templateId, personId: _personId, ...facts } = pass;
    expect(reader.received[0]?.data).toEqual({ program, memberId: 'a', ...facts });
    for (const { name, data } of reader.received) expect(OUTCOME_EVENT_SCHEMAS[name].parse(data)).toEqual(data);
  });

  it('is told with the pass that a lookup found, and one whose answer came late', async () => {
    await sell('a');
    await new Till(store).record(enrolment('e', 'b'));
    await happens(store, { memberId: 'a', seq: 1, evidence: answered(pass) }, { type: 'PassFound', at: now });
    const late: IntentEvent = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'applied' };
    await happens(store, { memberId: 'b', seq: 1, evidence: answered(pass) }, late);
    await happens(store, { memberId: 'b', seq: 1 }, { ...applied, type: 'VerifiedApplied', evidence: 'late-outcome' });
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 pass.issued', 'b 2 pass.issued', 'b 3 intent.delivered']);
  });

  it('regression: is numbered beyond all of a lost history after a restore', async () => {
    await sell('a');
    await happens(store, { memberId: 'a', seq: 1 }, applied);
    await beginRecovery(store.database, { recoveredFrom: now + 60_000, lostUntil: null, now: now + 120_000 });
    await sell('b');
    await happens(store, { memberId: 'b', seq: 1 }, { ...applied, at: now + 180_000 });
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 intent.delivered', 'b 1000000000002 intent.delivered']);
  });

  it('is told when a person says so, and not when the person says the opposite', async () => {
    await sell('a', 'b');
    const resolved: IntentEvent = { type: 'IntentResolved', at: now, by: 'ann', reason: 'seen', as: 'delivered' };
    await happens(store, { memberId: 'a', seq: 1 }, resolved);
    await happens(store, { memberId: 'b', seq: 1 }, { ...resolved, as: 'not-delivered' });
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 intent.delivered']);
  });

  it('does without the pass where the answer holds none, or cannot be opened', async () => {
    await new Till(store).record(enrolment('e', 'a'), enrolment('f', 'b'));
    await happens(store, { memberId: 'a', seq: 1, evidence: answered({ message: 'accepted' }) }, applied);
    await happens(store, { memberId: 'b', seq: 1, evidence: answered(pass) }, applied);
    await store.sql('ALTER TABLE intent_event DISABLE TRIGGER USER');
    await store.sql(`UPDATE intent_event SET sealed = sealed || '\\x00'::bytea`);
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 intent.delivered', 'b 2 intent.delivered']);
  });

  // One key that could not be opened kept everything that came after it from being told.
  it('does without the pass where the key itself is damaged', async () => {
    await new Till(store).record(enrolment('e', 'a'));
    await happens(store, { memberId: 'a', seq: 1, evidence: answered(pass) }, applied);
    await store.sql(`UPDATE member_key SET wrapped_key = wrapped_key || '\\x00'::bytea`);
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 intent.delivered']);
  });

  it('waits where a key needs an encryption key that this process was not given: an operator can bring it back', async () => {
    await new Till(store).record(enrolment('e', 'a'));
    await happens(store, { memberId: 'a', seq: 1, evidence: answered(pass) }, applied);
    await store.sql(`UPDATE member_key SET wrapped_key = '\\x00'::bytea || wrapped_key`);
    await expect(reader.drain()).rejects.toThrow(MasterKeyMissingError);
    await store.sql(`UPDATE member_key SET wrapped_key = substr(wrapped_key, 2)`);
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 pass.issued', 'a 2 intent.delivered']);
  });

  it('is never told of a member whose key is gone, nor of what an erasure covers', async () => {
    await sell('a', 'b', 'c', 'd');
    for (const memberId of ['a', 'b', 'c', 'd']) await happens(store, { memberId, seq: 1 }, applied);
    await store.sql(`DELETE FROM member_key USING member m WHERE m.lane_id = member_key.lane_id AND m.member_id = 'a'`);
    await store.sql(`UPDATE member SET erased_seq = 1 WHERE member_id = 'b'`);
    await store.sql(
      `INSERT INTO erasure SELECT lane_id, 1, clock_timestamp(), 'erased.c' FROM member WHERE member_id = 'c'`,
    );
    await reader.drain();
    expect(told(reader.received)).toEqual(['d 2 intent.delivered']);
  });
});

describe('the reading', () => {
  it('goes on where it stood, with a process of another name, once the lease has ended', async () => {
    await sell('a');
    await happens(store, { memberId: 'a', seq: 1 }, parked);
    await reader.drain();
    const other = outcomeReader(store, { owner: two, clock });
    expect(await other.feed.step()).toBe('elsewhere');
    await happens(store, { memberId: 'a', seq: 1 }, parked);
    clock.at += feedLeaseMs + 1;
    await other.drain();
    expect(told(other.received)).toEqual(['a 3 intent.parked']);
  });

  it('is given back at once by a process that ends well', async () => {
    expect(await reader.feed.step()).toBe('idle');
    await reader.feed.release();
    expect(await outcomeReader(store, { owner: two, clock }).feed.step()).toBe('idle');
  });

  it('tells again, under the same ids, what was not acknowledged', async () => {
    await sell('a');
    await happens(store, { memberId: 'a', seq: 1 }, applied);
    let isAway = true;
    const flaky = outcomeReader(store, { owner: one, clock, fail: () => isAway });
    await expect(flaky.step()).rejects.toThrow('the broker is away');
    isAway = false;
    await flaky.drain();
    clock.at += feedLeaseMs + 1;
    await store.sql('UPDATE projection_checkpoint SET pos = 0');
    const again = outcomeReader(store, { owner: two, clock });
    await again.drain();
    expect(again.received).toEqual(flaky.received);
    expect(again.received).toHaveLength(1);
  });

  it('is one process\u2019s at a time, even of many', async () => {
    const memberIds = Array.from({ length: 30 }, (_, index) => `m${index}`);
    await sell(...memberIds);
    for (const memberId of memberIds) await happens(store, { memberId, seq: 1 }, applied);
    const owners = Array.from({ length: 4 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`);
    const readers = owners.map((owner) => outcomeReader(store, { owner, clock }));
    await Promise.all(readers.map((each) => each.drain()));
    const ids = readers.flatMap(({ received }) => received.map(({ id }) => id));
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });

  it('begins at what happens from then on when it is switched on again', async () => {
    await sell('a');
    await switchFeed(store.database, outcomesFeed, false);
    await happens(store, { memberId: 'a', seq: 1 }, parked);
    expect(await reader.feed.step()).toBe('elsewhere');
    await switchFeed(store.database, outcomesFeed, true);
    await switchFeed(store.database, outcomesFeed, true);
    await happens(store, { memberId: 'a', seq: 1 }, parked);
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 3 intent.parked']);
  });
});

describe('a standby that took over', () => {
  /** The same database, which says that it is another server from `isPromoted` on. */
  class PromotableDatabase implements Database {
    isPromoted = false;

    async execute<Row extends object>(
      statement: SqlStatement,
      parameters: readonly SqlParameter[] = [],
    ): Promise<SqlResult<Row>> {
      if (!this.isPromoted) return store.database.execute<Row>(statement, parameters);
      const own = parameters.map((value) =>
        statement.name === 'move_feed' && value === parameters[4] ? String(value).replace(/$/, ' old') : value,
      );
      const foreign = own.map((value) => (typeof value === 'string' ? value.replace(' new old', '') : value));
      const { rows, rowCount } = await store.database.execute<Row & { server?: string }>(statement, foreign);
      return { rows: rows.map((row) => (row.server ? { ...row, server: `${row.server} new` } : row)), rowCount };
    }

    transaction<T>(): Promise<T> {
      throw new Error('not needed here');
    }
  }

  it('is not believed to know what the old server has shown: what was not saved is read again', async () => {
    const server = new PromotableDatabase();
    const follower = outcomeReader(store, { owner: one, clock, database: server });
    await sell('a');
    // Positions without outcomes: seen, but not stored.
    await follower.drain();
    await happens(store, { memberId: 'a', seq: 1 }, applied);
    await store.sql('ALTER SEQUENCE event_pos_seq RESTART WITH 1');
    server.isPromoted = true;
    await store.sql(`INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
      SELECT lane_id, 1, 3, 0, 0, 'VerifiedApplied', clock_timestamp() FROM member`);
    await follower.drain();
    await follower.drain();
    expect(told(follower.received)).toContain('a 3 intent.delivered');
  });

  it('refuses the move of a checkpoint that rests on what the old server has shown', async () => {
    const server = new PromotableDatabase();
    await sell('a');
    await happens(store, { memberId: 'a', seq: 1 }, applied);
    const send = (): boolean => {
      server.isPromoted = true;
      return false;
    };
    const follower = outcomeReader(store, { owner: one, clock, database: server, fail: send });
    await follower.step();
    expect(follower.received).toHaveLength(1);
    expect(await store.sql(`SELECT pos FROM projection_checkpoint WHERE name = 'outcomes'`)).toEqual([{ pos: 0 }]);
  });
});

describe('events that become visible in another order than their positions', () => {
  let slow: pg.Client;

  beforeEach(async () => {
    slow = new pg.Client({ connectionString: store.url });
    await slow.connect();
    await sell('a', 'b');
  });

  afterEach(async () => {
    await slow.end();
  });

  /** Appends under the lane's lock, as every writer does, and leaves the transaction open. */
  async function appendSlowly(memberId: string): Promise<void> {
    await slow.query('BEGIN');
    await slow.query(
      `WITH bumped AS (UPDATE lane l SET version = version + 1 FROM member m
         WHERE m.lane_id = l.lane_id AND m.member_id = $1 RETURNING l.lane_id, l.version)
       INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
       SELECT lane_id, 1, version, 1, 0, 'AttemptApplied', clock_timestamp() FROM bumped`,
      [memberId],
    );
  }

  it('are waited for: a later commit does not hide an earlier position', async () => {
    await appendSlowly('a');
    await happens(store, { memberId: 'b', seq: 1 }, applied);
    expect(await reader.feed.step()).toBe('open');
    expect(await reader.feed.step()).toBe('open');
    await slow.query('COMMIT');
    await reader.drain();
    expect(told(reader.received)).toEqual(['a 2 intent.delivered', 'b 2 intent.delivered']);
  });

  it('are waited for also when nothing younger has committed', async () => {
    await happens(store, { memberId: 'b', seq: 1 }, applied);
    await reader.drain();
    await appendSlowly('a');
    expect(await reader.feed.step()).toBe('open');
    await slow.query('COMMIT');
    await reader.drain();
    expect(told(reader.received)).toEqual(['b 2 intent.delivered', 'a 2 intent.delivered']);
  });

  it('are passed over when their transaction was rolled back', async () => {
    await appendSlowly('a');
    await happens(store, { memberId: 'b', seq: 1 }, applied);
    await slow.query('ROLLBACK');
    await reader.drain();
    expect(told(reader.received)).toEqual(['b 2 intent.delivered']);
  });

  it('are all told, in the order of each member, while many write at once and readers die', async () => {
    const memberIds = Array.from({ length: 12 }, (_, index) => `m${index}`);
    await sell(...memberIds);
    const perMember = 25;
    let isWriting = true;
    const write = async (memberId: string): Promise<void> => {
      for (let times = 0; times < perMember; times += 1) await happens(store, { memberId, seq: 1 }, applied);
    };
    const received: Outcome[] = [];
    const readOn = async (): Promise<void> => {
      for (let lives = 0; isWriting; lives += 1) {
        clock.at += feedLeaseMs + 1;
        const life = outcomeReader(store, { owner: lives % 2 === 0 ? one : two, clock, fail: () => lives % 3 === 1 });
        for (let steps = 0; steps < 5; steps += 1) await life.feed.step().catch(() => undefined);
        received.push(...life.received);
      }
    };
    const reading = readOn();
    await Promise.all(memberIds.map(write));
    isWriting = false;
    await reading;
    clock.at += feedLeaseMs + 1;
    await reader.drain();
    received.push(...reader.received);
    for (const memberId of memberIds) {
      const versions = received.filter((outcome) => outcome.memberId === memberId).map(({ sequence }) => sequence);
      expect([...new Set(versions)]).toEqual(Array.from({ length: perMember }, (_, index) => index + 2));
    }
  });
});
