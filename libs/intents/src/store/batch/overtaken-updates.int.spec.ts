import type { EventPosition, IntentEvent, PartnerCommand, PassContent, Renewal } from '#intents/core';

import type { IntentAction, RevisedCommand } from '../operator/intent-action-repository.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import {
  applied,
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  leaseOf,
  record,
  stepOf,
  waitForPass,
} from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  enrolment,
  historyOf,
  laneOf,
  now,
  program,
  purchase,
  Till,
  update,
  updateIntent,
  waysToBatch,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let actions: IntentActionRepository;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  actions = new IntentActionRepository(store.database, store.keys.members);
  till = new Till(store);
});

afterEach(() => store.close());

const at = (minute: number): EventPosition => ({ sequence: null, timeMs: now + minute * 60_000 });

function positioned(event: TestEvent, profilePosition: EventPosition): TestEvent {
  return { ...event, verdict: { ...event.verdict, profilePosition } };
}

function saying(id: string, minute: number, content: PassContent): TestEvent {
  const event = update(id, 'a');
  return positioned({ ...event, verdict: { ...event.verdict, intents: [updateIntent('a', content)] } }, at(minute));
}

/** Says the first name of that minute, and nothing else. */
const enrolled = (id: string, minute: number, name: string): TestEvent =>
  positioned(enrolment(id, 'a', name), at(minute));

const named = (firstName: string): PassContent => ({ person: { firstName } });

/** A purchase waits for the member's pass. */
async function waitingPurchase(): Promise<void> {
  await till.record(purchase('p1', 'a'));
  const lease = await claimOne(store);
  await record(store, stepOf(lease, { completion: waitForPass(lease, now + 3_600_000) }));
}

/** What the partner is sent when everything succeeds, in order. */
async function sent(): Promise<readonly (PassContent | string)[]> {
  const calls: (PassContent | string)[] = [];
  for (let lane = await laneOf(store, 'a'); lane.due_at !== null; lane = await laneOf(store, 'a')) {
    const [claimed] = await claim(store, { now: now + 7_200_000 });
    const { command, state } = claimed!.intents.get(claimed!.cursor.current)!;
    const lease = leaseOf(claimed!);
    if (state.status === 'cancelled') {
      await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
      continue;
    }
    calls.push(command !== null && 'content' in command ? command.content : 'sale');
    const begun = await begin(store, lease);
    await record(store, stepOf(begun, { completion: applied(begun) }));
    if (calls.length > 20) throw new Error('the lane never drains');
  }
  return calls;
}

const eventsOf = async (seq: number): Promise<string[]> =>
  (await historyOf(store, 'a')).filter((line) => line.startsWith(`${seq} `)).map((line) => line.slice(2));

describe.each(waysToBatch)('an update that waits in the queue, when a newer enrolment comes %s', (_name, split) => {
  const allTold = (...events: TestEvent[]): Promise<string[]> => till.recordInBatches(...split(events));

  it('regression: does not undo what the enrolment says, which goes first', async () => {
    await waitingPurchase();
    await allTold(saying('u1', 1, named('Old')), enrolled('e1', 5, 'New'));
    expect(await sent()).toEqual([named('New'), 'sale']);
    expect(await eventsOf(2)).toEqual(['IntentRecorded', 'IntentCancelled']);
  });

  it('is sent with the rest of what it says', async () => {
    await waitingPurchase();
    const late = { person: { firstName: 'Old', lastName: 'Kept' }, tierId: 2 };
    await allTold(saying('u1', 1, late), saying('u2', 1, { tierId: 3 }), enrolled('e1', 5, 'New'));
    const rest = { person: { lastName: 'Kept' }, tierId: 2 };
    expect(await sent()).toEqual([named('New'), 'sale', rest, { tierId: 3 }]);
    expect(await eventsOf(2)).toEqual(['IntentRecorded', 'IntentCorrected', 'AttemptBegun', 'AttemptApplied']);
    const before = await laneOf(store, 'a');
    await rebuildLanes(store.owned, now);
    const { head_seq, cur_seq, version, pass, state, redo, ahead } = await laneOf(store, 'a');
    expect(before).toMatchObject({ head_seq, cur_seq, version, pass, state, redo, ahead });
  });

  it('stays as it is where it is newer, or says nothing of the same', async () => {
    await waitingPurchase();
    await allTold(saying('u1', 6, named('Newest')), saying('u2', 1, { tierId: 3 }), enrolled('e1', 5, 'New'));
    expect(await sent()).toEqual([named('New'), 'sale', named('Newest'), { tierId: 3 }]);
  });

  it('does not undo a newer correction of the first enrolment either', async () => {
    await allTold(
      enrolled('e1', 1, 'First'),
      saying('u1', 2, { ...named('Old'), tierId: 2 }),
      enrolled('e2', 3, 'New'),
    );
    expect(await sent()).toEqual([named('New'), { tierId: 2 }]);
  });
});

