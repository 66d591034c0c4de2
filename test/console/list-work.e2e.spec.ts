import { readFileSync } from 'node:fs';

import type { Locator } from 'playwright-core';

import { waitUntil } from '#embedded';
import { describeUnless } from '#test-support';

import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { putManyIntents } from './many-intents.js';

/** A hundred are parked, four of each of 25 stores. */
const size = { members: 400, intentsPerMember: 3, parkedEvery: 4 };

describeUnless(chromiumMissing, 'a list that one works with', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    await putManyIntents(fixture.harness.database.ownerUrl, size);
  });

  beforeEach(async () => {
    seat = await fixture.sit();
  });

  afterEach(() => seat.close());

  afterAll(async () => {
    await fixture.close();
  });

  const filter = (label: string): Locator => seat.page.getByRole('combobox', { name: label, exact: true });
  const options = (): Locator => seat.page.getByRole('listbox').getByRole('option');
  const shows = (text: RegExp): Promise<void> => seat.page.locator('main').getByText(text).first().waitFor();
  const headers = (): Promise<string[]> => seat.page.getByRole('columnheader').allInnerTexts();

  it('filters offer what is there, with counts, and are found by a part of it', async () => {
    const { page } = seat;
    await seat.goTo('intents?status=parked');
    await filter('Store').click();
    await options()
      .filter({ hasText: /store-8\s*4/ })
      .waitFor();
    expect(await options().count()).toBe(25);
    expect(await seat.lookFindings()).toEqual([]);
    await filter('Store').pressSequentially('STORE-4');
    await waitUntil(async () => (await options().count()) === 6, { what: 'six stores', timeoutMs: 20_000 });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/status=parked&store=store-4/);
    await shows(/^4 intents, EUR [\d,.]+$/);
    expect(await options().count()).toBe(0);
    // Each filter stands once: in its field.
    const rows = async (): Promise<number> => page.locator('[data-row]').count();
    await waitUntil(async () => (await rows()) === 4, { what: 'the four rows', timeoutMs: 20_000 });
    expect(await page.getByText('store-4', { exact: true }).count()).toBe(4);
    await page.keyboard.press('ArrowDown');
    await options().first().waitFor();
    await page.keyboard.press('Escape');
    expect(await options().count()).toBe(0);
    await filter('Store').fill('');
    await shows(/^100 intents, EUR [\d,.]+$/);
    expect(page.url()).not.toContain('store=');
    expect(seat.takeFindings()).toEqual([]);
  });

  it('the only one that was found is meant, and so is what nobody has counted', async () => {
    const { page } = seat;
    await seat.goTo('intents');
    await filter('Status').click();
    await options()
      .filter({ hasText: /parked\s*100/ })
      .waitFor();
    await filter('Status').fill('deliver');
    await options().filter({ hasText: 'pending or delivering' }).waitFor();
    await filter('Status').fill('parked or');
    await page.keyboard.press('Escape');
    await filter('Store').fill('store-17');
    await options().filter({ hasText: 'store-17' }).waitFor();
    await waitUntil(async () => (await options().count()) === 1, { what: 'one store', timeoutMs: 20_000 });
    await page.keyboard.press('Enter');
    await page.waitForURL(/store=store-17/);
    await filter('Store').fill('nowhere');
    await filter('Status').focus();
    await page.waitForURL(/store=nowhere/);
    await shows(/Nothing fits these filters/);
  });

  it('a status that is none is said, and a time is written as everywhere', async () => {
    const { page } = seat;
    await seat.goTo('intents?status=foo');
    await page.getByRole('alert').filter({ hasText: 'Status "foo" is none of the statuses' }).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    const from = page.getByLabel('Recorded from');
    await from.fill('soon');
    await from.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'No time: write' }).waitFor();
    await from.fill('2026-11-20 08:00');
    await from.press('Enter');
    // The clock of this browser is an hour ahead of UTC.
    await page.waitForURL(/from=2026-11-20T07%3A00%3A00.000Z/);
    await page.getByRole('button', { name: 'Fewer filters' }).click();
    expect(await from.inputValue()).toBe('2026-11-20 08:00');
  });

  it('has the columns that somebody chose, also when they come back', async () => {
    const { page } = seat;
    await seat.goTo('intents?status=parked');
    expect(await headers()).toContain('Store');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Source' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Partner says' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Store' }).click();
    expect(await seat.accessibilityFindings(['wcag2a', 'wcag2aa'])).toEqual([]);
    await seat.goTo('intents?status=parked');
    const shown = await headers();
    expect(shown).toEqual(expect.arrayContaining(['Source', 'Partner says', 'Member']));
    expect(shown).not.toContain('Store');
    expect(await seat.widthBeyond()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'The usual ones' }).click();
    expect(await headers()).toContain('Store');
  });

  it('begins with the oldest where that is asked for, and follows nothing then', async () => {
    const { page } = seat;
    const firstPurchase = (): Promise<string> => page.locator('[data-row="0"] [title^="R2-K-"]').innerText();
    await seat.goTo('intents?status=parked');
    expect(await firstPurchase()).toBe('R2-K-4001200');
    await page.getByRole('button', { name: 'Recorded' }).click();
    await page.locator('[role="columnheader"][aria-sort="ascending"]').waitFor();
    await page.locator('[data-row="0"]', { hasText: 'R2-K-4000804' }).waitFor();
    expect(page.url()).toContain('order=oldest');
    expect(await page.getByRole('button', { name: 'Hold new rows' }).count()).toBe(0);
    await page.goBack();
    await page.locator('[data-row="0"]', { hasText: 'R2-K-4001200' }).waitFor();
  });

  it.each([
    [
      'CSV',
      /^intent,status,.*\ncoffee-club~many-400~3,parked,transaction,coffee-club,many-400,R2-K-4001200,[\d.]+,EUR,store-0,/,
    ],
    ['JSON lines', /^\{"id":"coffee-club~many-400~3"/],
  ])('is downloaded as %s: all that fit, as they stand', async (name, begin) => {
    const { page } = seat;
    await seat.goTo('intents?status=parked');
    await page.getByRole('button', { name: 'Download' }).click();
    const coming = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    const text = readFileSync(await (await coming).path(), 'utf8');
    expect(text).toMatch(begin);
    expect(text.trimEnd().split('\n')).toHaveLength(name === 'CSV' ? 101 : 100);
    expect(seat.takeFindings()).toEqual([]);
  });

  it.each(['Control', 'the middle button'])('a row opens in a tab of its own: %s', async (how) => {
    const { page } = seat;
    await seat.goTo('intents?status=parked');
    const opened = page.context().waitForEvent('page');
    const cell = page.locator('[data-row="0"] [role="gridcell"]').nth(4);
    await cell.click(how === 'Control' ? { modifiers: ['Control'] } : { button: 'middle' });
    const tab = await opened;
    await tab.waitForURL(/intents\/coffee-club~many-400~3$/);
    expect(page.url()).toMatch(/intents\?status=parked$/);
  });
});
