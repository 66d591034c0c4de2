import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

import type { Browser } from 'playwright-core';

import { waitUntil } from '#embedded';
import { checkoutRoot, describeUnless } from '#test-support';

import { Demo, demoMsMax, itself } from '../e2e/demo-run.js';
import { chromiumMissing, openBrowser } from './browser.js';
import { ConsolePage } from './console-page.js';

const run = promisify(execFile);
const shownMsMax = 30_000;

/** Everything that descends from a process, whatever group or session it is in. */
async function descendantsOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  // Those that are found meanwhile are looked at as well.
  for (const parent of found) found.push(...pairs.filter(([, of]) => of === parent).map(([child = 0]) => child));
  return found.slice(1);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describeUnless(chromiumMissing, 'npm run demo, until Ctrl-C', () => {
  let demo: Demo;
  let browser: Browser;

  beforeAll(async () => {
    await run('npm', ['run', '--silent', 'build:if-stale', '--', 'console'], { cwd: checkoutRoot });
    browser = await openBrowser();
    demo = new Demo(itself, ['--rate', '10']);
  });

  afterAll(async () => {
    demo.pressCtrlC();
    await demo.ended();
    await browser.close();
  }, demoMsMax);

  it('prints a link to a console with troubles in it, goes on, and leaves nothing behind', async () => {
    const flows = (): boolean => /^emitted \d+/m.test(demo.said.stderr) || demo.hasEnded;
    await waitUntil(flows, { what: 'the traffic after the troubles', timeoutMs: demoMsMax });
    const [link = ''] = demo.shown('console').split(' ');
    const url = new URL(link);
    const seat = await ConsolePage.open(browser, url.origin, { token: null });
    const { page } = seat;
    await seat.goTo(url.hash);
    await page.getByRole('button', { name: /^dev\b.*account and theme$/ }).waitFor({ timeout: shownMsMax });
    const goTo = async (name: string): Promise<void> => {
      await page.getByRole('navigation').getByRole('link', { name }).first().click();
      await page.locator('main h1', { hasText: name }).first().waitFor({ timeout: shownMsMax });
      await seat.shown();
    };
    const shows = (text: RegExp | string): Promise<void> =>
      page.locator('main').getByText(text).first().waitFor({ timeout: shownMsMax });

    await goTo('Failures');
    await shows('Refused by the partner');
    await shows('May have taken effect');
    await page.locator('main tbody tr').filter({ hasText: 'unknown' }).first().waitFor({ timeout: shownMsMax });
    await goTo('Quarantine');
    await shows('value: not JSON');
    await shows('data.program: not in the programs file');
    await seat.goTo('members/coffee-club/K-4199');
    await shows(/waits for the member’s pass/);
    expect(seat.takeFindings()).toEqual([]);
    await seat.close();

    const [folder = ''] = demo.shown('data').split(' ');
    const all = await descendantsOf(demo.pid);
    expect(all.length).toBeGreaterThan(2);
    expect(existsSync(folder)).toBe(true);
    demo.pressCtrlC();
    expect(await demo.ended()).toBe(0);
    expect(demo.said.stdout).toContain('When it was stopped:');
    // Postgres' own processes may take a moment more than the one that we waited for.
    await waitUntil(() => !all.some(isAlive), { what: `the end of ${all.join(', ')}`, timeoutMs: shownMsMax });
    expect(existsSync(folder)).toBe(false);
  });
});
