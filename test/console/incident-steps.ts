import { programsFile } from '../e2e/harness.js';
import { readLedger } from '../e2e/partner.js';
import { enrolled, produce, purchased } from '../e2e/traffic.js';
import type { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { awaitStatus } from './troubled-traffic.js';

export const incidentMemberCount = 40;
const members = Array.from({ length: incidentMemberCount }, (_, index) => `m-${index}`);
/** The partner has to refuse everybody here: the pause that this causes would be another incident. */
export const incidentPrograms = `${programsFile}    autoPause: { sameRefusals: 1000000 }\n`;

/** Each step; a busy machine takes longer for all of them. */
const stepMsMax = 60_000;

/** Everybody has a pass and a purchase, which the partner refuses. */
export async function causeIncident(fixture: ConsoleFixture): Promise<void> {
  const { broker, topics } = fixture.harness;
  await produce(broker, topics, members.map(enrolled));
  await awaitStatus(fixture, 'delivered', incidentMemberCount);
  await fixture.breakPartner({ operation: 'transaction', kind: 'error-before', status: 422 });
  await produce(
    broker,
    topics,
    members.map((memberId) => purchased(memberId, `${memberId}-p`)),
  );
  await awaitStatus(fixture, 'parked', incidentMemberCount);
}

/** The purchases that took effect at the partner. */
export async function purchasesAtPartner({ harness }: ConsoleFixture): Promise<readonly string[]> {
  const entries = await readLedger(harness.sandboxUrl);
  return entries.filter(({ operation }) => operation === 'transaction').map(({ key }) => key ?? '?');
}

interface MendedIncident {
  readonly clicks: number;
  /** Of these clicks. */
  readonly decisions: number;
  /** Purchases at the partner when the canary had stopped the replay. */
  readonly appliedWhenStopped: number;
}

/** From the first look to the last purchase at the partner, by someone who only has the console. */
export async function mendIncident(fixture: ConsoleFixture, seat: ConsolePage): Promise<MendedIncident> {
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
  await page.locator('main q').getByText(/\w{3}/).first().waitFor({ timeout: stepMsMax });
  await page.goBack();
  await says(/What it means/);
  await decide(/^Replay these 40$/);
  await says(/40 .*parked now/);
  await page.getByLabel('Why').fill('whether the partner takes them again');
  await decide(/^Preview$/);
  await says(/refused before/);
  await decide(/^Replay 40 /);
  await says(/The canary stopped it/);
  const appliedWhenStopped = (await purchasesAtPartner(fixture)).length;

  await fixture.breakPartner();
  await decide(/^Resume$/);
  await page.getByRole('dialog').getByLabel('Why').fill('the partner has mended it');
  await decide(/^Resume/);
  // The one that the canary tried is parked again, and is not in it any more.
  await says(/1 of 40 failed again/);
  return { clicks, decisions, appliedWhenStopped };
}
