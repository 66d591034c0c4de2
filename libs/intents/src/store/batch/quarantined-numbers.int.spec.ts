import { SystemRandom } from '#platform';

import { eraseQuarantined } from '../erasure/erase-quarantined.js';
import { leaving, now, purchase, Till, transactionIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(1);
  till = new Till(store);
  await till.record(purchase('1', 'a', 'B-1'), purchase('2', 'b', 'B-2'));
});

afterEach(() => store.close());

/** Of what was set aside, whose it is and whether it has the number of a sale that counts. */
const numbers = (): Promise<object[]> =>
  store.sql(`SELECT m.member_id AS of, q.number_key IN (SELECT key FROM dedup) AS "isKnown"
FROM quarantine q LEFT JOIN member m ON m.lane_id = q.number_lane_id ORDER BY quarantine_id`);

/** Says other than what counts under its number. */
const other = (id: string, memberId: string): ReturnType<typeof purchase> => {
  const sale = purchase(id, memberId, 'B-1');
  const intents = [transactionIntent(memberId, 'B-1', { businessContent: 'other' })];
  return { ...sale, verdict: { ...sale.verdict, intents } };
};

it('a sale that is set aside keeps its number and whose it is, also of who is new', async () => {
  await till.record(other('3', 'b'), other('4', 'new'));
  expect(await numbers()).toEqual([
    { of: 'b', isKnown: true },
    { of: null, isKnown: true },
  ]);
});

it('an erasure clears both with the bytes', async () => {
  await till.record(other('3', 'b'));
  const [row] = await store.sql<{ id: number }>('SELECT quarantine_id AS id FROM quarantine');
  const audit = { at: now, actor: 'otto', address: null, reason: 'asked' };
  const sealing = { key: store.keys.quarantine, random: new SystemRandom() };
  await store.database.transaction('spec', (session) =>
    eraseQuarantined(session, { ids: [row?.id ?? 0], audit }, sealing),
  );
  expect(await numbers()).toEqual([{ of: null, isKnown: null }]);
});

it('nothing is kept of who is erased', async () => {
  await till.record(leaving('3', 'b', true));
  await till.record(other('4', 'b'));
  expect(await numbers()).toEqual([{ of: null, isKnown: null }]);
});