/** An opt-out of these at that minute. */
const leaves = (id: string, minute: number, content: PassContent): TestEvent => {
  return { ...saying(id, minute, content), type: 'loyalty.member.opted-out.v1' };
};

/** An opt-out of the program at that minute. */
function leavesProgram(id: string, minute: number): TestEvent {
  const event = leaves(id, minute, everything);
  const cancel = { program, memberId: 'a', target: 'everything-queued', reason: 'opted-out', ifTooLate: null } as const;
  const memberEffects = { raisesGeneration: true, erase: false };
  return { ...event, verdict: { ...event.verdict, cancels: [cancel], memberEffects } };
}

/** Says this at that minute, and the name. */
function consenting(id: string, minute: number, content: PassContent): TestEvent {
  const event = enrolled(id, minute, id);
  const [intent] = event.verdict.intents;
  const command = { ...intent!.command, content: { ...named('New'), ...content } } as PartnerCommand;
  return { ...event, verdict: { ...event.verdict, intents: [{ ...intent!, command }] } };
}

const everything: PassContent = { smsSubscription: 900, passdata: { optOut: true } };

describe.each(waysToBatch)('an opt-out that waits in the queue, when a newer enrolment comes %s', (_name, split) => {
  const allTold = (...events: TestEvent[]): Promise<string[]> => till.recordInBatches(...split(events));
  const wallet: PassContent = { passdata: { optOut: false } };

  beforeEach(waitingPurchase);

  it('stays where the enrolment says nothing of it: what was withdrawn is not taken for granted', async () => {
    await allTold(leaves('o1', 1, everything), enrolled('e1', 5, 'New'));
    expect(await sent()).toEqual([{ ...named('New'), ...everything }, 'sale', everything]);
  });

  it('regression: does not undo the consent that was given after it', async () => {
    const consent: PassContent = { smsSubscription: 300, ...wallet };
    await allTold(leaves('o1', 1, everything), consenting('e1', 5, consent));
    expect(await sent()).toEqual([{ ...named('New'), ...consent }, 'sale']);
    expect(await eventsOf(2)).toEqual(['IntentRecorded', 'IntentCancelled']);
  });

  it('goes on with what was not consented to', async () => {
    await allTold(leaves('o1', 1, everything), consenting('e1', 5, wallet));
    expect(await sent()).toEqual([
      { ...named('New'), ...wallet, smsSubscription: 900 },
      'sale',
      { smsSubscription: 900 },
    ]);
  });

  it('stays where the enrolment withdraws the same, or is older', async () => {
    const withdrawn: PassContent = { smsSubscription: 900, ...wallet };
    await allTold(leaves('o1', 6, everything), consenting('e1', 5, withdrawn));
    expect(await sent()).toEqual([{ ...named('New'), ...everything }, 'sale', everything]);
  });

  it('stays as to messages where the enrolment opts out of them, too', async () => {
    const withdrawn: PassContent = { smsSubscription: 900, ...wallet };
    await allTold(leaves('o1', 1, everything), consenting('e1', 5, withdrawn));
    expect(await sent()).toEqual([{ ...named('New'), ...withdrawn }, 'sale', { smsSubscription: 900 }]);
  });

  it('stays where it erases the member', async () => {
    const erasing = leaves('o1', 1, everything);
    const memberEffects = { raisesGeneration: true, erase: true };
    await allTold(
      { ...erasing, verdict: { ...erasing.verdict, memberEffects } },
      consenting('e1', 5, { smsSubscription: 200, ...wallet }),
    );
    expect(await eventsOf(2)).toEqual(['IntentRecorded']);
  });
});

