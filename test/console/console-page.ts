import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 AA, and what axe advises besides. */
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What colours alone decide. */
const colourRules = ['color-contrast', 'link-in-text-block'];
/** No colour is on its way: what inherits one begins when that has come. */
const coloursStand = `(async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  do await drawn(); while (document.getAnimations().length > 0);
})()`;
const shownMsMax = 90_000;
/** The shortest time of an event that a browser tells of. */
const toldMs = 16;

/** Where the tab keeps its token. */
const tokenKey = 'loyaltyd.token';

const screenSizes = {
  desktop: { viewport: { width: 1_280, height: 800 } },
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
} as const;

/** What somebody has before them. */
export interface Seat {
  /** What the tab is signed in by; null: nothing. */
  readonly token: string | null;
  readonly theme?: 'light' | 'dark';
  readonly screen?: keyof typeof screenSizes;
}

/** One tab with the console in it, and what it should not have done. */
export class ConsolePage {
  private readonly found: string[] = [];
  private readonly origin: string;

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    this.origin = new URL(url).origin;
    // What the policy of the page forbids, and requests that fail, Chromium says here.
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.found.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.found.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:') && new URL(request.url()).origin !== this.origin) {
        this.found.push(`request elsewhere: ${request.url()}`);
      }
    });
  }

  /** As another person at another machine: light screens on a desk, unless told otherwise; nothing is loaded yet. */
  static async open(
    browser: Browser,
    url: string,
    { token, theme = 'light', screen = 'desktop' }: Seat,
  ): Promise<ConsolePage> {
    const context = await browser.newContext({
      ...screenSizes[screen],
      colorScheme: theme,
      // What moves would be looked at half way.
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
    });
    if (token !== null) {
      await context.addInitScript(`sessionStorage.setItem(${JSON.stringify(tokenKey)}, ${JSON.stringify(token)})`);
    }
    return new ConsolePage(await context.newPage(), url);
  }

  async close(): Promise<void> {
    await closeContext(this.page.context());
  }

  /** Notes, from now on, how long each key takes until the next picture. */
  async watchKeys(): Promise<void> {
    await this.page.evaluate(`
      globalThis.keyTimes = [];
      new PerformanceObserver((list) => {
        for (const { interactionId, duration } of list.getEntries()) {
          if (interactionId > 0) globalThis.keyTimes.push(duration);
        }
      }).observe({ type: 'event', durationThreshold: ${toldMs} });`);
  }

  /** Those since it was last asked, milliseconds; of shorter ones than 16 the browser does not tell, which stands for them. */
  async takeKeyTimes(): Promise<readonly number[]> {
    const told = await this.page.evaluate<readonly number[]>('globalThis.keyTimes.splice(0)');
    return [toldMs, ...told];
  }

  /** Everything wrong since it was last asked. */
  takeFindings(): string[] {
    return this.found.splice(0);
  }

  /** Loads the page anew. @param path within the console, such as `failures` */
  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.url}/${path}`);
    await this.shown();
  }

  /** Until the screen stands: its title is there, and nothing in it is still being read. */
  async shown(): Promise<void> {
    try {
      await this.page.locator('main h1').first().waitFor({ timeout: shownMsMax });
      // Looked at from outside: the policy of the page lets nothing be evaluated again and again within it.
      await this.page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached', timeout: shownMsMax });
    } catch (error) {
      const text = await this.page.evaluate<string>(`document.body.innerText.slice(0, 500)`);
      const seen = [this.page.url(), ...this.found, text].join('\n');
      throw new Error(`the screen does not come to stand: ${seen}`, { cause: error });
    }
  }

  /** What somebody who cannot see it well, or at all, would stumble over. @param runOnly tags or rules of axe */
  async accessibilityFindings(runOnly: readonly string[] = axeTags): Promise<string[]> {
    // As the inspector runs it, which the policy of the page leaves alone.
    await this.page.evaluate(axeSource);
    const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
    const { violations } = await this.page.evaluate<AxeResults>(`axe.run(document, ${options})`);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${reasonOf(failureSummary)}`),
    );
  }

  /** All that is wrong with how it looks now: also in dark colours, and wider than the screen. */
  async lookFindings(): Promise<string[]> {
    const light = await this.accessibilityFindings();
    await this.page.emulateMedia({ colorScheme: 'dark' });
    await this.page.evaluate(coloursStand);
    const dark = await this.accessibilityFindings(colourRules);
    await this.page.emulateMedia({ colorScheme: 'light' });
    const beyond = await this.widthBeyond();
    const wide = beyond === 0 ? [] : [`${beyond} px wider than the screen`];
    return [...this.takeFindings(), ...light, ...dark.map((finding) => `dark: ${finding}`), ...wide];
  }

  /** How far one must scroll sideways to see all of it, in pixels. */
  async widthBeyond(): Promise<number> {
    return this.page.evaluate<number>(
      `Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)`,
    );
  }

  /** What has the keyboard: its label or its words. */
  async focused(): Promise<string> {
    return this.page.evaluate<string>(
      `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`,
    );
  }
}

/** What a test answers in the daemon's place may still be on its way to a page that closes: that is no failure. */
export async function closeContext(context: BrowserContext): Promise<void> {
  for (const routed of [context, ...context.pages()]) await routed.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}

function reasonOf(summary: string | undefined): string {
  return (summary ?? '').split('\n').slice(1).join('; ').replaceAll(/\s+/g, ' ').trim();
}
