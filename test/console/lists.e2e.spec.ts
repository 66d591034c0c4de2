import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { enrolled, produce } from '../e2e/traffic.js';
import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { putManyIntents } from './many-intents.js';
import { Scroll } from './scrolling.js';

const size = { members: 1_500, intentsPerMember: 8, parkedEvery: 600 };
/** Some screens of them. */
const rowsShownMax = 150;

describeUnless(chromiumMissing, 'long lists', () => {
  let fixture: ConsoleFixture;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    await putManyIntents(fixture.harness.database.ownerUrl, size);
  });

  afterAll(async () => {
    await fixture.close();
  });

  /** The row that has the focus. */
  const focusedRow = ({ page }: ConsolePage): Promise<string> =>
    page.evaluate<string>(`document.activeElement?.matches('[data-row]') ? document.activeElement.textContent : ''`);
  const topOfRow = ({ page }: ConsolePage): Promise<number> =>
    page.evaluate<number>('document.activeElement.getBoundingClientRect().top');
  const has = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
    waitUntil(isSo, { what, timeoutMs: 60_000 });

  it('are entered by j, wherever the focus is, and go by k and Enter', async () => {
    const seat = await fixture.sit();
    await seat.goTo('intents');
    await seat.page.keyboard.press('j');
    await has('the first row to have the focus', async () => (await focusedRow(seat)) !== '');
    const first = await focusedRow(seat);
    await seat.page.keyboard.press('j');
    await has('the second row to have the focus', async () => (await focusedRow(seat)) !== first);
    await seat.page.keyboard.press('k');
    await has('the first row again', async () => (await focusedRow(seat)) === first);
    await seat.goTo('intents');
    await seat.page.getByRole('searchbox').first().pressSequentially('jk');
    expect(await focusedRow(seat)).toBe('');
    await seat.goTo('intents');
    await seat.page.keyboard.press('ArrowDown');
    await has('the first row to have the focus', async () => (await focusedRow(seat)) !== '');
    await seat.page.keyboard.press('Enter');
    await seat.page.waitForURL(/intents\/./);
    expect(seat.takeFindings()).toEqual([]);
    await seat.close();
  });

  it('keep the place of who opens a row and comes back, whatever has come meanwhile', async () => {
    const seat = await fixture.sit();
    const { page } = seat;
    await seat.goTo('intents');
    await (await Scroll.of(seat)).down({ rows: 600 });
    await page.mouse.move(0, 0);
    await page.keyboard.press('j');
    await has('a row to have the focus', async () => (await focusedRow(seat)) !== '');
    await page.keyboard.press('j');
    const [row, top] = [await focusedRow(seat), await topOfRow(seat)];
    await page.keyboard.press('Enter');
    await page.locator('main h1', { hasText: /Purchase/ }).waitFor();
    // More than a look for what is new holds.
    const { broker, topics } = fixture.harness;
    await produce(
      broker,
      topics,
      Array.from({ length: 120 }, (_, index) => enrolled(`new-${index}`)),
    );
    await page.goBack();
    await has('the row to have the focus again', async () => (await focusedRow(seat)) === row);
    expect(Math.abs((await topOfRow(seat)) - top)).toBeLessThan(2);
    await page.getByRole('button', { name: /new$/ }).waitFor({ timeout: 60_000 });
    expect(await focusedRow(seat)).toBe(row);

    // On to the next one of the list, and back to that.
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Next', exact: true }).click();
    await page.waitForURL(/intents\/./);
    await page.getByText(/of [\d,]+ read/).waitFor();
    await page.goBack();
    await has('the next row to have the focus', async () => {
      const text = await focusedRow(seat);
      return text !== '' && text !== row;
    });
    expect(seat.takeFindings()).toEqual([]);
    await seat.close();
  });

  it('regression: show times whole, of today and of other days', async () => {
    const seat = await fixture.sit();
    await seat.page.addInitScript(`localStorage.setItem('loyaltyd.preferences', '{"times":"absolute"}')`);
    await seat.goTo('intents');
    await seat.page.locator('[data-row] time').first().waitFor();
    const cut = async (): Promise<readonly string[]> =>
      seat.page.evaluate<string[]>(`[...document.querySelectorAll('[role="gridcell"]:has(time)')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`);
    expect(await cut()).toEqual([]);
    await seat.goTo('intents?to=2d');
    await seat.page.locator('[data-row] time').first().waitFor();
    expect(await seat.page.locator('[data-row] time').first().textContent()).toMatch(/^\d\d-\d\d \d\d:\d\d$/);
    expect(await cut()).toEqual([]);
    // Nor the number that a shop names, where there is room.
    expect(
      await seat.page.evaluate<string[]>(`[...document.querySelectorAll('[role="gridcell"]:has([title^="R2-K-"])')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`),
    ).toEqual([]);
    await seat.close();
  });

  it('say on a phone what a shop asks for: amount and purchase, in a second line', async () => {
    const seat = await fixture.sit({ screen: 'phone' });
    await seat.goTo('intents?to=1h');
    await seat.page
      .getByText(/^R2-K-/)
      .filter({ visible: true })
      .first()
      .waitFor();
    const folder = process.env['SHOTS'];
    if (folder !== undefined) await seat.page.screenshot({ path: `${folder}/r4-phone.png` });
    expect([await seat.widthBeyond(), ...(await seat.accessibilityFindings()), ...seat.takeFindings()]).toEqual([0]);
    await seat.close();
  });

  // `npm run bench -- --only console` measures that a page far down costs what one at the top does.
  it('have as few rows in the page far down as at the top', async () => {
    const seat = await fixture.sit();
    await seat.goTo('intents');
    const scroll = await Scroll.of(seat);
    const shown = (): Promise<number> => seat.page.evaluate<number>(`document.querySelectorAll('[data-row]').length`);
    for (const rows of [1_000, 6_000]) {
      await scroll.down({ rows });
      expect(await shown()).toBeGreaterThan(0);
      expect(await shown()).toBeLessThanOrEqual(rowsShownMax);
    }
    await seat.close();
  });
});
