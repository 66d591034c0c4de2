import type { Registry } from 'prom-client';

import { ROLES } from '#contracts';
import type { Stats } from '#operations';
import { countsByStatus } from '#operations';

import { closedLabel, currencyLabel, labelSets } from './label-sets.js';
import type { ToldGauge } from './told-gauges.js';
import { plain, registerToldGauges, secondsBetween } from './told-gauges.js';

/** The value of a label for a pause of every program, or of every operation. */
const all = 'all';

const intentGauges: readonly ToldGauge<Stats>[] = [
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
      overview.valueAtRisk.map(({ program, currency, minor: value }) => {
        return { labels: { program, currency: currencyLabel(currency) }, value };
      }),
  },
  {
    name: 'loyaltyd_blocked_lanes',
    help: 'Members whose queue stands still until a person acts',
    labelNames: ['program'],
    samples: ({ overview }) =>
      overview.blockedLanes.map(({ program, lanes: value }) => ({ labels: { program }, value })),
  },
];

const otherGauges: readonly ToldGauge<Stats>[] = [
  {
    name: 'loyaltyd_projection_lag_seconds',
    help: 'Age of the first event that the counts of delivered and cancelled intents do not hold yet',
    labelNames: [],
    samples: ({ overview: { at, uncountedSince } }) => plain(secondsBetween(uncountedSince, at)),
  },
  {
    name: 'loyaltyd_quarantine_open',
    help: 'Records set aside that nobody has dealt with',
    labelNames: ['reason'],
    samples: ({ overview: { quarantine } }) => {
      const found = quarantine.map(({ reason, records: value }) => {
        return { labels: { reason: closedLabel(labelSets.reason, reason) }, value };
      });
      return [...labelSets.reason.map((reason) => ({ labels: { reason }, value: 0 })), ...found];
    },
  },
  {
    name: 'loyaltyd_processes',
    help: 'Processes that have reported within seconds, by role',
    labelNames: ['role'],
    samples: ({ overview: { processes } }) =>
      ROLES.map((role) => ({ labels: { role }, value: processes.filter(({ roles }) => roles.includes(role)).length })),
  },
];

/** @param programLabel an operator may pause a program that no programs file names */
function pausesGauge(programLabel: (name: string) => string): ToldGauge<Stats> {
  return {
    name: 'loyaltyd_pause_seconds',
    help: 'For how long a pause has been in force; automatic: delivery set it, the partner refused everybody',
    labelNames: ['program', 'operation', 'automatic'],
    samples: ({ overview: { at, pauses } }) =>
      pauses.map(({ program, operation, automatic, since }) => ({
        labels: {
          program: program === null ? all : programLabel(program),
          operation: operation ?? all,
          automatic: String(automatic),
        },
        value: secondsBetween(since, at),
      })),
  };
}

/** What the database tells of how things stand, read when it is scraped. */
export function registerStatsMetrics(
  registry: Registry,
  read: () => Promise<Stats | null>,
  programLabel: (name: string) => string,
): void {
  registerToldGauges(registry, [...intentGauges, ...otherGauges, pausesGauge(programLabel)], read);
}
