import { describeUnless } from '#test-support';

import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import { makeTroubles } from './troubled-traffic.js';

const muchMinor = 123_456_789_012;
const muchText = /EUR [\d,]{11,}\.\d\d/;
/** In the page: what of an element that says it cannot be seen, pixels. Half a line more is another line. */
const hiddenParts = `(() => {
  const isCut = (element) => {
    for (let at = element; at !== null && at.tagName !== 'MAIN'; at = at.parentElement) {
      if (getComputedStyle(at).overflowX === 'hidden' && element.getBoundingClientRect().right > at.getBoundingClientRect().right + 1) return true;
    }
    return element.getClientRects().length > 1;
  };
  return [...document.querySelectorAll('main .whole')].filter((element) => element.checkVisibility() && isCut(element)).map(({ textContent }) => textContent);
})()`;

describeUnless(chromiumMissing, 'the console on screens of each width', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    await makeTroubles(fixture);
    seat = await fixture.sit();
    await seat.page.route('**/api/v1/stream', (route) => route.abort());
    // Somebody has sold very much: money stands for itself only as a whole.
    await seat.page.route(/\/api\/v1\/(?:intents\?|stats|groups|jobs$)/, async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll(/"minor":\d+/g, `"minor":${muchMinor}`);
      await route.fulfill({ response, body: text });
    });
  });

  afterAll(async () => {
    await fixture.close();
  });

  it.each([320, 820, 1_000, 1_280, 1_440])('money is never cut off nor on two lines: %d px', async (width) => {
    await seat.page.setViewportSize({ width, height: 900 });
    for (const path of ['', 'intents', 'failures']) {
      await seat.goTo(path);
      await seat.page.locator('main .whole', { hasText: muchText }).first().waitFor({ state: 'attached' });
      expect([path, await seat.page.evaluate(hiddenParts)]).toEqual([path, []]);
    }
  });

  it('nothing is scrolled sideways on the narrowest phone', async () => {
    await seat.page.setViewportSize({ width: 320, height: 700 });
    for (const path of ['', 'intents', 'failures', 'quarantine', 'pauses', 'jobs', 'audit', 'settings']) {
      await seat.goTo(path);
      expect([path, await seat.widthBeyond()]).toEqual([path, 0]);
    }
  });

  it.each([820, 1_000])('a tablet has what a phone has: the drawer, and rows of two lines: %d px', async (width) => {
    await seat.page.setViewportSize({ width, height: 900 });
    await seat.goTo('intents');
    await seat.page.locator('main [data-lines="2"]').first().waitFor();
    expect(await seat.page.getByRole('button', { name: 'Screens' }).first().isVisible()).toBe(true);
    for (const path of ['', 'intents', 'failures', 'quarantine', 'pauses', 'jobs', 'audit', 'settings']) {
      await seat.goTo(path);
      expect([path, await seat.widthBeyond()]).toEqual([path, 0]);
    }
  });
});
