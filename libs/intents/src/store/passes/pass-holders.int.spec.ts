import type { WalletPass } from '#contracts';

import { erasedName } from '../erasure/erased-names.js';
import { destroyKey } from '../erasure/erasure.js';
import { ensureMembers, adoptPasses } from './adopt-passes.js';
import { holdPass, holdPasses } from './pass-holders.js';
import { enrolment, laneOf, now, program, Till } from '../../testing/records.js';
import { whileLocked } from '../../testing/lease.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
const lanes = new Map<string, number>();
const place = { brandId: '1', programId: '2' };

beforeEach(async () => {
  store = await testStore(4);
  await new Till(store).record(enrolment('e', 'ada'), enrolment('f', 'bob'));
  for (const memberId of ['ada', 'bob']) lanes.set(memberId, (await laneOf(store, memberId)).lane_id);
});

afterEach(() => store.close());

const shown = (memberId: string, pass: Pick<WalletPass, 'passId' | 'serialNumber'>, at = place) => ({
  laneId: lanes.get(memberId)!,
  place: at,
  pass,
});

const hold = (...shows: Parameters<typeof shown>): Promise<string | null> =>
  holdPass(store.database, shown(...shows), store.keys.mac);

const refusal =
  'coffee-club: the members ada and bob have one pass at the partner. It is the card of ada; nothing of bob is sent to it';

describe('a pass that two members are shown with', () => {
  it('is the first one’s, by whichever of its names it is told, and however often', async () => {
    expect(await hold('ada', { passId: 7, serialNumber: 'S-7' })).toBeNull();
    expect(await hold('ada', { passId: 7 })).toBeNull();
    expect(await hold('bob', { passId: 7 })).toBe(refusal);
    expect(await hold('bob', { serialNumber: 'S-7', passId: 8 })).toBe(refusal);
    // What came with the refusal is not the second one's either.
    expect(await hold('ada', { passId: 8 })).toBeNull();
    expect(await hold('bob', { passId: 9 })).toBeNull();
  });

  it('is one of them’s where both are told in two transactions at once', async () => {
    const second = await whileLocked(
      store,
      (session) => holdPasses(session, [shown('ada', { serialNumber: 'S-7' })], store.keys.mac),
      () => hold('bob', { serialNumber: 'S-7' }),
    );
    expect(second).toBe(refusal);
  });

  it('is another pass in another place, and free once its member is erased', async () => {
    expect(await hold('ada', { passId: 7 })).toBeNull();
    expect(await hold('bob', { passId: 7 }, { ...place, programId: '3' })).toBeNull();
    const erasure = { laneId: lanes.get('ada')!, at: now, now, erasedName: erasedName(store.keys.mac, 'ada') };
    await store.database.transaction('erase', (session) => destroyKey(session, erasure));
    expect(await hold('bob', { passId: 7 })).toBeNull();
  });

  it('is not taken over for the second one, from one listing or another', async () => {
    const members = await ensureMembers(store.database, { program, memberIds: ['ada', 'bob', 'cid'], now }, store.keys);
    const adopt = (passIds: Readonly<Record<string, number>>) =>
      store.database.transaction('adopt', (session) => {
        const passes = Object.entries(passIds).map(([memberId, passId]) => {
          const { laneId, key } = members.get(memberId)!;
          return { laneId, key: key!, pass: { passId } };
        });
        return adoptPasses(session, { program, place, passes, job: 'j', page: 1, now }, store.keys);
      });
    const bob = lanes.get('bob')!;
    const first = await adopt({ ada: 7, bob: 7, cid: 8 });
    expect([first.adopted.size, [...first.refused]]).toEqual([2, [[bob, refusal]]]);
    expect((await adopt({ bob: 8 })).refused.get(bob)).toContain('the members cid and bob');
    expect(await laneOf(store, 'bob')).toMatchObject({ pass: 'unknown' });
  });
});
