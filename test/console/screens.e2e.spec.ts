import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { Locator, Route } from 'playwright-core';

import type { GroupList, IntentPage, QuarantinePage, StatsView } from '#contracts';
import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { makeTroubles } from './troubled-traffic.js';

const stillScreens = [
  ['', 'Now'],
  ['intents', 'Intents'],
  ['failures', 'Failures'],
  ['jobs/replay/new', 'New replay'],
  ['quarantine', 'Quarantine'],
  ['pauses', 'Pauses'],
  ['jobs', 'Jobs'],
  ['audit', 'Audit'],
  ['settings', 'Settings'],
] as const;

const built = resolve(import.meta.dirname, '../../dist/console');

/** A screen's file, as the build names it. */
const failuresFile = /\/assets\/failures-screen-[^/]+\.js$/;
const lost = 'This screen could not be loaded';

describeUnless(chromiumMissing, 'the console’s screens', () => {
  let fixture: ConsoleFixture;
  /** Of what there is to look at: an intent, its member, a record that was set aside, a replay. */
  const paths = new Map<string, string>(stillScreens.map(([path, title]) => [title, path]));

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    await makeTroubles(fixture);
    const operator = fixture.api('operator');
    const { items: intents } = (await operator.get('/intents?status=parked&limit=1')).body as IntentPage;
    const [intent] = intents;
    const { items: records } = (await operator.get('/quarantine?limit=1')).body as QuarantinePage;
    const { items: groups } = (await operator.get('/groups')).body as GroupList;
    const replay = { kind: 'replay', id: 'look', query: { status: 'parked' }, reason: 'to be looked at', dryRun: true };
    expect(await operator.post('/jobs', replay)).toMatchObject({ status: 200 });
    const job = { id: 'compared', program: 'coffee-club', reason: 'to be looked at' };
    expect(await operator.post('/jobs', { kind: 'reconcile', ...job })).toMatchObject({ status: 200 });
    paths.set('an intent', `intents/${encodeURIComponent(intent?.id ?? '')}`);
    paths.set('a member', `members/${intent?.program ?? ''}/${encodeURIComponent(intent?.memberId ?? '')}`);
    paths.set('a cause', `failures?group=${encodeURIComponent(groupId(groups[0]))}`);
    paths.set('a record', `quarantine/${records[0]?.id ?? ''}`);
    paths.set('a replay', 'jobs/replay/look');
    paths.set('a job', 'jobs/reconcile/compared');
  });

  afterAll(async () => {
    await fixture.close();
  });

  it.each(['desktop', 'phone'] as const)(
    'open without an error, a violation of the policy or a request elsewhere, and axe finds nothing: %s',
    async (screen) => {
      const seat = await fixture.sit({ screen });
      const findings: Record<string, readonly string[]> = {};
      for (const [title, path] of paths) {
        await seat.goTo(path);
        const found = await seat.lookFindings();
        if (found.length > 0) findings[title] = found;
      }
      await seat.close();
      expect(findings).toEqual({});
    },
  );

  it.each([
    ['is connected to', 'Connecting to the daemon', (): void => undefined],
    ['is away', 'No connection to the daemon', (route: Route) => route.abort()],
  ])('regression: fit a phone, also while what tells of changes %s', async (_what, words, answer) => {
    const seat = await fixture.sit({ screen: 'phone' });
    await seat.page.route('**/api/v1/stream', answer);
    await seat.goTo('pauses');
    await seat.page.getByTitle(words).waitFor();
    // It comes last.
    await seat.page.getByRole('button', { name: /account and theme/ }).waitFor();
    expect(await seat.widthBeyond()).toBe(0);
    await seat.close();
  });

  it('narrow a replay down to a kind of work by its name', async () => {
    const seat = await fixture.sit();
    const { page } = seat;
    await seat.goTo('jobs/replay/new');
    await page.getByLabel('Filter', { exact: true }).selectOption('Operation');
    await page.getByLabel('Value', { exact: true }).selectOption('purchases (transaction)');
    await page.getByRole('button', { name: 'Narrow down' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Operation purchases (transaction)' }).waitFor();
    expect(new URL(page.url()).search).toBe('?operation=transaction');
    expect(seat.takeFindings()).toEqual([]);
    await seat.close();
  });

  it('are all looked at here: those to which the navigation leads', async () => {
    const seat = await fixture.sit();
    await seat.goTo('');
    const links = await seat.page.getByRole('navigation').first().getByRole('link').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    await seat.close();
    expect(targets.length).toBeGreaterThanOrEqual(8);
    expect(targets.filter((to) => !stillScreens.some(([path]) => to === `/${path}`))).toEqual([]);
  });

  it('have in the menu how much is open on them', async () => {
    const { body } = await fixture.api('operator').get('/stats');
    const { intents, quarantine, pauses } = body as StatsView;
    const parked = intents.filter(({ status }) => status === 'parked').reduce((sum, each) => sum + each.intents, 0);
    const aside = quarantine.reduce((sum, { records }) => sum + records, 0);
    expect(Math.min(parked, aside)).toBeGreaterThan(0);
    const seat = await fixture.sit();
    await seat.goTo('settings');
    const paused = pauses.length === 0 ? 'Pauses' : `Pauses ${pauses.length} in force`;
    for (const name of [`Failures ${parked} parked`, `Quarantine ${aside} set aside`, paused, 'Audit']) {
      await seat.page.getByRole('link', { name, exact: true }).waitFor();
    }
    await seat.close();
  });

  describe('one whose file cannot be loaded', () => {
    let seat: ConsolePage;

    beforeEach(async () => {
      seat = await fixture.sit();
    });

    afterEach(async () => {
      // What the browser says of the requests that were made to fail.
      seat.takeFindings();
      await seat.close();
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
    const toFailures = (): Locator =>
      seat.page
        .getByRole('navigation')
        .first()
        .getByRole('link', { name: /^Failures/ });
    const goToFailures = (): Promise<void> => toFailures().click();
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

    it('regression: leaves the frame standing where the daemon is away, and comes by itself when it is back', async () => {
      const loads = pageLoads();
      await seat.page.route(failuresFile, (route: Route) => route.abort());
      await seat.goTo('');
      const before = loads();
      await seat.page.route('**/*', (route: Route) => route.abort());
      await goToFailures();
      await saysLost();
      expect(await seat.accessibilityFindings()).toEqual([]);
      await seat.page.getByText('The daemon does not answer, and this part').waitFor();
      await seat.page.getByRole('button', { name: 'Try again' }).click();
      await seat.page.getByText('Still no answer, after 1 try.').waitFor();
      expect(loads()).toBe(before);
      expect(await toFailures().isVisible()).toBe(true);
      await seat.page.unrouteAll();
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

  // `npm run bench -- --only console` measures how soon the first one is drawn.
  it('come with little: what the first one needs is small', () => {
    expect(entryKibibytes()).toBeLessThanOrEqual(entryKibibytesMax);
  });
});

/** As the address of its screen names it. */
function groupId(group: GroupList['items'][number] | undefined): string {
  const { program, operation, status, reason, code, fingerprint } = group ?? {};
  return [program, operation, status, reason, code, fingerprint]
    .map((part) => encodeURIComponent(part ?? ''))
    .join('~');
}

const entryKibibytesMax = 150;
const bytesPerKibibyte = 1_024;

/** The scripts and styles that the page itself names. */
function entryKibibytes(): number {
  const page = readFileSync(resolve(built, 'index.html'), 'utf8');
  const named = readdirSync(resolve(built, 'assets')).filter((name) => page.includes(name));
  const bytes = named.map((name) => gzipSync(readFileSync(resolve(built, 'assets', name))).byteLength);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / bytesPerKibibyte);
}
