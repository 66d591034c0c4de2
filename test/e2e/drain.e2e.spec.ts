import { waitUntil } from '#platform';

import type { House } from './house.js';
import { openHouse } from './house.js';
import { ledgerSize, readLedger } from './ledger.js';
import { queryOnce, readProgress, readStandings } from './store.js';
import { enrolled, produce, purchased } from './traffic.js';

const memberCount = 200;
const purchasesPerMember = 4;
const stopAfterEffects = 200;

describe('a daemon told to stop in the middle of its work', () => {
  let house: House;

  beforeAll(async () => {
    house = await openHouse();
  }, 180_000);

  afterAll(async () => {
    await house.close();
  }, 60_000);

  it('drains: exits 0, leaves no lease and nothing unknown; the next one finishes the rest', async () => {
    const members = Array.from({ length: memberCount }, (_, index) => `d-${index}`);
    const rounds = Array.from({ length: purchasesPerMember }, (_, index) =>
      members.map((memberId) => purchased(memberId, `${memberId}-${index}`)),
    );
    const emissions = [...members.map(enrolled), ...rounds.flat()];
    const { broker, topics, database, sandboxUrl } = house;
    const first = await house.startDaemon();
    await produce(broker, topics, emissions);
    await waitUntil(async () => (await ledgerSize(sandboxUrl)) >= stopAfterEffects || undefined, {
      what: `${stopAfterEffects} effects`,
      timeoutMs: 60_000,
    });
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const leases = await queryOnce(database.url, 'SELECT lane_id FROM lane WHERE owner IS NOT NULL OR attempt_open');
    expect(leases).toEqual([]);
    expect((await readProgress(database.url)).moving).toBeGreaterThan(0);

    await house.startDaemon();
    await waitUntil(
      async () => {
        const { intents, moving } = await readProgress(database.url);
        return (intents === emissions.length && moving === 0) || undefined;
      },
      { what: 'every lane to be idle', timeoutMs: 60_000 },
    );
    const standings = await readStandings(database.url);
    expect(standings.filter((row) => row.lastEvent !== 'AttemptApplied')).toEqual([]);
    expect(await readLedger(sandboxUrl)).toHaveLength(emissions.length);
  }, 180_000);
});

describe('a daemon that must not start', () => {
  let house: House;

  beforeAll(async () => {
    house = await openHouse();
  }, 180_000);

  afterAll(async () => {
    await house.close();
  }, 60_000);

  it('refuses a database that belongs to another partner', async () => {
    const daemon = await house.startDaemon();
    await daemon.stop();
    await expect(house.startDaemon({ WALLET_ENVIRONMENT: 'production' })).rejects.toThrow(
      /ended with 2[^]*adopt-environment/,
    );
  }, 60_000);

  it('names every wrong variable and exits 2', async () => {
    const wrong = {
      WALLET_BASE_URL: 'http://example.org/brands',
      DATABASE_POOL_SIZE: 'many',
      LOYALTYD_ENCRYPTION_KEY: 'short',
    };
    await expect(house.startDaemon(wrong)).rejects.toThrow(
      /ended with 2(?=[^]*WALLET_BASE_URL)(?=[^]*DATABASE_POOL_SIZE)(?=[^]*LOYALTYD_ENCRYPTION_KEY)/,
    );
  }, 60_000);

  it('names the path of a wrong setting in the programs file and exits 2', async () => {
    await expect(house.startDaemon({ LOYALTYD_PROGRAMS: '/nonexistent.yaml' })).rejects.toThrow(
      /ended with 2[^]*nonexistent/,
    );
  }, 60_000);
});
