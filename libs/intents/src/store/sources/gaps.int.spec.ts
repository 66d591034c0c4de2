import { loadOffsets, startOffset } from '../batch/partition-offsets.js';
import { now, source } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { HeldGap } from './source-gaps.js';
import { acceptGap, holdAtGap, listGaps } from './source-gaps.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(3);
  await startOffset(store.database, source, 10);
  await store.sql(`UPDATE kafka_offset SET last_offset = 9, last_fingerprint = '\\x01'`);
});

afterEach(() => store.close());

const { topic, partition } = source;
const acceptance = { topic, partition, by: 'ann', reason: 'the retention was too short', now: now + 1 };

async function stored(): Promise<unknown> {
  const [row] = await loadOffsets(store.database, { clusterId: source.clusterId, topics: [topic] });
  return row;
}

const hold = (oldestOffset: number, storedOffset = 10): Promise<HeldGap> =>
  holdAtGap(store.database, { source, storedOffset, oldestOffset }, now);

describe('a gap', () => {
  it('holds its partition and is listed, as far as it has grown', async () => {
    expect(await hold(20)).toEqual({ isNew: true, isAccepted: false });
    expect(await hold(25)).toEqual({ isNew: false, isAccepted: false });
    expect(await listGaps(store.database)).toEqual([
      { topic, partition, storedOffset: 10, oldestOffset: 25, foundAt: now, acceptedAt: null },
    ]);
    expect(await stored()).toMatchObject({ nextOffset: 10 });
  });

  it('once accepted lets the partition go on at the oldest record that there is then', async () => {
    await hold(20);
    expect(await acceptGap(store.database, acceptance)).toEqual([{ storedOffset: 10, oldestOffset: 20 }]);
    expect(await listGaps(store.database)).toMatchObject([{ acceptedAt: now + 1 }]);
    expect(await hold(30)).toEqual({ isNew: false, isAccepted: true });
    expect(await stored()).toMatchObject({ nextOffset: 30, last: null });
    expect(await listGaps(store.database)).toEqual([]);
    const [row] = await store.sql('SELECT accepted_by, accepted_reason, resumed_at FROM source_gap');
    expect(row).toEqual({ accepted_by: 'ann', accepted_reason: acceptance.reason, resumed_at: now });
  });

  it('is accepted once, and the next one of the partition not with it', async () => {
    await hold(20);
    await acceptGap(store.database, acceptance);
    expect(await acceptGap(store.database, acceptance)).toEqual([]);
    await hold(20);
    expect(await hold(40, 20)).toEqual({ isNew: true, isAccepted: false });
    expect(await stored()).toMatchObject({ nextOffset: 20 });
  });

  it('of which nobody knows cannot be accepted', async () => {
    expect(await acceptGap(store.database, acceptance)).toEqual([]);
    await hold(20);
    expect(await acceptGap(store.database, { ...acceptance, partition: 7 })).toEqual([]);
  });
});
