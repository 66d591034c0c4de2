import type { EventPosition, IntentEvent, PassContent } from '#intents/core';

import { begin, claim, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { Batches, TestEvent } from '../../testing/records.js';
import {
  batchOf,
  enrolment,
  historyOf,
  now,
  prepared,
  program,
  purchase,
  Till,
  update,
  updateIntent,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { FlakyDatabase, testStore } from '../../testing/test-store.js';
import { recordBatch } from './chunk-repository.js';
import { startOffset } from './partition-offsets.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(8);
});

afterEach(() => store.close());

const at = (minute: number, sequence: string | null = null): EventPosition => ({
  sequence,
  timeMs: now + minute * 60_000,
});

/** An update of that minute; its tier tells it apart. */
function updated(id: string, position: EventPosition, memberId = 'a'): TestEvent {
  return positioned(update(id, memberId, Number(id.replaceAll(/\D/g, ''))), position);
}

/** An update of that minute with this content. */
function saying(id: string, position: EventPosition, content: PassContent, memberId = 'a'): TestEvent {
  const event = update(id, memberId);
  return positioned({ ...event, verdict: { ...event.verdict, intents: [updateIntent(memberId, content)] } }, position);
}

/** The member has another name from that minute on. */
function renamed(id: string, position: EventPosition, memberId = 'a'): TestEvent {
  return saying(id, position, { person: { firstName: id } }, memberId);
}

function from(eventSource: string, event: TestEvent): TestEvent {
  return { ...event, verdict: { ...event.verdict, eventSource } };
}

/** An opt-out of messages, or of the whole program. */
function optedOut(id: string, position: EventPosition, scope: 'sms' | 'program'): TestEvent {
  const content = scope === 'sms' ? { smsSubscription: 900 as const } : { passdata: { optOut: true } };
  const event = { ...saying(id, position, content), type: 'loyalty.member.opted-out.v1' };
  if (scope === 'sms') return event;
  const target = { program, memberId: 'a', target: 'everything-queued', reason: 'opted-out', ifTooLate: null } as const;
  return { ...event, verdict: { ...event.verdict, cancels: [target] } };
}

function enrolled(id: string, position: EventPosition, firstName: string): TestEvent {
  return positioned(enrolment(id, 'a', firstName), position);
}

function positioned(event: TestEvent, profilePosition: EventPosition): TestEvent {
  return { ...event, verdict: { ...event.verdict, profilePosition } };
}

/** The member wants to be forgotten. */
function forgetting(id: string): TestEvent {
  const event = update(id, 'a');
  return { ...event, verdict: { ...event.verdict, memberEffects: { raisesGeneration: true, erase: true } } };
}

const told = (...batches: Batches): Promise<string[]> => new Till(store).recordInBatches(...batches);

/** The same events in one batch and in one batch each must come to the same. */
async function toldBothWays(events: readonly TestEvent[]): Promise<string[]> {
  const apart = await told(...events.map((event) => [event]));
  await store.close();
  store = await testStore(4);
  expect(await told(events)).toEqual(apart);
  return apart;
}

async function operations(): Promise<string[]> {
  const rows = await store.sql<{ operation: string }>('SELECT operation FROM intent ORDER BY lane_id, seq');
  return rows.map(({ operation }) => operation);
}

/** The partner refuses the one intent that is due. */
async function parkOne(): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  const events: IntentEvent[] = [
    { type: 'AttemptRejected', at: now, attempt: lease.attempt, code: 'refused' },
    { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
  ];
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
}

