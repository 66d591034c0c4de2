import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Page, Route } from 'playwright-core';

import { waitUntil } from '#embedded';
import { LoginLinks } from '#operations';
import type { RunningProcess } from '#test-support';
import { describeUnless, LoginProvider, programCommand, startProcess, testAudience } from '#test-support';

import { apiTokens, tokenOf } from '../e2e/api-client.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import { closeContext, ConsolePage } from './console-page.js';

const shownMsMax = 30_000;
const clientId = 'loyaltyd-console';

const urlOf = (daemon: RunningProcess): string => String(daemon.ready['operations']);

/** What a tab shows and keeps. */
const said = (page: Page, text: RegExp): Promise<void> =>
  page.getByRole('alert').filter({ hasText: text }).waitFor({ timeout: shownMsMax });
/** What it is waiting for. */
const waits = (page: Page, text: RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).waitFor({ timeout: shownMsMax });
const atLogin = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'Sign in to loyaltyd' }).waitFor({ timeout: shownMsMax });
const titled = (page: Page, title: string): Promise<void> =>
  page.locator('main h1', { hasText: title }).first().waitFor({ timeout: shownMsMax });
const isSignedInAs = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name: `${name}: account and theme` }).waitFor({ timeout: shownMsMax });
const kept = (page: Page): Promise<Readonly<Record<string, string>>> =>
  page.evaluate(`({ ...sessionStorage, ...localStorage })`);
const hasNoToken = async (page: Page): Promise<void> =>
  expect(Object.keys(await kept(page)).filter((key) => /token|sign-in/.test(key))).toEqual([]);

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /account and theme/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await atLogin(page);
}

/** Nobody answers there, and nobody refuses. @returns what ends that, and gives up what was asked */
async function silence(page: Page, address: string): Promise<() => Promise<void>> {
  const asked: Route[] = [];
  await page.route(address, (route) => void asked.push(route));
  return async () => {
    await page.unroute(address);
    for (const route of asked) await route.abort('aborted').catch(() => undefined);
  };
}

/** The addresses to which Back and Forward lead, and the one that is shown. */
async function historyOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  await session.detach();
  return entries.map(({ url }) => url);
}

let fixture: ConsoleFixture;
const pages: Page[] = [];

/** A person at another machine, before a console without a session. */
async function sit(url: string, path = ''): Promise<ConsolePage> {
  const seat = await ConsolePage.open(fixture.browser, url, { token: null });
  pages.push(seat.page);
  await seat.page.goto(`${url}/${path}`);
  return seat;
}

describeUnless(chromiumMissing, 'signing in to the console', () => {
  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterEach(async () => {
    for (const context of new Set(pages.splice(0).map((page) => page.context()))) await closeContext(context);
  });

  afterAll(async () => {
    await fixture.close();
  });

  describe('at an identity provider', atProvider);

  describe('by a link that works once', byLink);

  describe('by a token', byToken);

  describe('in several tabs', inTabs);

  describe('below a path that has neighbours', belowPath);
});

