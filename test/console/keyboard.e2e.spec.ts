import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { enrolled, produce } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { awaitStatus } from './troubled-traffic.js';

const memberCount = 60;
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
/** So many times slower than it is. */
const busyRate = 10;

describeUnless(chromiumMissing, 'the console by its keys', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    await produce(fixture.harness.broker, fixture.harness.topics, members.map(enrolled));
    await awaitStatus(fixture, 'delivered', memberCount);
  });

  afterAll(async () => {
    await fixture.close();
  });

  describe('once signed in', () => {
    beforeEach(async () => {
      seat = await fixture.sit();
      await seat.goTo('');
    });

    afterEach(async () => {
      expect(seat.takeFindings()).toEqual([]);
      await seat.close();
    });

    const press = (key: string): Promise<void> => seat.page.keyboard.press(key);
    const dialog = (): ReturnType<ConsolePage['page']['getByRole']> => seat.page.getByRole('dialog');
    const hasFocus = (name: string): Promise<true> =>
      waitUntil(async () => (await seat.focused()) === name, { what: `${name} to have the focus`, timeoutMs: 60_000 });
    const titled = (title: string): Promise<void> =>
      seat.page.locator('main h1', { hasText: title }).first().waitFor({ timeout: 30_000 });

    it('skips to the content by the first key', async () => {
      await press('Tab');
      expect(await seat.focused()).toBe('Skip to the content');
      await press('Enter');
      expect(await seat.page.evaluate(`document.activeElement?.id`)).toBe('main');
    });

    it('finds screens and members by Ctrl-K', async () => {
      await press('Control+k');
      await dialog().waitFor();
      expect(await seat.accessibilityFindings()).toEqual([]);
      await seat.page.keyboard.type('quarantine');
      await press('Enter');
      await titled('Quarantine');
      await press('Control+k');
      await seat.page.keyboard.type('m-7');
      await dialog().getByRole('option', { name: /m-7/ }).first().waitFor();
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
    });

    it('regression: does what was typed, however busy the browser is', async () => {
      const cdp = await seat.page.context().newCDPSession(seat.page);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: busyRate });
      await seat.goTo('');
      // As soon as the screen stands; it loads what it opens.
      await press('Control+k');
      await dialog().waitFor();
      for (const [words, title] of [
        ['quarantine', 'Quarantine'],
        ['audit', 'Audit'],
      ] as const) {
        // Quicker than it is shown.
        await seat.page.keyboard.type(words);
        await press('Enter');
        await titled(title);
        await press('Control+k');
      }
      await seat.page.keyboard.type('m-7');
      await press('Enter');
      // Quicker than it is found.
      await titled('Member m-7');
    });

    it('goes to screens by g and a letter, and helps by ?', async () => {
      await press('g');
      await press('f');
      await titled('Failures');
      const link = seat.page.getByRole('link', { name: 'Audit' });
      await link.focus();
      await press('?');
      await dialog().getByText('Keys', { exact: true }).waitFor();
      expect(await seat.accessibilityFindings()).toEqual([]);
      await press('Escape');
      await hasFocus('Audit');
    });

    it('begins an action at its first field, does nothing by Esc, and gives the focus back', async () => {
      await seat.goTo('pauses');
      const begin = seat.page
        .locator('main')
        .getByRole('button', { name: /^Pause/ })
        .first();
      await begin.focus();
      const name = await seat.focused();
      await press('Enter');
      await dialog().waitFor();
      expect(await seat.accessibilityFindings()).toEqual([]);
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await hasFocus(name);
      const { body } = await fixture.api('viewer').get('/pauses');
      expect(body).toEqual({ items: [] });
    });

    // `npm run bench -- --only console` measures how soon.
    it('shows each key in the search of intents', async () => {
      await seat.goTo('intents');
      const search = seat.page.getByRole('searchbox').first();
      await search.pressSequentially('m-17 and more', { delay: 60 });
      expect(await search.inputValue()).toBe('m-17 and more');
    });
  });

  it('a session warns after half an hour without a key, goes on with one, and else ends', async () => {
    const { page } = (seat = await fixture.sit());
    const said = (text: RegExp): Promise<void> => page.getByRole('alert').filter({ hasText: text }).waitFor();
    await page.clock.install();
    await seat.goTo('intents');
    await page.clock.fastForward('29:30');
    await said(/about to end/);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.clock.fastForward('29:30');
    await said(/about to end/);
    await page.clock.fastForward('01:00');
    await said(/ended after 30 minutes/);
    await seat.close();
  });
});