describe('an update', () => {
  it('older than the last one is stale; one as old as that is not', async () => {
    const events = [updated('u1', at(5)), updated('u2', at(4)), updated('u3', at(5)), updated('u4', at(6))];
    expect(await toldBothWays(events)).toEqual(['recorded', 'stale', 'recorded', 'recorded']);
    expect(await operations()).toHaveLength(3);
  });

  it('from another partition, older than one that the partner has refused and that is parked, is stale', async () => {
    expect(await told([updated('u1', at(5))])).toEqual(['recorded']);
    await parkOne();
    expect(await told([updated('u2', at(4)), updated('u3', at(6))])).toEqual(['stale', 'recorded']);
  });

  it('goes by its sequence, where both have one, whatever the time says', async () => {
    const events = [updated('u1', at(5, '9')), updated('u2', at(4, '10')), updated('u3', at(6, '8'))];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale']);
  });

  it('goes by its time where one of the two has no sequence', async () => {
    const events = [updated('u1', at(5, '9')), updated('u2', at(4)), updated('u3', at(6)), updated('u4', at(5, '99'))];
    expect(await toldBothWays(events)).toEqual(['recorded', 'stale', 'recorded', 'stale']);
  });

  it('is compared with its own member\u2019s', async () => {
    expect(await told([updated('u1', at(5)), updated('u2', at(4), 'b')])).toEqual(['recorded', 'recorded']);
  });

  it('that is stale is remembered: told again it is a duplicate, with another body a conflict', async () => {
    const stale = updated('u2', at(4));
    const events = [updated('u1', at(5)), stale, stale, { ...stale, content: 'other' }];
    expect(await toldBothWays(events)).toEqual(['recorded', 'stale', 'duplicate-event', 'conflict']);
  });

  it('that comes again does not move the member back or forth', async () => {
    const first = updated('u1', at(5));
    const events = [first, updated('u2', at(7)), first, updated('u3', at(6)), updated('u4', at(8))];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'duplicate-event', 'stale', 'recorded']);
  });

  it('is stale of somebody who was forgotten, whenever it was', async () => {
    const events = [updated('u1', at(5)), forgetting('x1'), updated('u2', at(4)), updated('u3', at(3))];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale', 'stale']);
  });

  it('leaves nothing behind but when it was, when the member is forgotten in its batch', async () => {
    await toldBothWays([updated('u1', at(5)), forgetting('x1')]);
    const erased = [[null, null, expect.any(Number)]];
    expect(await store.sql('SELECT profile_marks FROM member')).toEqual([{ profile_marks: { '*': erased } }]);
  });

  it('older than the first enrolment is stale in what that says; the enrolment never is, and takes nothing back', async () => {
    const events = [
      ...[renamed('u1', at(1)), enrolled('e1', at(5), 'Ada'), renamed('u2', at(4)), renamed('u3', at(5))],
      ...[renamed('u4', at(2), 'b'), positioned(enrolment('e2', 'b'), at(1)), renamed('u5', at(1.5), 'b')],
      updated('u6', at(3)),
    ];
    expect(await toldBothWays(events)).toEqual([
      ...['recorded', 'recorded', 'stale', 'recorded'],
      ...['recorded', 'recorded', 'stale'],
      'recorded',
    ]);
  });

  it('goes by its time where the other one is of another source, which numbers its own', async () => {
    const events = [
      ...[from('/crm', updated('u1', at(5, '900'))), from('/till', updated('u2', at(6, '7')))],
      ...[from('/crm', updated('u3', at(7, '899'))), from('/crm', updated('u4', at(7, '901')))],
      ...[from('/till', updated('u5', at(8, '6'))), from('/till', updated('u6', at(6, '8')))],
    ];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale', 'recorded', 'stale', 'stale']);
  });

  it('that is stale in some of what it says is sent with the rest', async () => {
    const late: PassContent = {
      person: { firstName: 'Old', lastName: 'Kept' },
      passdata: { points: 7, metaData: { memberId: 'a', shoe: 42, hat: 7 } },
      tierId: 1,
      message: null,
    };
    const newer = { person: { firstName: 'New' }, passdata: { metaData: { shoe: 43 } }, tierId: 2 };
    const events = [saying('u1', at(5), newer), saying('u2', at(4), late), saying('u3', at(3), { message: 'older' })];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale']);
    const [lane] = await claim(store);
    expect(lane?.intents.get(2)?.command).toMatchObject({ operation: 'update-via-workflow' });
    expect((lane?.intents.get(2)?.command as { content?: PassContent }).content).toEqual({
      person: { lastName: 'Kept' },
      passdata: { points: 7, metaData: { memberId: 'a', hat: 7 } },
      message: null,
    });
  });

  it('is stale in what an opt-out has said since; an opt-out is never stale, and never moves anything back', async () => {
    const subscribed = (id: string, minute: number): TestEvent => saying(id, at(minute), { smsSubscription: 200 });
    const events = [
      ...[optedOut('o1', at(5), 'sms'), subscribed('u1', 4), updated('u2', at(4)), subscribed('u3', 6)],
      ...[optedOut('o2', at(5.5), 'sms'), subscribed('u4', 5.7)],
    ];
    expect(await toldBothWays(events)).toEqual([
      ...['recorded', 'stale', 'recorded', 'recorded'],
      ...['recorded', 'stale'],
    ]);
  });

  it('regression: that withdraws consent of who has not enrolled binds the card that comes', async () => {
    await toldBothWays([optedOut('o', at(2), 'sms'), enrolled('e', at(3), 'Ada')]);
    const [lane] = await claim(store, { now: now + 3_600_000 });
    const issue = [...(lane?.intents.values() ?? [])].find(({ operation }) => operation === 'issue');
    expect(issue?.command).toMatchObject({ content: { smsSubscription: 900 } });
  });

  it('regression: is stale in what an opt-out has said for which the program maps no update', async () => {
    const unmapped = optedOut('o1', at(5), 'sms');
    const parked = { reason: 'unroutable', detail: 'no way to update' } as const;
    const intents = unmapped.verdict.intents.map((intent) => {
      return { ...intent, command: null, parked, withdraws: ['smsSubscription'] };
    });
    const subscribed = saying('u1', at(4), { smsSubscription: 200 });
    const events = [{ ...unmapped, verdict: { ...unmapped.verdict, intents } }, subscribed];
    expect(await toldBothWays(events)).toEqual(['recorded', 'stale']);
  });

  it('regression: an erasure that was asked for before its member left forgets no leaving', async () => {
    const asked = optedOut('x1', at(5), 'sms');
    const memberEffects = { raisesGeneration: true, erase: true };
    const erasing = { ...asked, verdict: { ...asked.verdict, memberEffects } };
    const events = [optedOut('o1', at(10), 'program'), erasing, enrolled('e1', at(7), 'Late')];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale']);
  });

  it('older than the leaving of the program is stale, whatever it says', async () => {
    const events = [updated('u1', at(1)), optedOut('o1', at(5), 'program'), renamed('u2', at(4)), renamed('u3', at(6))];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale', 'recorded']);
  });

  it('leaves neither its source nor names that a shop has chosen in the clear', async () => {
    const secret = 'customer-lovelace';
    const content = { passdata: { metaData: { [secret]: 1 } }, person: { firstName: secret } };
    await told([from(`/${secret}`, saying('u1', at(5), content)), updated('u2', at(5))]);
    const [row] = await store.sql<{ marks: string }>('SELECT profile_marks::text AS marks FROM member');
    expect(row?.marks).toContain('person.firstName');
    expect(row?.marks).not.toContain(secret);
  });

  it('is compared with what a release before the marks has left, of every path', async () => {
    await told([purchase('p1', 'a')]);
    await store.sql('UPDATE member SET profile_at = $1::timestamptz', new Date(at(5).timeMs).toISOString());
    expect(
      await told([updated('u1', at(4)), renamed('u2', at(4)), updated('u3', at(6)), renamed('u4', at(4))]),
    ).toEqual([...['stale', 'stale', 'recorded', 'stale']]);
    expect(await store.sql('SELECT profile_at FROM member')).toEqual([{ profile_at: null }]);
  });
});

