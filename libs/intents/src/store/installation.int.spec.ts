import { Keyring, SealBrokenError } from '#platform';

import { adoptEnvironment, ForeignDatabaseError, openInstallation } from './installation.js';
import { testStore } from '../testing/test-store.js';
import type { TestStore } from '../testing/test-store.js';

const here = { baseUrl: 'https://wallet.example/brands', environment: 'production' };
const sandbox = { baseUrl: 'http://127.0.0.1:4010/brands', environment: 'sandbox' };

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

function open(partner = here, keyring = store.keyring): ReturnType<typeof openInstallation> {
  return openInstallation(store.database, partner, { keyring, random: store.random, now: 0 });
}

describe('openInstallation', () => {
  it('makes its keys once and finds them again', async () => {
    const first = await open();
    expect(first.mac).toHaveLength(32);
    expect(first.quarantine).toHaveLength(32);
    expect(first.mac).not.toEqual(first.quarantine);
    expect(await open()).toEqual(first);
  });

  it('gives processes that start together the same keys', async () => {
    const opened = await Promise.all([open(), open(), open(), open()]);
    for (const keys of opened) expect(keys).toEqual(opened[0]);
  });

  it.each([
    ['another address', { ...here, baseUrl: sandbox.baseUrl }],
    ['another environment', { ...here, environment: 'sandbox' }],
  ])('refuses %s and names the one it remembers', async (_name, other) => {
    await open();
    await expect(open(other)).rejects.toThrow(ForeignDatabaseError);
    await expect(open(other)).rejects.toMatchObject({ remembered: here });
  });

  it('belongs to another partner after adopting it, with the same keys', async () => {
    const before = await open();
    await adoptEnvironment(store.database, sandbox);
    expect(await open(sandbox)).toEqual(before);
    await expect(open(here)).rejects.toThrow(ForeignDatabaseError);
  });

  it('refuses a keyring that cannot open its keys, and opens with a rotated one', async () => {
    const before = await open();
    const stranger = new Keyring([store.random.bytes(32)]);
    await expect(open(here, stranger)).rejects.toThrow(SealBrokenError);
    expect(await open(here, store.keyring)).toEqual(before);
  });

  it('stores no key in the clear', async () => {
    const { mac, quarantine } = await open();
    const [row] = await store.sql<{ text: string }>('SELECT i::text AS text FROM installation i');
    for (const key of [mac, quarantine]) expect(row?.text).not.toContain(Buffer.from(key).toString('hex'));
  });
});
