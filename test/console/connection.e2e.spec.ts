import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Locator, Route } from 'playwright-core';

import type { IntentPage, QuarantinePage } from '#contracts';
import { waitUntil } from '#embedded';
import { checkoutRoot, describeUnless } from '#test-support';

import { tokenOf } from '../e2e/api-client.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { makeTroubles } from './troubled-traffic.js';

const waitMs = 30_000;
const routerFile = resolve(checkoutRoot, 'apps/console/src/router.tsx');
/** The paths of all screens, as the router has them. */
const screens = [...readFileSync(routerFile, 'utf8').matchAll(/path: '([^']+)'/g)].map(([, path]) => path ?? '');
const reads = '**/api/v1/**';
const unavailable = (route: Route): Promise<void> => route.fulfill({ status: 503, body: '<h1>503</h1>' });

describeUnless(chromiumMissing, 'a console that nobody answers', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;
  /** One that there is for each screen, by its path. */
  const addresses = new Map<string, string>();

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    await makeTroubles(fixture);
    const operator = fixture.api('operator');
    const { items: intents } = (await operator.get('/intents?status=parked&limit=1')).body as IntentPage;
    const { items: records } = (await operator.get('/quarantine?limit=1')).body as QuarantinePage;
    const { id = '', program = '', memberId = '' } = intents[0] ?? {};
    const job = { kind: 'reconcile', id: 'compared', program: 'coffee-club', reason: 'to be looked at' };
    expect(await operator.post('/jobs', job)).toMatchObject({ status: 200 });
    addresses.set('/intents/$id', `/intents/${encodeURIComponent(id)}`);
    addresses.set('/members/$program/$memberId', `/members/${program}/${encodeURIComponent(memberId)}`);
    addresses.set('/quarantine/$id', `/quarantine/${records[0]?.id ?? ''}`);
    addresses.set('/jobs/$kind/$id', '/jobs/reconcile/compared');
    for (const path of screens) if (!path.includes('$')) addresses.set(path, path);
  });

  afterAll(async () => {
    await fixture.close();
  });

  beforeEach(async () => {
    seat = await fixture.sit();
  });

  afterEach(async () => {
    await seat.close();
  });

  const bar = (words: string | RegExp): Locator => seat.page.getByRole('status').filter({ hasText: words });
  const seen = async (path: string): Promise<string> =>
    `${path}: ${(await seat.page.locator('main').innerText()).replaceAll('\n', ' / ')}`;

  /** Goes there as a link does: nothing is loaded anew. */
  async function follow(path: string): Promise<void> {
    await seat.page.evaluate(`history.pushState({}, '', ${JSON.stringify(addresses.get(path))})`);
    await seat.page.locator('main h1').first().waitFor({ timeout: waitMs });
  }

  /** Whatever is shown where nothing was read, that is not the reading itself. */
  async function calm(path: string): Promise<readonly string[]> {
    const empty = await seat.page.locator('main [data-good]').count();
    return empty === 0 ? [] : [await seen(path)];
  }

  async function loadAllScreens(): Promise<void> {
    await seat.goTo('');
    const isLast = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/settings-screen-'))`;
    await waitUntil(() => seat.page.evaluate<boolean>(isLast), { what: 'the last screen', timeoutMs: waitMs });
    await seat.page.getByText('Live', { exact: true }).waitFor({ timeout: waitMs });
  }

  it('has an address here for each of its screens', () => {
    expect(screens.length).toBeGreaterThanOrEqual(13);
    expect(screens.filter((path) => !addresses.has(path))).toEqual([]);
  });

  it('offline: says so on each screen, and on none that there is nothing', async () => {
    await loadAllScreens();
    await seat.page.context().setOffline(true);
    await bar('You are offline since').waitFor({ timeout: waitMs });
    await seat.page.getByText('Not known: the daemon').waitFor({ timeout: waitMs });
    const wrong: string[] = [];
    for (const path of screens) {
      await follow(path);
      wrong.push(...(await calm(path)));
      // Until it has given up reading: what it says then stays.
      await seat.page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached', timeout: waitMs });
      wrong.push(...(await calm(path)));
      if (!(await bar('You are offline since').isVisible())) wrong.push(await seen(path));
    }
    expect(wrong).toEqual([]);
    expect(await seat.accessibilityFindings()).toEqual([]);
    await follow('/quarantine');
    await seat.page.context().setOffline(false);
    await bar('You are offline').waitFor({ state: 'detached', timeout: waitMs });
    await seat.page.getByText(/\d shown, that is all/).waitFor({ timeout: waitMs });
    await seat.page.getByText('Live', { exact: true }).waitFor({ timeout: waitMs });
  });

  it('offline: what was read before stands there with its age', async () => {
    await loadAllScreens();
    for (const path of ['/quarantine', '/pauses', '/audit']) {
      await follow(path);
      await seat.shown();
    }
    await seat.page.context().setOffline(true);
    await bar(/You see (what was read from )?\d\d:\d\d:\d\d/).waitFor({ timeout: waitMs });
    await follow('/quarantine');
    expect(await seat.page.locator('main [data-row]').count()).toBeGreaterThan(0);
  });

  it('503 of whatever stands before the daemon: one bar says since when, and no other panel says it again', async () => {
    await loadAllScreens();
    await seat.page.route(reads, unavailable);
    await follow('/audit');
    await bar(/The daemon answers 503 since \d\d:\d\d:\d\d/).waitFor({ timeout: waitMs });
    await seat.page.getByText(/This was not read/).waitFor({ timeout: waitMs });
    expect(await seat.page.getByText(/The answer was 503/).count()).toBe(0);
    expect(await calm('/audit')).toEqual([]);
    await seat.page.unrouteAll({ behavior: 'wait' });
    await seat.page.getByText(/\d shown/).waitFor({ timeout: waitMs });
    expect(await bar('The daemon answers').count()).toBe(0);
  });

  it('503 for one question alone: only what asks it says so', async () => {
    await loadAllScreens();
    await seat.page.route('**/api/v1/audit*', unavailable);
    await follow('/audit');
    await seat.page.getByText(/The answer was 503/).waitFor({ timeout: waitMs });
    expect(await bar('The daemon answers').count()).toBe(0);
    expect(await calm('/audit')).toEqual([]);
  });

  it('green is told with when it was read', async () => {
    await seat.page.route('**/api/v1/pauses', (route) => route.fulfill({ json: { items: [] } }));
    await seat.goTo('pauses');
    await seat.page.getByText(/Read at \d\d:\d\d:\d\d/).waitFor({ timeout: waitMs });
    expect(await seat.page.locator('main [data-good="true"]').innerText()).toContain('Nothing is paused');
  });

  it('what is asked for offline fails at once, and is not sent later by itself', async () => {
    await loadAllScreens();
    await follow('/pauses');
    await seat.page.getByRole('button', { name: 'Pause', exact: true }).click();
    const dialog = seat.page.getByRole('dialog');
    await dialog.getByLabel('Program').selectOption('coffee-club');
    await dialog.getByLabel('Operation').selectOption('reward');
    await dialog.getByLabel(/^Why/).fill('while offline');
    const sent: string[] = [];
    await seat.page.context().setOffline(true);
    await dialog.locator('button[type="submit"]').click();
    await dialog.getByText('It may have been done.').waitFor({ timeout: waitMs });
    seat.page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    await seat.page.context().setOffline(false);
    await bar('You are offline').waitFor({ state: 'detached', timeout: waitMs });
    expect(sent).toEqual([]);
  });

  describe('a session that ends while a correction is typed', () => {
    const reason = 'the till counts in francs';
    let intent = '';

    beforeEach(async () => {
      intent = addresses.get('/intents/$id') ?? '';
      await seat.goTo(intent.slice(1));
      await seat.page.getByRole('button', { name: 'Correct', exact: true }).click();
      await editor().fill('{ "half": "typed');
      await seat.page.getByRole('dialog').getByLabel(/^Why/).fill(reason);
      await seat.page.route(reads, (route) => route.fulfill({ status: 401, json: { title: 'No such token' } }));
      await seat.page.getByText('Sign in to loyaltyd').waitFor({ timeout: waitMs });
      await seat.page.unrouteAll({ behavior: 'wait' });
    });

    const editor = (): Locator => seat.page.getByRole('dialog').getByLabel('What the partner is to be sent');

    async function signIn(role: 'operator' | 'admin'): Promise<void> {
      await seat.page.getByLabel('Token').fill(tokenOf(role));
      await seat.page.getByRole('button', { name: 'Sign in with a token' }).click();
      await seat.shown();
    }

    it('leaves what was typed to the same person', async () => {
      await signIn('operator');
      expect(new URL(seat.page.url()).pathname).toBe(intent);
      await seat.page.getByText('What you were typing is kept').waitFor({ timeout: waitMs });
      await seat.page.getByRole('button', { name: 'Correct', exact: true }).click();
      expect(await editor().inputValue()).toBe('{ "half": "typed');
      expect(await seat.page.getByRole('dialog').getByLabel(/^Why/).inputValue()).toBe(reason);
      await seat.page.getByRole('dialog').getByRole('button', { name: 'Leave it' }).click();
      await seat.page.getByRole('button', { name: 'Correct', exact: true }).click();
      expect(await editor().inputValue()).not.toContain('half');
    });

    it('leaves nothing to somebody else', async () => {
      await signIn('admin');
      await seat.page.getByRole('button', { name: 'Correct', exact: true }).click();
      expect(await editor().inputValue()).not.toContain('half');
      expect(await seat.page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('half');
    });
  });
});
