import type { SpawnSyncReturns } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

import type { Browser } from 'playwright-core';

import type { RunningProcess } from '#test-support';

import type { Role } from '../e2e/api-client.js';
import { ApiClient, apiTokens, tokenOf } from '../e2e/api-client.js';
import type { Harness } from '../e2e/harness.js';
import { openHarness } from '../e2e/harness.js';
import { openBrowser } from './browser.js';
import { ConsolePage } from './console-page.js';
import { screenSizes } from './screen-sizes.js';

const root = resolve(import.meta.dirname, '../..');

/** What somebody has before them. */
interface Seat {
  /** Whose token the tab holds; null: nobody's. */
  readonly role?: Role | null;
  readonly theme?: 'light' | 'dark';
  readonly screen?: 'desktop' | 'phone';
}

/** Where the tab keeps its token. */
const tokenKey = 'loyaltyd.token';

/** A daemon that serves the built console, with everything behind it, and a browser. */
export class ConsoleFixture {
  private constructor(
    readonly harness: Harness,
    readonly daemon: RunningProcess,
    readonly browser: Browser,
  ) {}

  /** @param programs text of the programs file */
  static async open(programs?: string): Promise<ConsoleFixture> {
    provideConsole();
    const [harness, browser] = await Promise.all([openHarness(programs), openBrowser()]);
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    return new ConsoleFixture(harness, daemon, browser);
  }

  get url(): string {
    return String(this.daemon.ready['operations']);
  }

  api(role: Role): ApiClient {
    return new ApiClient(this.daemon, role);
  }

  /** Another person at another machine: an operator with light screens on a desk, unless told otherwise. */
  async sit({ role = 'operator', theme = 'light', screen = 'desktop' }: Seat = {}): Promise<ConsolePage> {
    const context = await this.browser.newContext({
      ...screenSizes[screen],
      colorScheme: theme,
      // What moves would be looked at half way.
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
    });
    if (role !== null) {
      const [key, token] = [JSON.stringify(tokenKey), JSON.stringify(tokenOf(role))];
      await context.addInitScript(`sessionStorage.setItem(${key}, ${token})`);
    }
    return ConsolePage.open(context, this.url);
  }

  /** What the partner does wrong from now on; no rules: nothing. */
  async breakPartner(...rules: readonly object[]): Promise<void> {
    const answer = await fetch(`${this.harness.sandboxUrl}/__faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seed: 1, rules }),
    });
    if (!answer.ok) throw new Error(`the sandbox refuses these faults: ${await answer.text()}`);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.harness.close();
  }
}

/** Builds the console where its sources are newer; test files that run at once wait for one another there. */
function provideConsole(): void {
  const program = resolve(root, 'apps/cli/bin/compiled.js');
  const run = (action: string): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [program, action, 'console'], { cwd: root, encoding: 'utf8' });
  const { stderr } = run('provide');
  // A daemon does without a console that cannot be built.
  if (run('check').status !== 0) throw new Error(`the console could not be built: ${stderr}`);
}
