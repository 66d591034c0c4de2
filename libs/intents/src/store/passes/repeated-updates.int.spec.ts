import type { EventPlanner, PartnerCommand, PassContent } from '#intents/core';
import { plannedAnewBy } from '#intents/core';

import type { Lease } from '../../testing/lease.js';
import { beginOf, claim, completion, deliverOne, leaseOf, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { enrolment, laneOf, now, Till, update } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { ClaimedIntent } from '../lanes/claimed-lane.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { loadPlanned } from '../operator/load-planned.js';
import { reissuePass } from './reissue-pass.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

const basic = 1;
const gold = 2;
const audit = { at: now + 5, actor: 'ada', address: null, reason: 'the partner has lost it' };

/** A file in which gold has this number at the partner: whatever was said of gold is planned so. */
function fileWith(goldId: number): EventPlanner {
  const plan: EventPlanner['plan'] = ({ command }) =>
    'content' in command && command.content.tierId === gold
      ? { ...command, content: { ...command.content, tierId: goldId } }
      : command;
  return {
    programsHash: String(goldId),
    plan,
    sendsKept: () => false,
    planUnmapped: () => {
      throw new Error('each has a call');
    },
  };
}

function said(source: TestEvent, content: PassContent): TestEvent {
  const intents = source.verdict.intents.map((intent) => {
    return { ...intent, command: { ...intent.command, content } as PartnerCommand };
  });
  return { ...source, verdict: { ...source.verdict, intents } };
}

interface Claimed {
  readonly lease: Lease;
  readonly intent: ClaimedIntent;
}

async function claimed(planner: EventPlanner): Promise<Claimed> {
  await store.sql('UPDATE lane SET due_at = $1::timestamptz, owner = NULL', new Date(now).toISOString());
  const [lane] = await claim(store, { planner, now: now + 10 });
  const intent = lane?.intents.get(1);
  if (lane === undefined || intent === undefined) throw new Error('nothing was claimed');
  return { lease: leaseOf(lane), intent };
}

const contentOf = ({ intent: { command } }: Claimed): unknown =>
  command !== null && 'content' in command ? command.content : null;

/** A member who was enrolled as basic, became gold by an update, and whose card is made anew. */
async function lostGoldCard(): Promise<number> {
  await till.record(said(enrolment('e', 'a'), { tierId: basic, message: 'Hello' }));
  await deliverOne(store);
  await till.record(said(update('u', 'a'), { tierId: gold }));
  await deliverOne(store);
  const { lane_id: laneId } = await laneOf(store, 'a');
  const request = { laneId, evidence: '{}', job: 'r1', audit };
  const keys = store.newMemberKeys();
  const done = store.database.transaction('reissue', (session) => reissuePass(session, request, keys));
  expect(await done).toMatchObject({ kind: 'done' });
  return laneId;
}

/** Sent, with what was planned anew, and turned away. */
async function turnedAway({ lease, intent }: Claimed): Promise<void> {
  const attempt = lease.attempt + 1;
  const corrected = { type: 'IntentCorrected', at: now, ...plannedAnewBy } as const;
  const events = [{ seq: 1, event: corrected, evidence: intent.plannedAnew ?? null }];
  const sent = stepOf(lease, { completion: { ...completion(lease, 'stay'), events }, begin: beginOf(1, attempt) });
  expect(await record(store, sent)).toMatchObject({ begun: true });
  const no = { type: 'AttemptNotApplied', at: now, attempt, code: 'http-503', answered: true, retryAt: now } as const;
  const answered = { ...lease, attempt, attemptOpen: true };
  const ends = { completion: completion(answered, 'retry', { events: [no], dueAt: now }) };
  await record(store, stepOf(answered, ends));
}

describe('regression: what an update said of a card that is made anew', () => {
  it('is sent by the file in force, whenever that changed, and shown so', async () => {
    const laneId = await lostGoldCard();
    expect(contentOf(await claimed(fileWith(gold)))).toEqual({ tierId: gold, message: 'Hello' });
    const mended = await claimed(fileWith(6));
    expect(contentOf(mended)).toEqual({ tierId: 6, message: 'Hello' });
    const tools = { planner: fileWith(6), keys: store.newMemberKeys() };
    expect(await loadPlanned(store.database, [{ laneId, seq: 1 }], tools)).toMatchObject([
      { current: { content: { tierId: gold } }, next: { content: { tierId: 6 } } },
    ]);
    await turnedAway(mended);
    expect(contentOf(await claimed(fileWith(7)))).toEqual({ tierId: 7, message: 'Hello' });
  });

  it('stays below what a person has corrected since', async () => {
    const laneId = await lostGoldCard();
    const revise = (current: PartnerCommand | null) => ({
      command: { ...current, content: { tierId: 9 } } as PartnerCommand,
      ...{ changed: ['tierId'], privileged: [] },
    });
    const actions = new IntentActionRepository(store.database, store.newMemberKeys());
    await actions.correct({ place: { laneId, seq: 1 }, revise, audit });
    expect(contentOf(await claimed(fileWith(6)))).toMatchObject({ tierId: 9 });
  });

  it('is sent by the file in force where that card is lost, too', async () => {
    await lostGoldCard();
    await turnedAway(await claimed(fileWith(6)));
    await deliverOne(store, { now: now + 10 });
    const { lane_id: laneId } = await laneOf(store, 'a');
    const request = { laneId, evidence: '{}', job: 'r2', audit };
    await store.database.transaction('reissue', (session) => reissuePass(session, request, store.newMemberKeys()));
    expect(contentOf(await claimed(fileWith(7)))).toEqual({ tierId: 7, message: 'Hello' });
  });
});
