import type { Browser } from 'playwright-core';

import { openBrowser } from '../../console/browser.js';
import { ConsolePage } from '../../console/console-page.js';
import { Scroll } from '../../console/scrolling.js';
import { Undo } from '../../support/process/program.js';
import { fillHistory } from '../backlog/fill-tables.js';
import { openInstallation, operatorToken } from '../infrastructure/bench-installation.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { median, percentile, rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const screens = {
  Now: '',
  Intents: 'intents',
  'Intents, parked': 'intents?status=parked',
  Failures: 'failures',
} as const;
const keyDelayMs = 60;
const scrolls = 200;
const scrollPixels = 1_600;
const p95 = 0.95;
const seat = { token: operatorToken } as const;

/**
 * Loads a screen as somebody does who has not been here before. The main part of it stands once its title is there and
 * nothing in it is still being read.
 * @returns milliseconds until something was drawn, and until the screen stood
 */
const load = async (browser: Browser, url: string, path: string): Promise<readonly [drawn: number, stands: number]> => {
  const tab = await ConsolePage.open(browser, url, seat);
  await tab.goTo(path);
  const times = await tab.page.evaluate<readonly [number, number]>(
    `[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]`,
  );
  await tab.close();
  return times;
};

const loads = async (
  browser: Browser,
  url: string,
  [label, path]: readonly [string, string],
  rounds: number,
): Promise<FiguresRow> => {
  const times: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await load(browser, url, path));
  const drawn = times.map(([first]) => first);
  const stands = times.map(([, last]) => last);
  return { label, values: [median(drawn), Math.max(...drawn), median(stands), Math.max(...stands)].map(rounded) };
};

/** @returns milliseconds from each key to the next picture */
const typeIntoSearch = async (tab: ConsolePage): Promise<readonly number[]> => {
  await tab.watchKeys();
  const search = tab.page.getByRole('searchbox').first();
  await search.pressSequentially('p-500000 and more', { delay: keyDelayMs });
  await search.fill('');
  await tab.shown();
  return tab.takeKeyTimes();
};

/** Down a list, a screen at a time, further pages being loaded. @returns milliseconds between pictures */
const scrollDown = async ({ page }: ConsolePage): Promise<readonly number[]> => {
  await page.evaluate(`
    globalThis.frames = [];
    globalThis.frameAt = performance.now();
    const next = (at) => { globalThis.frames.push(at - globalThis.frameAt); globalThis.frameAt = at; requestAnimationFrame(next); };
    requestAnimationFrame(next);`);
  await page.locator('main').hover();
  for (let turn = 0; turn < scrolls; turn += 1) await page.mouse.wheel(0, scrollPixels);
  return page.evaluate<readonly number[]>('globalThis.frames');
};

/** Processor time of the page for 1,000 rows, from the first page and from ever further down. @returns milliseconds */
const scrollCosts = async (tab: ConsolePage): Promise<readonly number[]> => {
  await tab.goTo('intents');
  const scroll = await Scroll.of(tab);
  let { rows: from } = await scroll.down({ rows: 1_000 });
  const costs: number[] = [];
  for (const rows of [2_000, 12_000, 22_000, 32_000]) {
    const { scriptMs, rows: at } = await scroll.down({ rows });
    costs.push((scriptMs / (at - from)) * 1_000);
    from = at;
  }
  return costs;
};

const spreadRow = (label: string, durations: readonly number[]): FiguresRow => ({
  label,
  values: [Math.max(...durations), percentile(durations, p95), median(durations)].map(rounded),
});

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, say } = tools;
  const size = plan.console;
  const intents = size.members * size.intentsPerMember;
  say(`console: filling ${intents} intents`);
  const { daemons } = await openInstallation(tools, 0, undo, {
    roles: ['operations'],
    fill: (url) => fillHistory(url, size),
  });
  const url = daemons[0]?.operations ?? '';
  const browser = await openBrowser();
  undo.add(() => browser.close());
  // Once for whoever compiles and caches what.
  await load(browser, url, '');
  const rows: FiguresRow[] = [];
  for (const screen of Object.entries(screens)) {
    say(`console: ${screen[0]}`);
    rows.push(await loads(browser, url, screen, plan.rounds));
  }
  const tab = await ConsolePage.open(browser, url, seat);
  await tab.goTo('intents');
  const typed = await typeIntoSearch(tab);
  const frames = await scrollDown(tab);
  const costs = await scrollCosts(tab);
  const furtherDown = Math.min(...costs.slice(1)) / (costs[0] ?? NaN);
  return {
    kind: 'figures',
    name: 'console',
    unit: `ms, ${intents.toLocaleString('en-US')} intents`,
    columns: ['first drawn', 'at worst', 'stands', 'at worst '],
    rows,
    further: {
      unit: 'ms',
      columns: ['at worst', 'p95', 'median'],
      rows: [
        spreadRow('from a key in the search to the next picture', typed),
        spreadRow(`between pictures while ${scrolls} screens are scrolled`, frames),
        spreadRow('of processor for 1,000 rows, scrolled', costs),
      ],
    },
    bars: [
      judgeFigure({ text: 'a screen is first drawn within 1,000 ms', atMost: 1_000 }, worstOf(rows, 1)),
      judgeFigure({ text: 'a key is answered within 100 ms', atMost: 100 }, Math.max(...typed)),
      // Twice as much would be a list that is gone through for each page.
      judgeFigure({ text: '1,000 rows far down cost < 2 x those at the top', atMost: 2 }, furtherDown),
    ],
    notes: [
      'A real Chromium beside the daemon and Postgres on the same processors; each load with an empty cache.',
      'A screen stands when its title is there and nothing in it is still being read.',
    ],
  };
};

const worstOf = (rows: readonly FiguresRow[], column: number): number =>
  Math.max(...rows.map(({ values }) => values[column] ?? NaN));

/** The web console in a browser, when there is much behind it. */
export const consoleMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
