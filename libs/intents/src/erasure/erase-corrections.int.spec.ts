import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import type { Correction } from '../quarantine/correction.js';
import { readCorrection } from '../quarantine/read-correction.js';
import { resubmitQuarantined } from '../quarantine/resubmit-quarantined.js';
import { now, program, purchase } from '../testing/records.js';
import { routingBy, setAside } from '../testing/set-aside.js';
import { openTestStore } from '../testing/test-store.js';
import type { TestStore } from '../testing/test-store.js';
import { Till } from '../testing/till.js';
import { eraseQuarantined } from './erase-quarantined.js';
import { lookThroughQuarantine } from './look-through-quarantine.js';

let test: TestDatabase;
let store: TestStore;
let ids: readonly number[];

const word = { at: now + 5, actor: 'ada', address: null, reason: 'read from the receipt' };

const corrected = JSON.stringify({ text: 'p' });

/** What arrived names nobody; what it was taken for does. */
async function takeIn(quarantineId: number, memberId: string, correction: Correction | null): Promise<void> {
  const route = routingBy({
    nobody: purchase(`p-${quarantineId}`, memberId),
    p: purchase(`p-${quarantineId}`, memberId),
  });
  const result = await resubmitQuarantined(
    store.database,
    { quarantineId, correction, word },
    { keys: store.keys, route },
  );
  expect(result).toMatchObject({ kind: 'done' });
}

const look = () =>
  lookThroughQuarantine(store.database, { member: { program, memberId: 'a' }, after: 0 }, store.keys.quarantine);

beforeEach(async () => {
  test = await testDatabase();
  store = await openTestStore(test.url, 4);
  ids = await setAside(store, new Till(store), ['nobody', 'nobody', 'nobody']);
});

afterEach(async () => {
  await store.close();
  await test.dispose();
});

describe('the erasure of a member whose records were taken in after all', () => {
  it('finds those that became theirs, corrected or not, and takes the corrections out, too', async () => {
    const [first, second, third] = ids as [number, number, number];
    await takeIn(first, 'a', null);
    await takeIn(second, 'a', { value: corrected });
    await takeIn(third, 'b', { value: corrected });
    const { found } = await look();
    expect(found).toEqual([first, second]);
    const { key, random } = { key: store.keys.quarantine, random: store.random };
    await store.database.transaction('erase', (session) =>
      eraseQuarantined(session, { ids: found, now }, { key, random }),
    );
    expect(await readCorrection(store.database, second, key)).toBeNull();
    expect(await readCorrection(store.database, third, key)).toEqual({ value: corrected });
    expect((await look()).found).toEqual([]);
  });

  it('finds what somebody corrected to be theirs, whatever came of it', async () => {
    const [first] = ids as [number];
    await takeIn(first, 'b', { value: corrected, key: 'a' });
    expect((await look()).found).toEqual([first]);
  });
});