describe('an enrolment that corrects the first one', () => {
  it('is stale when it is older, and is remembered', async () => {
    const older = enrolled('e2', at(4), 'Old');
    const events = [enrolled('e1', at(5), 'Ada'), older, older, enrolled('e3', at(6), 'New')];
    expect(await toldBothWays(events)).toEqual(['recorded', 'stale', 'duplicate-event', 'recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCorrected']);
    const [lane] = await claim(store);
    expect(lane?.intents.get(1)?.command).toMatchObject({ content: { person: { firstName: 'New' } } });
  });

  it('goes by its sequence, where both have one', async () => {
    const events = [
      enrolled('e1', at(5, '9'), 'Ada'),
      enrolled('e2', at(6, '8'), 'Old'),
      enrolled('e3', at(4, '10'), 'New'),
    ];
    expect(await toldBothWays(events)).toEqual(['recorded', 'stale', 'recorded']);
  });

  it('makes older updates stale, also those behind it in its batch', async () => {
    const events = [
      enrolled('e1', at(1), 'Ada'),
      enrolled('e2', at(6), 'New'),
      renamed('u1', at(5)),
      renamed('u2', at(7)),
    ];
    expect(await toldBothWays(events)).toEqual(['recorded', 'recorded', 'stale', 'recorded']);
    expect(await operations()).toEqual(['issue', 'update-via-workflow']);
  });
});

