import type { Route } from 'playwright-core';

import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';

/** A screen's file, as the build names it. */
const failuresFile = /\/assets\/failures-screen-[^/]+\.js$/;
const lost = 'This screen could not be loaded';

describeUnless(chromiumMissing, 'a screen whose file cannot be loaded', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  beforeEach(async () => {
    seat = await fixture.sit();
  });

  afterEach(async () => {
    // What the browser says of the requests that were made to fail.
    seat.takeFindings();
    await seat.close();
  });

  afterAll(async () => {
    await fixture.close();
  });

  const asksFor = (path: RegExp): (() => number) => {
    let count = 0;
    seat.page.on('request', (request) => {
      if (path.test(new URL(request.url()).pathname)) count += 1;
    });
    return () => count;
  };
  const pageLoads = (): (() => number) => {
    let count = 0;
    seat.page.on('load', () => (count += 1));
    return () => count;
  };
  const goToFailures = (): Promise<void> => seat.page.getByRole('link', { name: 'Failures', exact: true }).click();
  const saysLost = (): Promise<void> => seat.page.getByRole('heading', { name: lost }).waitFor({ timeout: 30_000 });

  it('is there all the same when the daemon is not: all of them are loaded once the first one stands', async () => {
    const asked = asksFor(failuresFile);
    await seat.goTo('');
    await waitUntil(() => asked() > 0, { what: 'the files of the other screens', timeoutMs: 30_000 });
    await waitUntil(
      () =>
        seat.page.evaluate<boolean>(
          `performance.getEntriesByType('resource').some(({ name }) => name.includes('/settings-screen-'))`,
        ),
      { what: 'the last file', timeoutMs: 30_000 },
    );
    await seat.page.context().setOffline(true);
    await goToFailures();
    await seat.page.locator('main h1', { hasText: 'Failures' }).waitFor({ timeout: 30_000 });
  });

  it('regression: leaves the frame standing where the daemon is away, and comes when it is back', async () => {
    const loads = pageLoads();
    await seat.page.route(failuresFile, (route: Route) => route.abort());
    await seat.goTo('');
    const before = loads();
    await seat.page.route('**/*', (route: Route) => route.abort());
    await goToFailures();
    await saysLost();
    expect(await seat.accessibilityFindings()).toEqual([]);
    await seat.page.getByText('The daemon does not answer').waitFor();
    await seat.page.getByRole('button', { name: 'Try again' }).click();
    await seat.page.getByText('Still no answer, after 1 try.').waitFor();
    expect(loads()).toBe(before);
    expect(await seat.page.getByRole('link', { name: 'Failures', exact: true }).isVisible()).toBe(true);
    await seat.page.unrouteAll();
    await seat.page.getByRole('button', { name: 'Try again' }).click();
    await seat.page.locator('main h1', { hasText: 'Failures' }).waitFor({ timeout: 30_000 });
  });

  it('regression: does not reload for ever where the file is missing', async () => {
    const loads = pageLoads();
    await seat.page.route(failuresFile, (route: Route) => route.fulfill({ status: 404, body: '' }));
    await seat.page.goto(`${fixture.url}/failures`);
    await saysLost();
    await seat.page.getByText('A file of it could not be loaded').waitFor();
    expect(loads()).toBe(1);
  });

  it('regression: is loaded anew, once, where a newer console is served', async () => {
    const loads = pageLoads();
    await seat.goTo('');
    const before = loads();
    await seat.page.route(failuresFile, (route: Route) => route.fulfill({ status: 404, body: '' }));
    const page = await (await fetch(`${fixture.url}/`)).text();
    const newer = page.replace(/(<script type="module"[^>]*src=")[^"]+/, '$1./assets/newer.js');
    expect(newer).not.toBe(page);
    // Asked for by the console itself; a load of the page gets what is really there.
    await seat.page.route(`${fixture.url}/`, (route: Route) =>
      route.request().resourceType() === 'fetch' ? route.fulfill({ status: 200, body: newer }) : route.continue(),
    );
    await goToFailures();
    await waitUntil(() => loads() === before + 1, { what: 'the page to be loaded anew', timeoutMs: 30_000 });
    await saysLost();
    expect(loads()).toBe(before + 1);
  });
});
