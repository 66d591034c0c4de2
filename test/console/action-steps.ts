import type { Locator, Request, Route } from 'playwright-core';

import type { ConsolePage } from './console-page.js';

const stepMsMax = 90_000;

/** What stands in a dialog before anything is done. */
interface Foretold {
  readonly action: string;
  /** By name: `{ intent: '1', members: '1', money: '12.50 EUR' }`. */
  readonly figures: Readonly<Record<string, string>>;
  /** The first ten, and how many more there are. */
  readonly items: readonly string[];
}

/** What somebody does in the console, and what the browser sends for it. */
export class ActionSteps {
  /** All that was to change something, since it was last taken: `POST /intents/…/replay`. */
  private sent: string[] = [];

  constructor(readonly seat: ConsolePage) {
    seat.page.setDefaultTimeout(stepMsMax);
    seat.page.on('request', (request) => {
      if (request.method() !== 'GET') this.sent.push(nameOf(request));
    });
  }

  get main(): Locator {
    return this.seat.page.locator('main');
  }

  get dialog(): Locator {
    return this.seat.page.getByRole('dialog');
  }

  takeSent(): string[] {
    return this.sent.splice(0);
  }

  /** Opens the dialog of an action by its button in the page, and reads what it says beforehand. */
  async open(button: string | RegExp, within: Locator = this.main): Promise<Foretold> {
    await within.getByRole('button', { name: button, exact: true }).first().click();
    await this.dialog.waitFor();
    return this.foretold();
  }

  async foretold(): Promise<Foretold> {
    const { dialog } = this;
    // What it will do may have to be asked for.
    await dialog.locator('dl').first().waitFor({ state: 'attached' });
    const [names, values] = await Promise.all([
      dialog.locator('dl dt').allInnerTexts(),
      dialog.locator('dl dd').allInnerTexts(),
    ]);
    return {
      action: await dialog.getByRole('heading').first().innerText(),
      figures: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
      items: await dialog.getByRole('list', { name: 'The first of them' }).locator('li').allInnerTexts(),
    };
  }

  async say(reason: string): Promise<void> {
    await this.dialog.getByLabel(/^Why/).fill(reason);
  }

  /** Does it by a click, and waits until the dialog is gone. */
  async perform(action: string | RegExp, reason?: string): Promise<void> {
    if (reason !== undefined) await this.say(reason);
    await this.button(action).click();
    await this.dialog.waitFor({ state: 'detached' });
  }

  /** The button of the dialog that does it. */
  button(action: string | RegExp): Locator {
    return this.dialog.getByRole('button', { name: action, exact: true });
  }

  /** Of a button that says that it cannot be done yet: Playwright would wait until it can. */
  async clickInVain(button: Locator): Promise<void> {
    await button.click({ force: true });
  }

  /** Clicks twice before the page could show that the first one is at work. */
  async clickTwice(button: Locator): Promise<void> {
    await button.evaluate((element) => {
      const twice = element as unknown as { click: () => void };
      twice.click();
      twice.click();
    });
  }

  async says(text: string | RegExp, within: Locator = this.main): Promise<void> {
    await within.getByText(text).first().waitFor();
  }

  /** Until a screen of that title is there; beside it the same line may say how that stands. */
  async titled(title: string): Promise<void> {
    await this.main.locator('h1', { hasText: title }).first().waitFor();
  }

  /** What is said in the frame once something is done. */
  async announces(text: string | RegExp): Promise<void> {
    await this.seat.page.getByRole('status').getByText(text).first().waitFor();
  }

  /** From now on the daemon gets what the browser sends there, and the browser gets no answer. */
  async loseAnswers(path: RegExp): Promise<void> {
    await this.seat.page.route(path, async (route: Route) => {
      if (route.request().method() === 'GET') {
        await route.continue();
        return;
      }
      await route.fetch();
      await route.abort('connectionreset');
    });
  }

  async keepAnswers(): Promise<void> {
    await this.seat.page.unrouteAll({ behavior: 'wait' });
  }

  /** Everything wrong since it was last asked, but for requests that failed as they were to. */
  findings(expected: readonly RegExp[] = []): string[] {
    return this.seat.takeFindings().filter((finding) => !expected.some((pattern) => pattern.test(finding)));
  }
}

function nameOf(request: Request): string {
  return `${request.method()} ${decodeURIComponent(new URL(request.url()).pathname.replace('/api/v1', ''))}`;
}
