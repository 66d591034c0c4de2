import type { DoctorReport } from '#contracts';
import { describeUnless } from '#test-support';

import { enrolled, produce } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { passOverTestServer } from './test-server.js';
import { awaitStatus } from './troubled-traffic.js';

const docsUrl = 'https://docs.example.org/loyaltyd/';
const steps = [
  'Postgres is ready',
  'The programs file is valid',
  'The topics are there',
  'The partner lets us in',
  'Somebody takes in and delivers',
  'The first event is taken in',
  'The first call is delivered',
];

describeUnless(chromiumMissing, 'an installation that has delivered nothing yet', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(undefined, { OPS_DOCS_URL: docsUrl });
    seat = await fixture.sit();
    await passOverTestServer(seat);
    await seat.goTo('');
  });

  afterAll(async () => {
    expect(seat.takeFindings()).toEqual([]);
    await fixture.close();
  });

  const states = (): Promise<string[]> =>
    seat.page
      .getByRole('region', { name: 'First steps' })
      .getByRole('listitem')
      .locator('[data-state]')
      .allTextContents();

  it('shows what is done, what is still to be, and where more is said of each', async () => {
    const list = seat.page.getByRole('region', { name: 'First steps' });
    for (const step of steps) await list.getByText(step, { exact: true }).waitFor();
    await list.getByText('It gave a token, and answered a lookup of each program.').waitFor();
    expect(await states()).toEqual(['Done', 'Done', 'Done', 'Done', 'Done', 'Open', 'Open']);
    const links = await list.getByRole('link').all();
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
      `${docsUrl}operations/install.md`,
      `${docsUrl}operations/programs-file.md`,
      `${docsUrl}operations/provisioning.md`,
      `${docsUrl}partner-dialect.md`,
      `${docsUrl}operations/install.md`,
      `${docsUrl}producers.md`,
      `${docsUrl}operations/stuck.md`,
    ]);
    expect(await seat.accessibilityFindings()).toEqual([]);
  });

  it('says of each check where more is said of it, as the report does', async () => {
    const report = (await fixture.api('viewer').get('/doctor')).body as DoctorReport;
    const pages = new Map(report.checks.map(({ name, page }) => [name, page]));
    await seat.page.getByText(/^\d+ checks, /).click();
    const check = seat.page
      .getByRole('listitem')
      .filter({ has: seat.page.getByText('postgres.role', { exact: true }) });
    expect(await check.getByRole('link').getAttribute('href')).toBe(`${docsUrl}${pages.get('postgres.role') ?? ''}`);
  });

  it('shows it no more once a call is delivered', async () => {
    const { broker, topics } = fixture.harness;
    await produce(broker, topics, [enrolled('m-1')]);
    await awaitStatus(fixture, 'delivered', 1);
    await seat.page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
  });
});
