import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Browser } from 'playwright-core';

import type { SeriesView } from '#contracts';
import { waitUntil } from '#embedded';

import { openBrowser } from '../console/browser.js';
import { ConsolePage } from '../console/console-page.js';

/** `npm run console:images`: the demo with its troubles, and a picture of each screen into docs/images. */
const root = process.cwd();
const folder = resolve(root, 'docs/images');
const startMsMax = 180_000;
const settleMs = 2_500;
/** So many whole minutes stand in the charts: fewer than the pause of the demo lasts, which is to be seen, too. */
const minutesShown = 3;
const minutesMsMax = 240_000;
/** What Now draws at first. */
const rangeMs = 15 * 60_000;

/** Those that are shown in both themes, on a desk and on a phone; the others on a desk in the light. */
const everywhere: readonly string[] = ['now', 'intents', 'intent', 'failures', 'member'];
const themes = ['light', 'dark'] as const;
const sizes = ['desktop', 'phone'] as const;

/** Where the demo's daemon answers, and what opens it. */
interface DemoAddress {
  readonly url: string;
  readonly token: string;
}

/** Reads what the demo prints once it stays up. @throws when it does not come to that in time */
async function demoAddress(lines: AsyncIterable<string>, msMax: number): Promise<DemoAddress> {
  const late = new AbortController();
  const waiting = sleep(msMax, null, { signal: late.signal }).then(
    () => Promise.reject(new Error(`the demo does not stay up within ${msMax} ms`)),
    () => null,
  );
  try {
    const found = await Promise.race([readAddress(lines), waiting]);
    if (found === null) throw new Error('the demo ended before it told its address');
    return found;
  } finally {
    late.abort();
  }
}

async function readAddress(lines: AsyncIterable<string>): Promise<DemoAddress | null> {
  let url: string | undefined;
  for await (const line of lines) {
    url = /^ *daemon +(http:\S+)/.exec(line)?.[1] ?? url;
    const token = /^ *operator token +(\S+)/.exec(line)?.[1];
    if (url !== undefined && token !== undefined) return { url, token };
  }
  return null;
}

interface Listed {
  readonly items: readonly Readonly<Record<string, string>>[];
}

/** Paths within the console, by the name of the picture: each screen, with something in it to be looked at. */
async function picturePaths(url: string, token: string): Promise<Readonly<Record<string, string>>> {
  const first = async (path: string): Promise<Readonly<Record<string, string>>> => {
    const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const [item] = ((await answer.json()) as Listed).items;
    if (item === undefined) throw new Error(`the demo has nothing in ${path}`);
    return item;
  };
  const [unknown, refused, record] = await Promise.all([
    first('intents?status=unknown'),
    first('intents?status=parked&reason=rejected'),
    first('quarantine'),
  ]);
  return {
    now: '',
    intents: 'intents',
    intent: `intents/${encodeURIComponent(refused['id'] ?? '')}`,
    unknown: `intents/${encodeURIComponent(unknown['id'] ?? '')}`,
    member: `members/${unknown['program']}/${encodeURIComponent(unknown['memberId'] ?? '')}`,
    failures: 'failures',
    replay: 'jobs/replay/new?reason=rejected',
    quarantine: 'quarantine',
    record: `quarantine/${record['id']}`,
    pauses: 'pauses',
    audit: 'audit',
    settings: 'settings',
  };
}

/** Until the charts have something to draw. */
async function awaitMinutes({ url, token }: DemoAddress): Promise<void> {
  const drawn = async (): Promise<boolean> => {
    const [from, to] = [new Date(Date.now() - rangeMs), new Date()].map((at) => at.toISOString());
    const path = `series?${new URLSearchParams({ from: from ?? '', to: to ?? '' }).toString()}`;
    const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`series: ${answer.status} ${await answer.text()}`);
    const { items } = (await answer.json()) as SeriesView;
    return items.filter(({ latencyP50Ms }) => latencyP50Ms !== null).length >= minutesShown;
  };
  await waitUntil(drawn, { what: 'minutes to draw', timeoutMs: minutesMsMax, intervalMs: 5_000 });
}

async function takeAll(browser: Browser, { url, token }: DemoAddress): Promise<void> {
  const paths = await picturePaths(url, token);
  for (const theme of themes) {
    for (const size of sizes) {
      const tab = await ConsolePage.open(browser, url, { token, theme, screen: size });
      const isUsual = theme === 'light' && size === 'desktop';
      for (const [name, path] of Object.entries(paths).filter(([each]) => isUsual || everywhere.includes(each))) {
        await tab.goTo(path);
        // Rates are known at the second look, and charts draw what has come in a frame of their own.
        await tab.page.waitForTimeout(settleMs);
        await tab.page.screenshot({ path: `${folder}/${name}-${theme}-${size}.png` });
        process.stdout.write(`${name}-${theme}-${size}.png\n`);
      }
      await tab.close();
    }
  }
}

const demo = spawn('npm', ['run', '--silent', 'demo'], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'pipe'],
  detached: true,
});
const ended = once(demo, 'exit');
try {
  await mkdir(folder, { recursive: true });
  const address = await demoAddress(createInterface({ input: demo.stderr }), startMsMax);
  await awaitMinutes(address);
  const browser = await openBrowser();
  await takeAll(browser, address).finally(() => browser.close());
} finally {
  // npm and what it has started.
  if (demo.pid !== undefined && demo.exitCode === null) process.kill(-demo.pid, 'SIGINT');
  await ended;
}
