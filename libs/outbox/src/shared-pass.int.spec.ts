import type { WalletPass } from '#contracts';
import { waitUntil } from '#embedded';
import type { AttemptReport } from '#gateway';
import type { EventPlace } from '#intents';
import { evidencePlace } from '#intents';
import type { PartnerCommand } from '#intents/core';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { DeliveryFixture } from './testing/delivery-fixture.js';
import { applied, exampleProgram, lookup } from './testing/engine-harness.js';

let test: TestDatabase;
let fixture: DeliveryFixture;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await DeliveryFixture.open(test.url);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const card: WalletPass = { passId: 7, serialNumber: 'S-7' };

/** Enrolments, or sales of members whose passes nobody knows, that two processes work on. */
async function work(operation: 'issue' | 'transaction'): Promise<void> {
  await fixture.record({ program: 'coffee-club', members: 2, operations: [operation] });
  await fixture.sql(`UPDATE lane SET pass = 'unknown'`);
  const program = exampleProgram();
  fixture.start({ 'coffee-club': program });
  fixture.start({ 'coffee-club': program });
}

interface Row extends EventPlace {
  readonly member: string;
  readonly code: string | null;
  readonly sealed: Buffer | null;
  readonly key: Buffer;
}

const events = (): Promise<Row[]> =>
  fixture.sql<Row>(`SELECT m.member_id AS member, e.type, e.data->>'code' AS code, e.sealed, e.lane_id AS "laneId", e.seq, e.attempt, e.epoch, e.version,
    k.wrapped_key AS key FROM intent_history e JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)`);

async function untilTold(type: string, count: number): Promise<Row[]> {
  let told: Row[] = [];
  const isThere = async (): Promise<boolean> => {
    told = (await events()).filter((row) => row.type === type);
    return told.length >= count;
  };
  await waitUntil(isThere, { what: type, timeoutMs: 60_000 });
  return told;
}

/** The sentence that a person sees with the event. */
function noteOf({ sealed, key, ...event }: Row): string {
  const { members } = fixture.keys;
  const evidence = members.openFor(evidencePlace({ ...event, key: members.learn(event.laneId, key) }), sealed!);
  return (JSON.parse(evidence) as { note?: string }).note ?? '';
}

function expectRefusalOf(row: Row, holder: string): void {
  expect(noteOf(row)).toBe(
    `coffee-club: the members ${holder} and ${row.member} have one pass at the partner. It is the card of ${holder}; nothing of ${row.member} is sent to it`,
  );
}

it('two enrolments that the partner answers with one pass lead to one card: the second parks, and names both', async () => {
  fixture.partner.answer = () => ({ ...applied, value: card }) as unknown as AttemptReport<never>;
  await work('issue');
  const [[first], [second]] = await Promise.all([untilTold('AttemptApplied', 1), untilTold('AttemptRejected', 1)]);
  expect(second).toMatchObject({ code: 'shared-pass' });
  expectRefusalOf(second!, first!.member);
  expect(await fixture.sql(`SELECT reason FROM intent_standing WHERE status = 'parked'`)).toEqual([
    { reason: 'rejected' },
  ]);
});

it('of two members whom a lookup shows with one pass the sales of one are sent, and none of the other', async () => {
  const sold: PartnerCommand[] = [];
  fixture.partner.findPass = async () => ({ ...lookup('found'), pass: card }) as never;
  fixture.partner.answer = (command) => {
    sold.push(command);
    return applied as AttemptReport<never>;
  };
  await work('transaction');
  const [[first], [second]] = await Promise.all([untilTold('AttemptApplied', 1), untilTold('WaitingBegan', 1)]);
  expect(sold.map(({ uniqueId }) => uniqueId)).toEqual([first!.member]);
  expect(second!.member).not.toBe(first!.member);
  const denied = (await events()).find(({ type, member }) => type === 'PassAbsent' && member === second!.member);
  expectRefusalOf(denied!, first!.member);
});
