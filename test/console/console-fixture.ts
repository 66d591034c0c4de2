import { spawnSync } from 'node:child_process';

import type { Browser } from 'playwright-core';

import type { RunningProcess } from '#test-support';
import { checkoutRoot } from '#test-support';

import type { Role } from '../e2e/api-client.js';
import { ApiClient, apiTokens, tokenOf } from '../e2e/api-client.js';
import type { Harness } from '../e2e/harness.js';
import { openHarness } from '../e2e/harness.js';
import { breakPartner } from '../e2e/partner.js';
import { openBrowser } from './browser.js';
import type { Seat } from './console-page.js';
import { closeContext, ConsolePage } from './console-page.js';

/** A daemon that serves the built console, with everything behind it, and a browser. */
export class ConsoleFixture {
  private constructor(
    readonly harness: Harness,
    readonly daemon: RunningProcess,
    readonly browser: Browser,
  ) {}

  /** @param programs text of the programs file @param settings what the daemon is configured by besides */
  static async open(programs?: string, settings: Readonly<Record<string, string>> = {}): Promise<ConsoleFixture> {
    provideConsole();
    const [harness, browser] = await Promise.all([openHarness(programs), openBrowser()]);
    const daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens, ...settings });
    return new ConsoleFixture(harness, daemon, browser);
  }

  get url(): string {
    return String(this.daemon.ready['operations']);
  }

  api(role: Role): ApiClient {
    return new ApiClient(this.daemon, role);
  }

  /** Another person at another machine: an operator with light screens on a desk, unless told otherwise. */
  sit({
    role = 'operator',
    ...look
  }: { readonly role?: Role | null } & Omit<Seat, 'token'> = {}): Promise<ConsolePage> {
    return ConsolePage.open(this.browser, this.url, { token: role === null ? null : tokenOf(role), ...look });
  }

  /** What the partner does wrong from now on; no rules: nothing. */
  async breakPartner(...rules: readonly object[]): Promise<void> {
    await breakPartner(this.harness.sandboxUrl, rules);
  }

  async close(): Promise<void> {
    for (const context of this.browser.contexts()) await closeContext(context);
    await this.browser.close();
    await this.harness.close();
  }
}

/** Builds the console where its sources are newer; test files that run at once wait for one another there. */
function provideConsole(): void {
  const args = [`${checkoutRoot}apps/cli/bin/compiled.js`, 'provide', 'console'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: checkoutRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the console could not be built: ${stderr}`);
}