function atProvider(): void {
  let provider: LoginProvider;
  let url: string;

  const button = (page: Page): ReturnType<Page['getByRole']> =>
    page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ });

  /** Through the provider's page. */
  async function logIn(page: Page, answer: 'Yes' | 'No' = 'Yes'): Promise<void> {
    await button(page).click();
    await page.getByRole('link', { name: answer, exact: true }).click();
  }

  beforeAll(async () => {
    provider = await LoginProvider.start();
    const daemon = await fixture.harness.startDaemon({
      OPS_TOKENS: apiTokens,
      OPS_OIDC_ISSUER: provider.issuer.url,
      OPS_OIDC_AUDIENCE: testAudience,
      OPS_OIDC_CLIENTS: clientId,
      OPS_OIDC_CONSOLE_CLIENT: clientId,
      OPS_OIDC_CONSOLE_SCOPE: 'openid profile loyaltyd',
    });
    url = urlOf(daemon);
    provider.register({ id: clientId, redirectUri: `${url}/`, origin: url });
  });

  beforeEach(() => {
    provider.claims = { roles: ['operator'] };
    provider.refusals.splice(0);
  });

  afterAll(async () => {
    await provider.issuer.goDown();
  });

  it('leads by a code with PKCE from the page of one’s choice back to it, and leaves nothing in the history', async () => {
    const { page } = await sit(url, 'audit?actor=ada');
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await logIn(page);
    await isSignedInAs(page, 'ada, operator');
    await titled(page, 'Audit');
    expect(page.url()).toBe(`${url}/audit?actor=ada`);
    expect(provider.refusals).toEqual([]);
    const token = (await kept(page))['loyaltyd.token'] ?? '';
    expect(token.split('.')).toHaveLength(3);
    const history = await historyOf(page);
    expect(history.some((address) => address.startsWith(`${provider.issuer.url}/authorize`))).toBe(true);
    for (const address of [...addresses, ...history]) expect(address).not.toContain(token);
    // The address with the code was shown for a moment, and is none to which Back leads.
    expect(history.filter((address) => /[?&#]code=/.test(address))).toEqual([]);
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    await titled(page, 'Now');
    await page.reload();
    await isSignedInAs(page, 'ada, operator');
  });

  it('says so where somebody says no, leaves nothing half done, and can be tried again', async () => {
    const { page } = await sit(url, 'audit?actor=ada');
    await logIn(page, 'No');
    await said(page, /did not sign you in: The person said no/);
    await hasNoToken(page);
    expect(page.url()).toBe(`${url}/audit?actor=ada`);
    await logIn(page);
    await titled(page, 'Audit');
    expect(page.url()).toBe(`${url}/audit?actor=ada`);
  });

  it('takes no answer with another state, and ends nobody’s session by one', async () => {
    const { page } = await sit(url);
    const given = provider.tokensGiven;
    await button(page).click();
    const yes = (await page.getByRole('link', { name: 'Yes' }).getAttribute('href')) ?? '';
    const forged = new URL(yes);
    forged.searchParams.set('state', 'another');
    await page.goto(forged.href);
    await said(page, /belongs to no sign-in of this tab/);
    await hasNoToken(page);
    // The right one is too late then: what was begun is over.
    await page.goto(yes);
    await said(page, /belongs to no sign-in of this tab/);
    expect(provider.tokensGiven).toBe(given);
    await logIn(page);
    await isSignedInAs(page, 'ada, operator');
    await page.goto(forged.href);
    await isSignedInAs(page, 'ada, operator');
    expect(page.url()).toBe(`${url}/`);
  });

  it('shows whom it waits for at each stage, and says after 10 seconds what to do; nothing has to be typed again', async () => {
    const [discovery, leaving, token, daemon, link] = await Promise.all([
      sit(url),
      sit(url),
      sit(url),
      sit(url, 'audit'),
      ConsolePage.open(fixture.browser, url, { token: null }),
    ]);
    pages.push(link.page);
    await button(token.page).click();
    const silenced = [
      await silence(discovery.page, '**/.well-known/openid-configuration'),
      await silence(token.page, '**/token'),
      await silence(daemon.page, '**/api/v1/me'),
      await silence(link.page, '**/login-links/redeem'),
    ];
    // The browser stays where it is then.
    await leaving.page.route('**/authorize?*', (route) => route.fulfill({ status: 204 }));
    await Promise.all([
      ...[button(discovery.page).click(), button(leaving.page).click(), signIn(daemon.page, tokenOf('viewer'))],
      ...[token.page.getByRole('link', { name: 'Yes' }).click(), link.page.goto(`${url}/#code=anything`)],
    ]);
    await Promise.all([
      waits(discovery.page, /^Asking 127\.0\.0\.1/),
      waits(leaving.page, /^Going to 127\.0\.0\.1/),
      waits(token.page, /^Asking the identity provider for your token/),
      waits(daemon.page, /^Asking the daemon who you are/),
      waits(link.page, /^Asking the daemon whether the link is good/),
    ]);
    expect(await button(discovery.page).getAttribute('aria-disabled')).toBe('true');
    await waits(daemon.page, /takes longer than usual\. After 10 seconds it ends/);
    expect(await daemon.accessibilityFindings()).toEqual([]);
    await Promise.all([
      said(discovery.page, /did not answer within 10 seconds at .*openid-configuration\. Sign in again/),
      said(leaving.page, /page did not open within 10 seconds\. Try again, or sign in with a token/),
      said(token.page, /did not answer within 10 seconds at .*token\. Sign in again/),
      said(daemon.page, /did not answer within 10 seconds\. .* try again in a moment/),
      said(link.page, /did not answer within 10 seconds\. Follow the link once more/),
    ]);
    for (const speak of silenced) await speak();
    await leaving.page.unrouteAll();
    for (const { page } of [discovery, leaving, token]) {
      await logIn(page);
      await isSignedInAs(page, 'ada, operator');
    }
    await daemon.page.getByRole('button', { name: 'Try again' }).click();
    await isSignedInAs(daemon.page, 'viewer, viewer');
    await titled(daemon.page, 'Audit');
  });

  it('refuses whom the provider gives no role, with the claim that is missing', async () => {
    provider.claims = { roles: ['cook'] };
    const { page } = await sit(url);
    await logIn(page);
    await said(page, /holds none of viewer, operator and admin/);
    await hasNoToken(page);
  });

  it('ends when its token does, says so, and goes on where one was after signing in again', async () => {
    provider.claims = { roles: ['viewer'], exp: Math.floor(Date.now() / 1_000) + 600 };
    const { page } = await sit(url, 'intents?status=parked');
    await page.clock.install();
    await page.reload();
    await logIn(page);
    await titled(page, 'Intents');
    await page.clock.fastForward('09:30');
    await said(page, /about to end: the token expires/);
    await page.clock.fastForward('00:40');
    await said(page, /ended: the token has expired/);
    await hasNoToken(page);
    provider.claims = { roles: ['operator'] };
    await logIn(page);
    await isSignedInAs(page, 'ada, operator');
    expect(page.url()).toBe(`${url}/intents?status=parked`);
  });
}

function byLink(): void {
  const key = randomBytes(32);
  const token = tokenOf('operator');
  let daemon: RunningProcess;
  const link = (): string => `${urlOf(daemon)}/#code=${new LoginLinks({ key, token, clock: Date }).make()}`;

  beforeAll(async () => {
    // As `dev` and the demo start it.
    daemon = await startProcess({
      ...programCommand('apps/cli/src/dev/main.ts'),
      env: {
        ...fixture.harness.environment,
        OPS_TOKENS: apiTokens,
        DEV_LOGIN_KEY: key.toString('base64url'),
        DEV_LOGIN_TOKEN: token,
      },
    });
  });

  afterAll(async () => {
    await daemon.stop();
  });

  async function follow(address: string): Promise<Page> {
    const seat = await ConsolePage.open(fixture.browser, urlOf(daemon), { token: null });
    pages.push(seat.page);
    await seat.page.goto(address);
    return seat.page;
  }

  it('signs in, and is not in the history afterwards; followed once more it says that it was used, and ends nobody’s session', async () => {
    const once = link();
    const page = await follow(once);
    await isSignedInAs(page, 'operator, operator');
    expect((await historyOf(page)).filter((address) => address.includes('code='))).toEqual([]);
    const second = await follow(once);
    await said(second, /^This link has been used, or is older than ten minutes. Ask for a new one.$/);
    await hasNoToken(second);
    expect((await historyOf(second)).filter((address) => address.includes('code='))).toEqual([]);
    await page.goto(once);
    await isSignedInAs(page, 'operator, operator');
    const beside = await page.context().newPage();
    await beside.goto(once);
    await isSignedInAs(beside, 'operator, operator');
  });
}

function byToken(): void {
  it('says that a wrong one is wrong, and when an address has sent too many', async () => {
    const seat = await sit(fixture.url);
    const { page } = seat;
    await atLogin(page);
    expect([...seat.takeFindings(), ...(await seat.accessibilityFindings())]).toEqual([]);
    await signIn(page, 'nobody-has-this-token');
    await said(page, /does not know this token/);
    await hasNoToken(page);
    const guesses = Array.from({ length: 101 }, (_, index) =>
      fetch(`${fixture.url}/api/v1/me`, { headers: { authorization: `Bearer guess-${index}` } }),
    );
    expect((await Promise.all(guesses)).map(({ status }) => status)).toContain(429);
    await signIn(page, 'nobody-has-this-token-either');
    await said(page, /too often, or too many others/);
    // The right one is let in all the same.
    await signIn(page, tokenOf('viewer'));
    await isSignedInAs(page, 'viewer, viewer');
  });

  it('keeps it over a reload while the daemon is away', async () => {
    const { page } = await sit(fixture.url, 'audit');
    await signIn(page, tokenOf('viewer'));
    await isSignedInAs(page, 'viewer, viewer');
    await page.route('**/api/v1/me', (route) => route.abort());
    await page.reload();
    await said(page, /could not be reached/);
    await page.unroute('**/api/v1/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await isSignedInAs(page, 'viewer, viewer');
    await titled(page, 'Audit');
  });

  it('ends where it is taken out of OPS_TOKENS, in every tab', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-tokens-'));
    const file = join(folder, 'tokens');
    await writeFile(file, apiTokens);
    const { OPS_TOKENS: _unused, ...environment } = fixture.harness.environment;
    const daemon = await startProcess({
      ...programCommand('apps/daemon/src/main.ts'),
      env: { ...environment, OPS_TOKENS_FILE: file },
    });
    try {
      const { page } = await sit(urlOf(daemon), 'intents');
      await signIn(page, tokenOf('operator'));
      await isSignedInAs(page, 'operator, operator');
      const beside = await page.context().newPage();
      await beside.goto(`${urlOf(daemon)}/audit`);
      await isSignedInAs(beside, 'operator, operator');
      await writeFile(file, apiTokens.replace(/,operator:[^,]+/, ''));
      for (const tab of [page, beside]) {
        await said(tab, /does not accept your token any more/);
        await hasNoToken(tab);
      }
    } finally {
      await daemon.stop();
      await rm(folder, { recursive: true });
    }
  });
}

/** Longer than a tab waits for the answers of others. */
const busyMs = 4_000;

function inTabs(): void {
  let seat: ConsolePage;
  let page: Page;

  /** As a link from a chat, or the middle button of a mouse, opens one: nothing of another tab is copied to it. */
  async function openTab(path: string, base = fixture.url): Promise<Page> {
    const tab = await page.context().newPage();
    await tab.goto(`${base}/${path}`);
    return tab;
  }

  beforeEach(async () => {
    seat = await sit(fixture.url);
    ({ page } = seat);
    await signIn(page, tokenOf('operator'));
    await isSignedInAs(page, 'operator, operator');
  });

  it('is signed in wherever a link is opened, goes on in the tabs that are left, and ends with the last', async () => {
    const tab = await openTab('audit?actor=ada');
    await isSignedInAs(tab, 'operator, operator');
    await titled(tab, 'Audit');
    expect(tab.url()).toBe(`${fixture.url}/audit?actor=ada`);
    const [middle] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Intents' }).click({ button: 'middle' }),
    ]);
    await isSignedInAs(middle, 'operator, operator');
    await titled(middle, 'Intents');
    expect(seat.takeFindings()).toEqual([]);
    // It is kept in no place that lasts.
    const state = await page.context().storageState();
    expect(JSON.stringify(state)).not.toContain(tokenOf('operator'));
    expect(state.cookies).toEqual([]);
    await middle.close();
    await page.close();
    page = tab;
    const third = await openTab('intents');
    await isSignedInAs(third, 'operator, operator');
    const context = third.context();
    await Promise.all([tab.close(), third.close()]);
    const fresh = await context.newPage();
    await fresh.goto(fixture.url);
    await atLogin(fresh);
    await hasNoToken(fresh);
  });

  it('ends everywhere by signing out in one, also where a tab was at another page meanwhile', async () => {
    const tab = await openTab('audit');
    await isSignedInAs(tab, 'operator, operator');
    const away = await openTab('intents');
    await isSignedInAs(away, 'operator, operator');
    await away.goto('about:blank');
    await signOut(page);
    await said(tab, /You signed out in another tab/);
    for (const each of [page, tab]) await hasNoToken(each);
    await away.goBack();
    await said(away, /You signed out in another tab/);
    await hasNoToken(away);
    const fresh = await openTab('jobs');
    await atLogin(fresh);
    await fresh.getByLabel('Token').fill('half-a-tok');
    await signIn(tab, tokenOf('operator'));
    await isSignedInAs(tab, 'operator, operator');
    await titled(tab, 'Audit');
    // The others are signed in as soon as somebody looks at them again.
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await isSignedInAs(page, 'operator, operator');
    // Not where somebody types a token.
    await fresh.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await fresh.getByLabel('Token').press('End');
    expect(await fresh.getByLabel('Token').inputValue()).toBe('half-a-tok');
  });

  it('never becomes another person’s by itself', async () => {
    const tab = await openTab('audit');
    await isSignedInAs(tab, 'operator, operator');
    await signOut(tab);
    await atLogin(page);
    await signIn(tab, tokenOf('viewer'));
    await isSignedInAs(tab, 'viewer, viewer');
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await page.reload();
    await atLogin(page);
    await signIn(page, tokenOf('operator'));
    await isSignedInAs(page, 'operator, operator');
    // Of two people nobody is meant.
    const third = await openTab('intents');
    await atLogin(third);
    await signOut(tab);
    await page.getByRole('link', { name: 'Audit' }).click();
    await titled(page, 'Audit');
    await isSignedInAs(page, 'operator, operator');
  });

  it('regression: does not become one of two people where the other’s tab is too busy to answer', async () => {
    const tab = await openTab('audit');
    await isSignedInAs(tab, 'operator, operator');
    await signOut(tab);
    await atLogin(page);
    await signIn(tab, tokenOf('viewer'));
    await isSignedInAs(tab, 'viewer, viewer');
    await signIn(page, tokenOf('operator'));
    await isSignedInAs(page, 'operator, operator');
    const busy = page.evaluate(`for (const until = performance.now() + ${busyMs}; performance.now() < until;);`);
    await atLogin(await openTab('intents'));
    await busy;
  });

  it('does not end in a tab while somebody works in another', async () => {
    const tab = await openTab('audit');
    await isSignedInAs(tab, 'operator, operator');
    const context = page.context();
    const notedAt = async (): Promise<number> => Number((await kept(tab))['loyaltyd.active-at']);
    await context.clock.install();
    for (const each of [tab, page]) {
      await each.reload();
      await isSignedInAs(each, 'operator, operator');
    }
    const begunAt = await notedAt();
    // Tabs hear of one another in real time: what is between is jumped over.
    await context.clock.fastForward('20:00');
    await page.keyboard.press('Shift');
    await context.clock.fastForward('09:30');
    await waitUntil(async () => (await notedAt()) >= begunAt + 20 * 60_000, {
      what: 'the idle tab to hear of the other',
      timeoutMs: shownMsMax,
    });
    await context.clock.fastForward('05:00');
    await isSignedInAs(tab, 'operator, operator');
    expect(await tab.getByRole('alert').filter({ hasText: 'about to end' }).count()).toBe(0);
    await context.clock.fastForward('16:00');
    for (const each of [tab, page]) await said(each, /ended after 30 minutes/);
  });
}

