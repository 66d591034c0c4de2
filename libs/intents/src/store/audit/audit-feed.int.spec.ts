import { actionRecordedSchema } from '#contracts';
import { MasterKeyMissingError } from '#platform';

import { TopicFeed } from '../feeds/topic-feed.js';
import type { FeedStep } from '../feeds/topic-feed.js';
import { feedLeaseMs } from '../feeds/topic-feed.js';
import type { AuditContext } from '../operator/operator-action.js';
import { AuditRepository, recordAction } from '../operator/operator-action.js';
import { SettableClock } from '../../testing/outcome-reader.js';
import { laneOf, now, program, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { PublishedAction } from './audit-feed.js';
import { auditSource } from './audit-feed.js';

const owners = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const ann: AuditContext = { at: now, actor: 'ann', role: 'operator', address: '10.9.8.7', reason: 'asked by letter' };

let store: TestStore;
let audits: AuditRepository;
let clock: SettableClock;

beforeEach(async () => {
  store = await testStore(8);
  audits = new AuditRepository(store.database);
  clock = new SettableClock(now);
});

afterEach(() => store.close());

interface Reader {
  readonly received: PublishedAction[];
  readonly feed: TopicFeed<PublishedAction>;
  drain(): Promise<void>;
}

/** A process that publishes into memory. `fail` is asked after each send: what the broker did not confirm. */
function readerOf(owner: string = owners[0], fail: () => boolean = () => false): Reader {
  const received: PublishedAction[] = [];
  const send = async (actions: readonly PublishedAction[]): Promise<void> => {
    received.push(...actions);
    if (fail()) throw new Error('the broker did not confirm');
  };
  const isProgram = (name: string): boolean => ['tea-club', program].includes(name);
  const source = auditSource({ keys: store.newMemberKeys(), isProgram });
  const feed = new TopicFeed({ database: store.database, source, clock, owner, send });
  const drain = async (): Promise<void> => {
    for (let step: FeedStep = 'open'; step === 'open' || step === 'published';) {
      step = await feed.step();
      // Other specs' transactions on the same server.
      if (step === 'open') await clock.sleep(2);
    }
  };
  return { received, feed, drain };
}

const numbers = ({ received }: Pick<Reader, 'received'>): number[] => received.map(({ data }) => data.number);

async function act(
  action: string,
  of: { memberId?: string; seq?: number; at?: number; detail?: object } = {},
): Promise<void> {
  const { memberId, seq = 0, at = now, detail } = of;
  const place = memberId === undefined ? null : { laneId: (await laneOf(store, memberId)).lane_id, seq };
  await audits.recordAccess({ audit: { ...ann, at }, action, place, detail: { ...detail } });
}

/** All that is published of all actions, read anew from the first. */
async function publishedAnew(): Promise<PublishedAction[]> {
  await store.sql(`UPDATE projection_checkpoint SET pos = 0, owner = NULL, leased_until = NULL WHERE name = 'audit'`);
  const reader = readerOf();
  await reader.drain();
  return reader.received;
}

const pseudonyms = (published: readonly PublishedAction[]): (string | null)[] =>
  published.map(({ data }) => data.member);

async function erase(memberId: string): Promise<void> {
  await store.sql(
    `WITH gone AS (DELETE FROM member_key k USING member m WHERE k.lane_id = m.lane_id AND m.member_id = $1)
     UPDATE member m SET erased_seq = l.tail_seq FROM lane l WHERE l.lane_id = m.lane_id AND m.member_id = $1`,
    memberId,
  );
}

describe('an action', () => {
  it('is published with who did what, in which role, to which program, and with nothing else of it', async () => {
    await new Till(store).record(purchase('p1', 'm-secret'));
    await act('intent.replay', { memberId: 'm-secret', seq: 1, detail: { note: 'free text' } });
    await act('pause.set', { detail: { program: 'tea-club', operation: 'issue' } });
    await audits.recordAccess({
      audit: { at: now + 1, actor: 'loyaltyd', address: null, reason: 'old' },
      ...{ action: 'keys.rotate', place: null },
    });
    const reader = readerOf();
    await reader.drain();
    const member = expect.stringMatching(/^[\da-f]{32}$/) as string;
    const byAnn = { actor: 'ann', role: 'operator' };
    expect(reader.received.map(({ at, data }) => ({ at, ...data }))).toEqual([
      { at: now, number: 1, ...byAnn, action: 'intent.replay', kind: 'intent', program, member },
      { at: now, number: 2, ...byAnn, action: 'pause.set', kind: 'pause', program: 'tea-club', member: null },
      ...[{ at: now + 1, number: 3, actor: 'loyaltyd', role: null, action: 'keys.rotate', kind: 'keys' }].map(
        (each) => ({
          ...each,
          ...{ program: null, member: null },
        }),
      ),
    ]);
    for (const { data } of reader.received) expect(actionRecordedSchema.parse(data)).toEqual(data);
    expect(JSON.stringify(reader.received)).not.toMatch(/m-secret|letter|free text|10\.9\.8\.7/);
  });

  it('has no program that the programs file does not know: anybody can name one', async () => {
    await act('pause.set', { detail: { program: 'Mrs Lovelace' } });
    expect((await publishedAnew()).map(({ data }) => data.program)).toEqual([null]);
  });

  it('is of the program that stands in it, whatever its job is by now', async () => {
    await store.sql(
      `INSERT INTO job (job_id, kind, program_id, request, reason, state, created_at, created_by)
       VALUES ('j', 'export', 'coffee-club', '{}', 'why', 'done', now(), 'ann')`,
    );
    await act('export.start', { detail: { job: 'j', program: 'tea-club' } });
    expect((await publishedAnew()).map(({ data }) => data.program)).toEqual(['tea-club']);
  });

  it('comes again under the same id when it was not confirmed, and from the first unconfirmed on after a restart', async () => {
    await act('pause.set');
    let isAway = true;
    const flaky = readerOf(owners[0], () => isAway);
    await expect(flaky.drain()).rejects.toThrow('did not confirm');
    isAway = false;
    await flaky.drain();
    expect(numbers(flaky)).toEqual([1, 1]);
    expect(new Set(flaky.received.map(({ id }) => id)).size).toBe(1);
    await flaky.feed.release();
    await act('pause.lift');
    const next = readerOf(owners[1]);
    await next.drain();
    expect(numbers(next)).toEqual([2]);
  });
});

describe('numbers that become visible in another order', () => {
  /** Records an action in a transaction that stays open until it is told to end. */
  function slowly(action: string): { readonly isWritten: Promise<void>; end(rollsBack?: boolean): Promise<void> } {
    const gate = Promise.withResolvers<boolean>();
    const written = Promise.withResolvers<undefined>();
    const rolledBack = new Error('rolled back');
    const whole = store.database
      .transaction('slow', async (session) => {
        await recordAction(session, { audit: ann, action, place: null });
        written.resolve(undefined);
        if (await gate.promise) throw rolledBack;
      })
      .catch((error: unknown) => {
        if (error !== rolledBack) throw error;
      });
    const end = async (rollsBack = false): Promise<void> => {
      gate.resolve(rollsBack);
      await whole;
    };
    return { isWritten: Promise.race([written.promise, whole]), end };
  }

  it('are waited for: of two interleaved transactions the one that commits later is not passed over', async () => {
    const slow = slowly('intent.cancel');
    await slow.isWritten;
    await act('pause.set');
    const reader = readerOf();
    expect([await reader.feed.step(), await reader.feed.step()]).toEqual(['open', 'open']);
    expect(reader.received).toEqual([]);
    await slow.end();
    await reader.drain();
    expect(reader.received.map(({ data }) => `${data.number} ${data.action}`)).toEqual([
      '1 intent.cancel',
      '2 pause.set',
    ]);
  });

  it('are passed over when their transaction was rolled back', async () => {
    const slow = slowly('intent.cancel');
    await slow.isWritten;
    await act('pause.set');
    await slow.end(true);
    const reader = readerOf();
    await reader.drain();
    expect(numbers(reader)).toEqual([2]);
  });

  it('have a transaction id before they are taken: what has none could slip in below what is final', async () => {
    await store.sql(`CREATE SEQUENCE probed`);
    await store.sql(`CREATE FUNCTION probe() RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        IF pg_current_xact_id_if_assigned() IS NULL THEN RAISE EXCEPTION 'no transaction id yet'; END IF;
        RETURN nextval('probed');
      END $$`);
    await store.sql('ALTER TABLE operator_action ALTER action_id DROP IDENTITY, ALTER action_id SET DEFAULT probe()');
    await store.sql('GRANT USAGE ON SEQUENCE probed TO PUBLIC');
    const bare = `INSERT INTO operator_action (at, actor, action, reason) VALUES (now(), 'a', 'b', 'c')`;
    await expect(store.sql(bare)).rejects.toThrow();
    await act('pause.set');
    expect(await store.sql('SELECT action FROM operator_action')).toEqual([{ action: 'pause.set' }]);
  });

  it('are all published, each life of a reader in their order, while many write and readers die', async () => {
    const [writers, each] = [8, 20];
    let isWriting = true;
    const received: PublishedAction[] = [];
    const readOn = async (): Promise<void> => {
      for (let lives = 0; isWriting; lives += 1) {
        clock.at += feedLeaseMs + 1;
        const life = readerOf(owners[lives % 2], () => lives % 3 === 1);
        for (let steps = 0; steps < 5; steps += 1) await life.feed.step().catch(() => undefined);
        const own = numbers(life);
        if (lives % 3 !== 1) expect(own).toEqual(own.toSorted((one, other) => one - other));
        received.push(...life.received);
      }
    };
    const reading = readOn();
    const write = async (index: number): Promise<void> => {
      for (let times = 0; times < each; times += 1) {
        const slow = slowly(`writer.${index}`);
        await slow.isWritten;
        await slow.end(times % 7 === 0);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
    isWriting = false;
    await reading;
    clock.at += feedLeaseMs + 1;
    const last = readerOf();
    await last.drain();
    received.push(...last.received);
    const rows = await store.sql<{ id: number }>('SELECT action_id AS id FROM operator_action ORDER BY 1');
    const published = [...new Set(numbers({ received }))].toSorted((one, other) => one - other);
    expect(published).toEqual(rows.map(({ id }) => id));
    expect(new Set(received.map(({ id }) => id)).size).toBe(rows.length);
  });
});

describe("a member's pseudonym", () => {
  beforeEach(async () => {
    await new Till(store).record(purchase('p1', 'a'), purchase('p2', 'a'), purchase('q1', 'b'));
    for (const memberId of ['a', 'b']) await act('intent.replay', { memberId, seq: 1 });
    await act('member.unmask', { memberId: 'a' });
  });

  it('is the same for all that is done to them, in every process, and another of anybody else', async () => {
    const [a1, b1, a2] = pseudonyms(await publishedAnew());
    expect(a1).toMatch(/^[\da-f]{32}$/);
    expect(a2).toBe(a1);
    expect(b1).not.toBe(a1);
    expect(pseudonyms(await publishedAnew())).toEqual([a1, b1, a1]);
  });

  it('cannot be made any more after an erasure, also of what was published before', async () => {
    const before = await publishedAnew();
    await erase('a');
    await act('member.erase', { memberId: 'a', at: now + 1 });
    const after = await publishedAnew();
    expect(pseudonyms(after)).toEqual([null, before[1]?.data.member, null, null]);
    expect(after.slice(0, 3).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  it('is another one when they come back, and none of what was done before', async () => {
    const [before] = pseudonyms(await publishedAnew());
    await erase('a');
    await new Till(store).recordAt(now + 10, purchase('p3', 'a'));
    await act('intent.replay', { memberId: 'a', seq: 2, at: now + 20 });
    await act('intent.replay', { memberId: 'a', seq: 3, at: now + 20 });
    await act('member.unmask', { memberId: 'a', at: now + 20 });
    const [a1, , a2, a3, a4, a5] = pseudonyms(await publishedAnew());
    expect([a1, a2, a3]).toEqual([null, null, null]);
    expect(a4).toMatch(/^[\da-f]{32}$/);
    expect(a5).toBe(a4);
    expect(a4).not.toBe(before);
  });

  it('is left out where the key is damaged, and waited for where an operator can bring the key back', async () => {
    const [, b1] = pseudonyms(await publishedAnew());
    const ofA = `FROM member m WHERE m.lane_id = member_key.lane_id AND m.member_id = 'a'`;
    await store.sql(`UPDATE member_key SET wrapped_key = wrapped_key || '\\x00'::bytea ${ofA}`);
    expect(pseudonyms(await publishedAnew())).toEqual([null, b1, null]);
    await store.sql(`UPDATE member_key SET wrapped_key = '\\x00'::bytea || wrapped_key ${ofA}`);
    await expect(publishedAnew()).rejects.toThrow(MasterKeyMissingError);
  });
});