describe('an enrolment that is treated as an update', () => {
  beforeEach(async () => {
    await told([enrolled('e1', at(1), 'Ada')]);
    await deliverOne(store);
  });

  it('is stale when a later update has been taken, and is remembered', async () => {
    expect(await told([updated('u1', at(5))], [enrolled('e2', at(4), 'Bea')], [enrolled('e2', at(4), 'Bea')])).toEqual([
      ...['recorded', 'stale', 'duplicate-event'],
    ]);
    expect(await operations()).toEqual(['issue', 'update-via-workflow']);
  });

  it('makes older updates stale, also those behind it in its batch', async () => {
    expect(await told([enrolled('e2', at(6), 'Bea'), updated('u1', at(5)), updated('u2', at(7))])).toEqual([
      ...['recorded', 'stale', 'recorded'],
    ]);
    expect(await operations()).toEqual(['issue', 'update-via-workflow', 'update-via-workflow']);
  });
});

describe('updates of one member on several partitions at the same time', () => {
  it('are taken in rising order only, whoever comes first', async () => {
    await told([updated('u0', at(0))]);
    const rounds = 12;
    const minutes: number[] = [];
    const tills = Array.from({ length: 4 }, () => new Till(store));
    await Promise.all(
      tills.map(async (till, by) => {
        for (let round = 0; round < rounds; round += 1) {
          const minute = 1 + ((round * 7 + by * 3) % 41);
          minutes.push(minute);
          await till.record(updated(`u${minute * 1_000 + by * 100 + round}`, at(minute)));
        }
      }),
    );
    const [row] = await store.sql<{ at: number }>("SELECT (profile_marks->'tierId'->0->>2)::bigint AS at FROM member");
    expect(row?.at).toBe(at(Math.max(...minutes)).timeMs);
    const taken = (await tiersTaken()).map((tier) => Math.floor(tier / 1_000));
    expect(taken.length).toBeGreaterThan(1);
    expect(taken).toEqual(taken.toSorted((x, y) => x - y));
    await historyOf(store, 'a');
  });

  it('of a member that nobody knew are taken in rising order, too', async () => {
    const tills = Array.from({ length: 6 }, () => new Till(store));
    await Promise.all(tills.map((till, by) => till.record(updated(`u${by + 1}`, at(by + 1)))));
    const taken = await tiersTaken();
    expect(taken).toEqual(taken.toSorted((a, b) => a - b));
  });

  /** What the recorded updates say, in the order of the lane. */
  async function tiersTaken(): Promise<number[]> {
    const lanes = await claim(store);
    const tiers: number[] = [];
    for (const [, { command }] of [...(lanes[0]?.intents ?? [])].toSorted(([a], [b]) => a - b)) {
      if (command?.operation === 'update-via-workflow') tiers.push(Number(command.content.tierId));
    }
    return tiers;
  }
});

it('is decided anew when the transaction is repeated', async () => {
  const source = { clusterId: 'c1', topic: 'loyalty.members', incarnation: 1, partition: 0 };
  await startOffset(store.database, source, 0);
  const events = [updated('u1', at(5)), updated('u2', at(4)), updated('u3', at(6))];
  const batch = batchOf(
    events.map((event, offset) => prepared(event, offset)),
    { source },
  );
  const flaky = new FlakyDatabase(store.database, { statement: 'move_offsets', kind: 'contention' });
  const { results } = await recordBatch(flaky, batch, store.keys);
  expect(flaky.hasFailed).toBe(true);
  expect(results.map(({ kind }) => kind)).toEqual(['recorded', 'ignored', 'recorded']);
});
