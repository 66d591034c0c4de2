import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

/** A value with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A gauge whose values are all told together by something that was read. */
export interface ToldGauge<Told> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Values with the same labels are added up. */
  readonly samples: (told: Told) => readonly Sample[];
}

/** The only value of a gauge without labels. */
export function plain(value: number): readonly Sample[] {
  return [{ labels: {}, value }];
}

const secondMs = 1_000;

/** 0 where there is nothing since when. Times in epoch ms. */
export function secondsBetween(earlier: number | null, later: number): number {
  return earlier === null ? 0 : Math.max(0, later - earlier) / secondMs;
}

/**
 * Gauges that are read when they are scraped.
 * @param read null where it cannot be told in time: then they are absent, and the rest of the scrape does not fail for it
 */
export function registerToldGauges<Told>(
  registry: Registry,
  gauges: readonly ToldGauge<Told>[],
  read: () => Promise<Told | null> | Told | null,
): void {
  for (const { name, help, labelNames, samples } of gauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const told = await read();
        this.reset();
        // A gauge without labels is 0 after a reset: that would be a lie.
        this.remove({});
        for (const { labels, value } of told === null ? [] : samples(told)) this.inc(labels, value);
      },
    });
  }
}
