import type { ReplayItemsPage } from '#contracts';
import { describeUnless } from '#test-support';

import { programsFile } from '../e2e/harness.js';
import { readLedger } from '../e2e/partner.js';
import { enrolled, produce, purchased } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { awaitStatus } from './troubled-traffic.js';

const memberCount = 40;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
/** The partner has to refuse everybody here: the pause that this causes would be another incident. */
const programs = `${programsFile}    autoPause: { sameRefusals: 1000000 }\n`;

const decisionsMax = 5;
const stepMsMax = 60_000;

describeUnless(chromiumMissing, 'an incident, by someone who only has the console', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(programs);
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', memberCount);
    await fixture.breakPartner({ operation: 'transaction', kind: 'error-before', status: 422 });
    await produce(
      broker,
      topics,
      members.map((memberId) => purchased(memberId, `${memberId}-p`)),
    );
    await awaitStatus(fixture, 'parked', memberCount);
    seat = await fixture.sit();
  }, 240_000);

  afterAll(async () => {
    await fixture.close();
  }, 60_000);

  it('is seen, tried, stopped by its canary, mended and drained, in few decisions', async () => {
    const { page } = seat;
    let [clicks, decisions] = [0, 0];
    const look = async (name: RegExp): Promise<void> => {
      clicks += 1;
      await page.getByRole('link', { name }).first().click();
    };
    const decide = async (name: RegExp): Promise<void> => {
      clicks += 1;
      decisions += 1;
      await page.getByRole('button', { name }).last().click();
    };
    const says = (text: RegExp): Promise<void> =>
      page.locator('main').getByText(text).first().waitFor({ timeout: stepMsMax });

    await seat.goTo('');
    await says(/^Partner refuses 40 purchases of coffee-club .*all of store \S+: 40 members.* It says: \w/);
    await look(/See why/);
    await says(/What it means/);
    // Nobody has to unmask anything to learn why.
    await page.locator('blockquote').getByText(/\w{3}/).waitFor({ timeout: stepMsMax });
    await says(/\S+ \(all\)/);
    await page.getByRole('link', { name: 'Its whole story' }).click();
    await page.locator('main q').getByText(/\w{3}/).waitFor({ timeout: stepMsMax });
    await page.goBack();
    await says(/What it means/);
    await decide(/^Replay these 40$/);
    await says(/40 .*parked now/);
    await page.getByLabel('Why').fill('whether the partner takes them again');
    await decide(/^Look what would be sent$/);
    await says(/refused before/);
    await decide(/^Replay 40 /);
    await says(/The canary stopped it/);
    expect(await awaitedLedger(fixture)).toHaveLength(0);

    await fixture.breakPartner();
    await decide(/^Resume$/);
    await page.getByRole('dialog').getByLabel('Why').fill('the partner has mended it');
    await decide(/^Resume/);
    // The one that the canary tried is parked again, and is not in it any more.
    await says(/1 of 40 failed again/);

    process.stderr.write(`incident: ${clicks} clicks, ${decisions} of them decide\n`);
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
    expect(await awaitedLedger(fixture)).toHaveLength(memberCount - 1);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const parked = (await fixture.api('viewer').get(`/replays/${id}/items?state=parked`)).body as ReplayItemsPage;
    expect(parked.items).toHaveLength(1);
    expect(seat.takeFindings()).toEqual([]);
  }, 300_000);
});

/** The purchases that took effect at the partner, each named once. */
async function awaitedLedger({ harness }: ConsoleFixture): Promise<readonly string[]> {
  const entries = await readLedger(harness.sandboxUrl);
  const keys = entries.filter(({ operation }) => operation === 'transaction').map(({ key }) => key ?? '?');
  expect(new Set(keys).size).toBe(keys.length);
  return keys;
}