describe.each(waysToBatch)('an enrolment that comes after a newer opt-out %s', (_name, split) => {
  const allTold = (...events: TestEvent[]): Promise<string[]> => till.recordInBatches(...split(events));

  it('regression: does not give the consent that was withdrawn since', async () => {
    await allTold(
      leaves('o1', 5, everything),
      consenting('e1', 1, { smsSubscription: 200, passdata: { optOut: false } }),
    );
    expect(await sent()).toEqual([everything, { ...named('New'), ...everything }]);
  });

  it('regression: is issued opted out where it says nothing of consent, and its member has left the program since', async () => {
    await till.record(leavesProgram('o1', 5));
    expect(await sent()).toEqual([everything]);
    await allTold(enrolled('e1', 1, 'New'));
    expect(await sent()).toEqual([{ ...named('New'), ...everything }]);
  });

  it('says nothing of consent where it is newer than the leaving', async () => {
    await till.record(leavesProgram('o1', 5));
    await allTold(enrolled('e1', 6, 'New'));
    expect(await sent()).toContainEqual(named('New'));
  });

  it('regression: is issued opted out where less than the program was withdrawn, whichever is newer', async () => {
    await till.record(leavesProgram('o1', 5));
    await allTold(leaves('o2', 9, everything), enrolled('e1', 6, 'New'));
    expect(await sent()).toContainEqual({ ...named('New'), ...everything });
  });

  it('gives what was not withdrawn', async () => {
    const wallet: PassContent = { passdata: { optOut: false } };
    await allTold(leaves('o1', 5, { smsSubscription: 900 }), consenting('e1', 1, { smsSubscription: 300, ...wallet }));
    expect(await sent()).toEqual([{ smsSubscription: 900 }, { ...named('New'), smsSubscription: 900, ...wallet }]);
  });

  it('as the correction of one not sent yet does not give it either', async () => {
    await allTold(
      enrolled('e1', 1, 'First'),
      leaves('o1', 5, { smsSubscription: 900 }),
      consenting('e2', 2, { smsSubscription: 200 }),
    );
    expect(await sent()).toEqual([{ ...named('New'), smsSubscription: 900 }, { smsSubscription: 900 }]);
  });

  it('regression: as a correction does not give it back either where the first one gave it', async () => {
    const consent: PassContent = { smsSubscription: 200 };
    await allTold(
      consenting('e1', 1, consent),
      leaves('o1', 5, { smsSubscription: 900 }),
      consenting('e2', 2, consent),
    );
    expect(await sent()).toEqual([{ ...named('New'), smsSubscription: 900 }, { smsSubscription: 900 }]);
  });
});

describe.each(waysToBatch)('an opt-out that comes after newer consent %s', (_name, split) => {
  it('is sent whole, behind it: in doubt consent is withdrawn', async () => {
    const consent: PassContent = { smsSubscription: 300, passdata: { optOut: false } };
    await till.recordInBatches(...split([consenting('e1', 5, consent), leaves('o1', 1, everything)]));
    expect(await sent()).toEqual([{ ...named('New'), ...consent }, everything]);
  });
});

const audit = { at: now, actor: 'ada', address: null, reason: 'a slip' };

async function correct(seq: number, content: PassContent): Promise<void> {
  const place = { laneId: (await laneOf(store, 'a')).lane_id, seq };
  const revise = (command: PartnerCommand | null): RevisedCommand => {
    return { command: { ...command, content } as PartnerCommand, changed: [], privileged: [] };
  };
  await actions.correct({ place, revise, audit });
}

describe('an older update', () => {
  it('that may have taken effect is left alone', async () => {
    await till.record(saying('u1', 1, named('Old')));
    const lease = await begin(store, await claimOne(store));
    const unknown: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: now };
    await record(store, stepOf(lease, { completion: completion(lease, 'doubt', { events: [unknown], dueAt: now }) }));
    await till.record(enrolled('e1', 5, 'New'));
    expect(await eventsOf(1)).toEqual(['IntentRecorded', 'AttemptBegun', 'AttemptUnknown']);
  });

  it('that a person has corrected is left alone', async () => {
    await till.record(saying('u1', 1, named('Old')));
    await correct(1, named('By hand'));
    await till.record(enrolled('e1', 5, 'New'));
    expect(await sent()).toEqual([named('By hand'), named('New')]);
  });

  it('is refused to a worker that holds it already', async () => {
    await till.record(saying('u1', 1, named('Old')));
    const lease = await claimOne(store);
    await till.record(enrolled('e1', 5, 'New'));
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({ begun: false });
  });
});

