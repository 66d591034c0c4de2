import type { CDPSession } from 'playwright-core';

import type { ConsolePage } from './console-page.js';

const scrollPixels = 1_600;

/** What scrolling down a list cost. */
export interface Scrolled {
  /** Milliseconds from each picture to the next, ascending. */
  readonly pictures: readonly number[];
  /** How far one came. */
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
    await seat.page.evaluate(`
      globalThis.pictures = [];
      let before = performance.now();
      const next = (at) => { globalThis.pictures.push(at - before); before = at; requestAnimationFrame(next); };
      requestAnimationFrame(next);`);
    await seat.page.locator('main').hover();
    return new Scroll(seat, cdp);
  }

  /** Until one is so far down, or so long. */
  async down({ rows = Infinity, ms = Infinity }: { readonly rows?: number; readonly ms?: number }): Promise<Scrolled> {
    const endsAt = performance.now() + ms;
    const before = await this.scriptMs();
    await this.seat.page.evaluate('globalThis.pictures.splice(0)');
    let at = await lastRow(this.seat);
    while (at < rows && performance.now() < endsAt) {
      for (let turn = 0; turn < 4; turn += 1) await this.seat.page.mouse.wheel(0, scrollPixels);
      at = await lastRow(this.seat);
    }
    const pictures = await this.seat.page.evaluate<number[]>('globalThis.pictures.splice(0)');
    return { pictures: pictures.toSorted((a, b) => a - b), rows: at, scriptMs: (await this.scriptMs()) - before };
  }

  private async scriptMs(): Promise<number> {
    const { metrics } = await this.cdp.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN) * 1_000;
  }
}

export const quantile = (ascending: readonly number[], share: number): number =>
  Math.round(ascending[Math.floor((ascending.length - 1) * share)] ?? NaN);
