import type { CDPSession } from 'playwright-core';

import { waitUntil } from '#embedded';

import type { ConsolePage } from './console-page.js';

const scrollPixels = 1_600;

/** What scrolling down a list cost. */
interface Scrolled {
  /** The last one in the page. */
  readonly rows: number;
  /** Of the page's own thread, milliseconds of processor: whatever else the machine does is not in it. */
  readonly scriptMs: number;
}

/** The last row in the page. */
async function lastRow({ page }: ConsolePage): Promise<number> {
  return page.evaluate<number>(
    `Math.max(0, ...[...document.querySelectorAll('[data-row]')].map(({ dataset }) => Number(dataset.row)))`,
  );
}

/** Scrolls down by a wheel, and measures. */
export class Scroll {
  private constructor(
    private readonly seat: ConsolePage,
    private readonly cdp: CDPSession,
  ) {}

  static async of(seat: ConsolePage): Promise<Scroll> {
    const cdp = await seat.page.context().newCDPSession(seat.page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await seat.page.locator('main').hover();
    return new Scroll(seat, cdp);
  }

  /** Until a row is so far down. */
  async down({ rows }: { readonly rows: number }): Promise<Scrolled> {
    const before = await this.scriptMs();
    let at = await lastRow(this.seat);
    while (at < rows) {
      for (let turn = 0; turn < 4; turn += 1) await this.seat.page.mouse.wheel(0, scrollPixels);
      at = await lastRow(this.seat);
    }
    await this.still();
    return { rows: at, scriptMs: (await this.scriptMs()) - before };
  }

  /** A wheel's turns are taken one by one: a row that has the focus would be gone with the next of them. */
  private async still(): Promise<void> {
    const { page } = this.seat;
    const isStill = `new Promise((resolve) => {
      const before = scrollY;
      setTimeout(() => requestAnimationFrame(() => {
        const rows = [...document.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect());
        resolve(scrollY === before && rows.some(({ top, bottom }) => top > 0 && bottom < innerHeight));
      }), 200);
    })`;
    await waitUntil(() => page.evaluate<boolean>(isStill), { what: 'the list to stand still', timeoutMs: 60_000 });
  }

  private async scriptMs(): Promise<number> {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN) * 1_000;
  }
}
