import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';

import type { Stats } from '#operations';
import { countsByStatus } from '#operations';

/** A value with its labels. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface StatsGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly samples: (stats: Stats) => readonly Sample[];
}

const secondMs = 1_000;

function secondsBetween(earlier: number | null, later: number): number {
  return earlier === null ? 0 : Math.max(0, later - earlier) / secondMs;
}

const gauges: readonly StatsGauge[] = [
  {
    name: 'loyaltyd_intents',
    help: 'Intents in the database by status; every process with the operations role tells the same',
    labelNames: ['program', 'status', 'operation'],
    samples: ({ overview }) => countsByStatus(overview).map(({ intents: value, ...labels }) => ({ labels, value })),
  },
  {
    name: 'loyaltyd_oldest_pending_seconds',
    help: 'Age of what has been pending for longest; 0: nothing is',
    labelNames: ['program'],
    samples: ({ overview: { at, intents, oldestPending } }) => {
      const since = new Map(oldestPending.map(({ program, recordedAt }) => [program, recordedAt]));
      const programs = [...new Set(intents.map(({ program }) => program))];
      return programs.map((program) => ({
        labels: { program },
        value: secondsBetween(since.get(program) ?? null, at),
      }));
    },
  },
  {
    name: 'loyaltyd_value_at_risk_minor',
    help: 'Money in what is parked or unknown, in the smallest unit of the currency',
    labelNames: ['program', 'currency'],
    samples: ({ overview }) =>
      overview.valueAtRisk.map(({ program, currency, minor }) => ({ labels: { program, currency }, value: minor })),
  },
  {
    name: 'loyaltyd_projection_lag_seconds',
    help: 'Age of the first event that the counts of delivered and cancelled intents do not hold yet',
    labelNames: [],
    samples: ({ overview: { at, uncountedSince } }) => [{ labels: {}, value: secondsBetween(uncountedSince, at) }],
  },
];

/**
 * Metrics of contracts.md section 8 that the database tells, read when they are scraped.
 * @param read null where it cannot be told in time: then they are absent, and the rest of the scrape does not fail for it
 */
export function registerStatsMetrics(registry: Registry, read: () => Promise<Stats | null>): void {
  for (const { name, help, labelNames, samples } of gauges) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const stats = await read();
        this.reset();
        // A gauge without labels is 0 after a reset: that would be a lie.
        this.remove({});
        for (const { labels, value } of stats === null ? [] : samples(stats)) this.set(labels, value);
      },
    });
  }
}
