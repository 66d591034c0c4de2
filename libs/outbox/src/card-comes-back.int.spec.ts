import type { Program } from '#contracts';
import { waitUntil } from '#embedded';
import type { AttemptReport } from '#gateway';
import type { IntentAction } from '#intents';
import { IntentActionRepository, recordLateOutcomes, reissuePass } from '#intents';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { DeliveryFixture } from './testing/delivery-fixture.js';
import { applied, exampleProgram, lookup, report } from './testing/engine-harness.js';

let test: TestDatabase;
let fixture: DeliveryFixture;
let hasCard: boolean;
let sent: string[];

beforeEach(async () => {
  test = await testDatabase();
  fixture = await DeliveryFixture.open(test.url);
  hasCard = false;
  sent = [];
  const { evidence } = lookup('absent');
  fixture.partner.findPass = async () => lookup(hasCard ? 'found' : 'absent');
  fixture.partner.countPasses = async () => ({ kind: 'counted', totalCount: 0, shapeAlarms: [], evidence }) as never;
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

const refused = report({ kind: 'rejected', code: 'refused', message: 'phone is not valid' });
const lost = report({ kind: 'unknown', code: 'timeout', retryAfterMs: null });

/** Nobody waits for a card, and nothing that an enrolment came to holds the lane. */
function program(): Program {
  const { onPark, ...rest } = exampleProgram();
  return { ...rest, missingPass: { waitMs: 1 }, inFlightMs: 1, onPark: { ...onPark, issue: 'continue' } };
}

function start(enrolment: AttemptReport<unknown>): void {
  fixture.partner.answer = ({ operation }) => {
    sent.push(operation);
    const answer = operation === 'issue' ? enrolment : applied;
    if (operation === 'issue') hasCard = answer === applied;
    return answer as AttemptReport<never>;
  };
  fixture.start({ 'coffee-club': program() });
}

const untilThere = (what: string, condition: () => Promise<boolean>): Promise<unknown> =>
  waitUntil(condition, { what, timeoutMs: 45_000 });

/** Until that is delivered, or parked for this reason. */
async function untilSettled(seq: number, how: string): Promise<void> {
  await untilThere(how, async () => {
    const text = `SELECT FROM intent_history
      WHERE seq = $1 AND (type = 'AttemptApplied' OR type = 'IntentParked') AND COALESCE(data->>'reason', 'delivered') = $2`;
    return (await fixture.sql(text, seq, how)).length > 0;
  });
}

const members = { program: 'coffee-club', members: 1 } as const;

/** An enrolment that came to this, and a sale behind it that found no card, and has given up. */
async function withoutCard(enrolment: AttemptReport<unknown>, how: string): Promise<number> {
  await fixture.record({ ...members, operations: ['issue'] });
  start(enrolment);
  await untilSettled(1, how);
  await fixture.drain();
  await fixture.record({ ...members, operations: ['transaction'] });
  hasCard = false;
  await fixture.sql(`UPDATE lane SET pass = 'absent'`);
  start(applied);
  await untilSettled(2, 'missing-pass');
  const [lane] = await fixture.sql<{ laneId: number }>('SELECT lane_id AS "laneId" FROM lane');
  sent = [];
  return lane!.laneId;
}

const audit = () => ({ at: fixture.clock.now(), actor: 'ada', address: null, reason: 'mended' });

async function act(laneId: number, action: IntentAction): Promise<void> {
  const actions = new IntentActionRepository(fixture.database, fixture.keys.members);
  expect(await actions.act({ place: { laneId, seq: 1 }, action, audit: audit() })).toMatchObject({ kind: 'done' });
}

async function repair(laneId: number): Promise<void> {
  const request = { laneId, evidence: '{}', job: 'r', audit: audit() };
  const again = fixture.database.transaction('repair', (s) => reissuePass(s, request, fixture.keys.members));
  expect(await again).toMatchObject({ kind: 'done' });
}

const replay = (laneId: number): Promise<void> => act(laneId, { kind: 'replay' });
const sayNotDelivered = (laneId: number): Promise<void> => act(laneId, { kind: 'resolve', as: 'not-delivered' });

it.each([
  ['a repair of a lost card', applied, 'delivered', repair],
  ['a replay of a lost card’s enrolment', applied, 'delivered', replay],
  ['a replay of an enrolment that was refused', refused, 'rejected', replay],
  ['a person’s word on one in doubt', lost, 'unknown-outcome', sayNotDelivered],
] as const)(
  'regression: a sale that parked for the lack of a card is sent once the first enrolment leads to one: by %s',
  async (_by, enrolment, how, mend) => {
    await mend(await withoutCard(enrolment, how));
    await untilThere('the sale', async () => sent.length > 1);
    expect(sent).toEqual(['issue', 'transaction']);
  },
);

const sayDelivered = (laneId: number): Promise<void> => act(laneId, { kind: 'resolve', as: 'delivered' });

async function answerLate(laneId: number): Promise<void> {
  const event = {
    type: 'LateOutcome',
    at: fixture.clock.now(),
    attempt: 1,
    outcome: 'applied',
    code: 'applied',
  } as const;
  const late = { key: null, laneId, epoch: 1, seq: 1, event, evidence: null };
  const { members, mac } = fixture.keys;
  expect(await recordLateOutcomes(fixture.database, [late], { members, mac })).toBe(1);
}

it.each([
  ['a person’s word', sayDelivered],
  ['its late answer', answerLate],
] as const)(
  'regression: a sale that parked for the lack of a card is sent once the enrolment in doubt is known to be there: by %s',
  async (_by, settle) => {
    const laneId = await withoutCard(lost, 'unknown-outcome');
    hasCard = true;
    await settle(laneId);
    await untilThere('the sale', async () => sent.length > 0);
    expect(sent).toEqual(['transaction']);
  },
);

it('regression: a sale that parked for the lack of a card is sent before the one whose lookup finds it', async () => {
  const laneId = await withoutCard(lost, 'unknown-outcome');
  hasCard = true;
  await fixture.drain();
  await fixture.record({ ...members, operations: ['transaction'] });
  await fixture.sql(`UPDATE lane SET pass = 'absent'`);
  start(applied);
  await untilSettled(2, 'delivered');
  await untilSettled(3, 'delivered');
  const rows = await fixture.sql<{ seq: number }>(
    "SELECT seq FROM intent_history WHERE lane_id = $1 AND type = 'AttemptApplied' ORDER BY version",
    laneId,
  );
  expect(rows.map(({ seq }) => seq)).toEqual([2, 3]);
});
