import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

import type { Browser } from 'playwright-core';

import { openBrowser } from '../console/browser.js';
import { ConsolePage } from '../console/console-page.js';
import { demoAddress } from './demo-address.js';
import { picturePaths } from './picture-paths.js';

/** `npm run console:images`: the demo with its troubles, and a picture of each screen into docs/images. */
const root = process.cwd();
const folder = resolve(root, 'docs/images');
const startMsMax = 180_000;
const settleMs = 800;

/** Those that are shown in both themes, on a desk and on a phone; the others on a desk in the light. */
const everywhere: readonly string[] = ['now', 'intents', 'intent', 'failures', 'member'];
const themes = ['light', 'dark'] as const;
const sizes = ['desktop', 'phone'] as const;

async function takeAll(
  browser: Browser,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  const paths = await picturePaths(url, token);
  for (const theme of themes) {
    for (const size of sizes) {
      const tab = await ConsolePage.open(browser, url, { token, theme, screen: size });
      const isUsual = theme === 'light' && size === 'desktop';
      for (const [name, path] of Object.entries(paths).filter(([each]) => isUsual || everywhere.includes(each))) {
        await tab.goTo(path);
        // Charts draw what has come in a frame of their own.
        await tab.page.waitForTimeout(settleMs);
        await tab.page.screenshot({ path: `${folder}/${name}-${theme}-${size}.png` });
        process.stdout.write(`${name}-${theme}-${size}.png\n`);
      }
      await tab.close();
    }
  }
}

const demo = spawn('npm', ['run', '--silent', 'demo', '--', '--once', '--events', '3000', '--stay'], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'pipe'],
  detached: true,
});
const ended = once(demo, 'exit');
try {
  await mkdir(folder, { recursive: true });
  const address = await demoAddress(createInterface({ input: demo.stderr }), startMsMax);
  const browser = await openBrowser();
  await takeAll(browser, address).finally(() => browser.close());
} finally {
  // npm and what it has started.
  if (demo.pid !== undefined && demo.exitCode === null) process.kill(-demo.pid, 'SIGINT');
  await ended;
}
