import { claimCell, ForeignCellError } from './cells/cell.js';
import { openInstallation } from './installation.js';
import type { TestStore } from './testing/test-store.js';
import { testStore } from './testing/test-store.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
  await openInstallation(store.database, null, { keyring: store.keyring, random: store.random, now: 0 });
});

afterEach(() => store.close());

const claim = (index: number, count: number): Promise<void> => claimCell(store.database, { index, count });

describe('claimCell', () => {
  it('lets the first one decide, and takes it again', async () => {
    await claim(1, 2);
    await claim(1, 2);
    expect(await store.sql('SELECT cell_index, cell_count FROM installation')).toEqual([
      { cell_index: 1, cell_count: 2 },
    ]);
  });

  it.each([
    ['another index', 0, 2],
    ['another count', 1, 3],
    ['no cells', 0, 1],
  ])(
    'regression: refuses %s, under which members in the database would be passed over',
    async (_what, index, count) => {
      await claim(1, 2);
      await expect(claim(index, count)).rejects.toThrow(ForeignCellError);
      await expect(claim(index, count)).rejects.toMatchObject({ remembered: { index: 1, count: 2 } });
      await claim(1, 2);
    },
  );

  it('lets only one of two cells have a database that both begin with at once', async () => {
    const claims = await Promise.allSettled([claim(0, 2), claim(1, 2)]);
    expect(claims.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});
