import type { Locator } from 'playwright-core';

import type { ProducerList, QuarantinePage } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import type { Emission } from '../e2e/traffic.js';
import { emission, enrolled, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';

const shownMsMax = 30_000;
/** What was sent is added up every 10 s. */
const countedMsMax = 90_000;

/** The same, as another till sends it. */
function from(source: string, { topic, message }: Emission): Emission {
  const event = JSON.parse(String(message.value)) as object;
  return { topic, message: { ...message, value: JSON.stringify({ ...event, source }) } };
}

const broken = (storeId: string, id: string): Emission =>
  emission('purchases', 'purchase.completed', { id, memberId: 'm-1', storeId });

/** Another total for a number that was used. */
function contradicted(purchaseId: string, eventId: string): Emission {
  const total = { minor: 99, currency: 'EUR', digits: 2 };
  const data = { id: eventId, memberId: 'm-1', purchaseId, channel: 'pos', storeId: 'berlin-07', total, lines: [] };
  return emission('purchases', 'purchase.completed', data);
}

const unreadable: Emission = {
  topic: 'purchases',
  message: { key: 'm-1', value: '{"specversion":"1.0"', headers: {} },
};
const [bad, good] = ['/pos/bad', '/pos/good'];
const first = [enrolled('m-1'), from(bad, purchased('m-1', 'a')), from(good, purchased('m-1', 'b'))];
const then = [
  ...['1', '2', '3'].map((id) => from(bad, broken('berlin-07', `bad-${id}`))),
  ...['4', '5'].map((id) => from(bad, broken('berlin-08', `bad-${id}`))),
  ...['6', '7'].map((id) => from(bad, contradicted('a', `conflict-${id}`))),
  from(good, broken('berlin-07', 'bad-8')),
  ...[unreadable, unreadable],
];

describeUnless(chromiumMissing, 'the scorecard of producers', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  const asideCount = async (): Promise<number> =>
    ((await fixture.api('viewer').get('/quarantine?state=any&limit=50')).body as QuarantinePage).items.length;

  /** Until what was sent is counted: all of it. */
  async function counted(): Promise<void> {
    const isCounted = async (): Promise<boolean> => {
      const { items } = (await fixture.api('viewer').get('/producers')).body as ProducerList;
      return items.reduce((sum, { invalid, conflicting }) => sum + invalid + conflicting, 0) === then.length;
    };
    await waitUntil(isCounted, { what: 'what was set aside to be counted', timeoutMs: countedMsMax, intervalMs: 500 });
  }

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, first);
    await produce(broker, topics, then);
    await waitUntil(async () => (await asideCount()) === then.length, {
      ...{ what: 'all that is bad to be set aside', timeoutMs: countedMsMax, intervalMs: 200 },
    });
    const operator = fixture.api('operator');
    const { items } = (await operator.get('/quarantine?source=/pos/bad&countedAs=invalid')).body as QuarantinePage;
    const done = await operator.post(`/quarantine/${items[0]?.id ?? 0}/discard`, { reason: 'of no use' });
    expect(done.status).toBe(200);
    await counted();
    seat = await fixture.sit();
  }, 240_000);

  afterAll(async () => {
    await fixture.close();
  }, 60_000);

  const lines = (): Locator => seat.page.locator('main tbody tr');

  /** Follows each count that is a link, and reads how many records are shown there, by line and column. */
  async function followed(path: string): Promise<Readonly<Record<string, readonly [count: number, rows: number]>>> {
    await seat.goTo(path);
    await lines().first().waitFor({ timeout: shownMsMax });
    const all: Record<string, readonly [number, number]> = {};
    const heads = await seat.page.locator('main thead th').allInnerTexts();
    const links = lines().getByRole('link');
    for (let index = 0; index < (await links.count()); index += 1) {
      const link = links.nth(index);
      const line = link.locator('xpath=ancestor::tr');
      const place = await link.locator('xpath=ancestor::td/preceding-sibling::*').count();
      const names = (await line.locator('th, td').allInnerTexts()).slice(0, 3);
      const count = Number(await link.innerText());
      await link.click();
      await seat.page.locator('main h1', { hasText: 'Quarantine' }).waitFor({ timeout: shownMsMax });
      await seat.shown();
      await seat.page.getByText('that is all').waitFor({ timeout: shownMsMax });
      const rows = await seat.page.getByRole('grid', { name: 'Records set aside' }).locator('[data-row]').count();
      all[[...names, heads[place] ?? '?'].map((name) => name.trim()).join(' ')] = [count, rows];
      await seat.page.goBack();
      await seat.page.locator('main h1', { hasText: 'Producers' }).waitFor({ timeout: shownMsMax });
      await lines().first().waitFor({ timeout: shownMsMax });
    }
    return all;
  }

  it('regression: leads from each count to exactly the records that were counted, also those dealt with since', async () => {
    expect(await followed('producers')).toEqual({
      '/pos/bad – coffee-club Invalid': [5, 5],
      '/pos/bad – coffee-club Conflicting': [2, 2],
      '/pos/good berlin-07 coffee-club Invalid': [1, 1],
      'no source – – Invalid': [2, 2],
    });
    expect(seat.takeFindings()).toEqual([]);
  }, 120_000);

  it('does so for each store and program, too', async () => {
    expect(await followed('producers?by=all')).toEqual({
      '/pos/bad berlin-07 coffee-club Invalid': [3, 3],
      '/pos/bad berlin-08 coffee-club Invalid': [2, 2],
      '/pos/bad berlin-07 coffee-club Conflicting': [2, 2],
      '/pos/good berlin-07 coffee-club Invalid': [1, 1],
      'no source – – Invalid': [2, 2],
    });
    expect(seat.takeFindings()).toEqual([]);
  }, 120_000);
});
