import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { Route } from 'playwright-core';

import type { GroupList, IntentPage, QuarantinePage, StatsView } from '#contracts';
import { describeUnless } from '#test-support';

import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
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