function belowPath(): void {
  it('each tab signs in by itself, nothing of one console reaches the next, and signing out ends it in all', async () => {
    const [a, b] = await Promise.all(
      ['/a', '/b'].map((path) => fixture.harness.startDaemon({ OPS_TOKENS: apiTokens, OPS_BASE_PATH: path })),
    );
    const seat = await ConsolePage.open(fixture.browser, fixture.url, { token: null });
    pages.push(seat.page);
    const context = seat.page.context();
    // One origin, as a proxy makes it.
    const asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
    for (const [prefix, daemon] of [
      ['/a', a],
      ['/b', b],
    ] as const) {
      await context.route(`http://console.localhost${prefix}/**`, async (route) => {
        const { pathname, search } = new URL(route.request().url());
        const { authorization } = await route.request().allHeaders();
        asked.push({ path: pathname, authorization });
        if (pathname.endsWith('/stream')) await route.abort();
        else {
          await route.fulfill({
            response: await route.fetch({
              url: new URL(`${pathname}${search}`, urlOf(daemon!)).href,
            }),
          });
        }
      });
    }
    const tab = async (path: string): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(`http://console.localhost/${path}`);
      return page;
    };
    const one = await tab('a/audit');
    await signIn(one, tokenOf('operator'));
    await isSignedInAs(one, 'operator, operator');
    const two = await tab('a/intents');
    await atLogin(two);
    await signIn(two, tokenOf('operator'));
    await isSignedInAs(two, 'operator, operator');
    await one.goto('http://console.localhost/b/');
    await atLogin(one);
    expect(asked.filter(({ path, authorization }) => path.startsWith('/b/') && authorization !== undefined)).toEqual(
      [],
    );
    await one.goto('http://console.localhost/a/');
    await isSignedInAs(one, 'operator, operator');
    await signOut(two);
    await said(one, /You signed out in another tab/);
  });
}