describe('an update that was parked, and is sent again behind newer ones', () => {
  /** The next intent is tried once, and left behind. */
  async function park(reason: 'rejected' | 'unknown-outcome' = 'rejected'): Promise<void> {
    const lease = await begin(store, await claimOne(store));
    const { attempt } = lease;
    const tried: IntentEvent =
      reason === 'rejected'
        ? { type: 'AttemptRejected', at: now, attempt, code: 'refused' }
        : { type: 'AttemptUnknown', at: now, attempt, code: 'timeout', checkAt: null };
    const events: IntentEvent[] = [tried, { type: 'IntentParked', at: now, reason, lane: 'continue' }];
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events }) }));
  }

  async function act(action: IntentAction = { kind: 'replay' }): Promise<unknown> {
    const place = { laneId: (await laneOf(store, 'a')).lane_id, seq: 1 };
    const result = await actions.act({ place, action, audit });
    return result.kind === 'done' ? result.event.type : result.reason;
  }

  const all: PassContent = { person: { firstName: 'Old', lastName: 'Kept' }, tierId: 2 };

  it('regression: does not undo what they have said since', async () => {
    await till.record(saying('u1', 1, named('Old')));
    await park();
    await till.record(saying('u2', 2, named('New')));
    expect(await sent()).toEqual([named('New')]);
    expect(await act()).toBe('IntentCancelled');
    expect(await sent()).toEqual([]);
    expect((await eventsOf(1)).slice(-2)).toEqual(['IntentReplayed', 'IntentCancelled']);
  });

  it('regression: is not undone by an older enrolment that was told late', async () => {
    await till.record(saying('u1', 5, named('New')));
    await park();
    const late = enrolled('e1', 1, 'Old');
    const verdict = { ...late.verdict, occurredAt: now - 3_600_000 };
    await till.record({ ...late, verdict });
    expect(await sent()).toEqual([named('Old')]);
    expect(await act()).toBe('IntentReplayed');
    expect(await sent()).toEqual([named('New')]);
  });

  it('is sent with the rest of what it says', async () => {
    await till.record(saying('u1', 1, all));
    await park();
    await till.record(saying('u2', 2, named('New')), enrolled('e1', 3, 'Newer'), saying('u3', 4, { tierId: 3 }));
    await sent();
    expect(await act()).toBe('IntentCorrected');
    expect(await sent()).toEqual([{ person: { lastName: 'Kept' } }]);
    const before = await laneOf(store, 'a');
    await rebuildLanes(store.owned, now);
    const { head_seq, cur_seq, version, pass, state, redo, ahead } = await laneOf(store, 'a');
    expect(before).toMatchObject({ head_seq, cur_seq, version, pass, state, redo, ahead });
  });

  it('is sent whole where the newer ones are not there either', async () => {
    await till.record(saying('u1', 1, all));
    await park();
    await till.record(saying('u2', 2, named('New')));
    await park();
    await till.record(saying('u3', 3, { tierId: 3 }));
    expect(await act()).toBe('IntentReplayed');
    expect(await sent()).toEqual([all, { tierId: 3 }]);
  });

  it('loses it likewise where a person says that it was not delivered', async () => {
    await till.record(saying('u1', 1, all));
    await park('unknown-outcome');
    await till.record(saying('u2', 2, named('New')));
    await sent();
    expect(await act({ kind: 'resolve', as: 'not-delivered' })).toBe('IntentCorrected');
    expect(await sent()).toEqual([{ person: { lastName: 'Kept' }, tierId: 2 }]);
  });

  it('is sent as a person has corrected it', async () => {
    await till.record(saying('u1', 1, named('Old')));
    await park();
    await till.record(saying('u2', 2, named('New')));
    await sent();
    await correct(1, named('By hand'));
    expect(await act()).toBe('IntentReplayed');
    expect(await sent()).toEqual([named('By hand')]);
  });

  it('regression: as an opt-out does not undo the consent that was given after it', async () => {
    await till.record(leaves('o1', 1, everything));
    await park();
    await till.record(consenting('e1', 5, { smsSubscription: 300 }));
    await sent();
    expect(await act()).toBe('IntentCorrected');
    expect(await sent()).toEqual([{ passdata: { optOut: true } }]);
  });

  it('as an opt-out stays whole where they withdraw it, too', async () => {
    await till.record(leaves('o1', 1, everything));
    await park();
    await till.record(saying('u2', 2, { smsSubscription: 900 }));
    await sent();
    expect(await act()).toBe('IntentReplayed');
    expect(await sent()).toEqual([everything]);
  });

  it('as an opt-out stays whole where the consent given since found a pass, and was not told', async () => {
    await till.record(leaves('o1', 1, everything));
    await park();
    const consent: PassContent = { smsSubscription: 300 };
    await till.record(consenting('e1', 5, consent));
    const lease = await claimOne(store);
    const events: IntentEvent[] = [{ type: 'VerifiedApplied', at: now, attempt: 0, evidence: 'pass-found' }];
    const renewal = { command: updateIntent('a', consent).command } as Renewal;
    const completed = { ...completion(lease, 'settle', { events, pass: 'known' }), renewal };
    expect(await record(store, stepOf(lease, { completion: completed }))).toMatchObject({ completed: true });
    await park();
    expect(await act()).toBe('IntentReplayed');
    expect(await sent()).toEqual([everything]);
  });
});
