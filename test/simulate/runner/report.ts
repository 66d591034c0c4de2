import type { Fault } from '../world/fault.js';
import type { SeedAnswer } from './worker-pool.js';

export interface Failure {
  readonly seed: number;
  readonly problems: readonly string[];
  /** Faults that are not needed to make it fail; null: it was not shrunk. */
  readonly without: readonly Fault[] | null;
}

/** What a run of many worlds came to. */
export interface SimulationReport {
  readonly from: number;
  readonly worlds: number;
  readonly seconds: number;
  readonly worldsPerSecond: number;
  readonly virtualHours: number;
  readonly intents: number;
  readonly delivered: number;
  readonly attempts: number;
  readonly unknowns: number;
  readonly lateOutcomes: number;
  readonly parked: Readonly<Record<string, number>>;
  readonly resolutions: Readonly<Record<string, number>>;
  /** In how many worlds each fault struck. */
  readonly faults: Readonly<Record<string, number>>;
  /** What lies outside the promise, by bucket. */
  readonly exposures: Readonly<Record<string, number>>;
  /** What the retailer's judge looked at, and what it counted apart; null where it was not asked. */
  readonly retailer: RetailersTally | null;
  readonly failures: readonly Failure[];
}

export interface RetailersTally {
  /** Worlds whose records somebody outside can tell apart. */
  readonly worlds: number;
  readonly judged: Readonly<Record<string, number>>;
  readonly buckets: Readonly<Record<string, number>>;
}

type Counts = Record<string, number>;

function addAll(counts: Counts, more: Readonly<Record<string, number | undefined>>): void {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + (count ?? 0);
}

/** Adds up what the worlds came to. */
export class Tally {
  worlds = 0;
  private virtualMs = 0;
  private readonly sums: Counts = {};
  private readonly parked: Counts = {};
  private readonly resolutions: Counts = {};
  private readonly faults: Counts = {};
  private readonly exposures: Counts = {};
  private readonly retailer = { worlds: 0, judged: {} as Counts, buckets: {} as Counts };

  add({ virtualMs, faults, figures, exposures, retailer }: SeedAnswer): void {
    this.worlds += 1;
    if (retailer !== null) {
      this.retailer.worlds += 1;
      addAll(this.retailer.judged, { ...retailer.judged });
      addAll(this.retailer.buckets, retailer.buckets);
    }
    this.virtualMs += virtualMs;
    addAll(this.faults, Object.fromEntries(Object.keys(faults).map((name) => [name, 1])));
    addAll(this.exposures, exposures);
    if (figures === null) return;
    const { intents, delivered, attempts, unknowns, lateOutcomes } = figures;
    addAll(this.sums, { intents, delivered, attempts, unknowns, lateOutcomes });
    addAll(this.parked, figures.parked);
    addAll(this.resolutions, figures.resolutions);
  }

  report(run: {
    readonly from: number;
    readonly seconds: number;
    readonly failures: readonly Failure[];
  }): SimulationReport {
    const { worlds, virtualMs, sums, parked, resolutions, faults, exposures, retailer } = this;
    const sum = (name: string): number => sums[name] ?? 0;
    return {
      from: run.from,
      worlds,
      seconds: Math.round(run.seconds),
      worldsPerSecond: Math.round((worlds / run.seconds) * 100) / 100,
      virtualHours: Math.round(virtualMs / 36_000) / 100,
      intents: sum('intents'),
      delivered: sum('delivered'),
      attempts: sum('attempts'),
      unknowns: sum('unknowns'),
      lateOutcomes: sum('lateOutcomes'),
      parked,
      resolutions,
      faults,
      exposures,
      retailer: retailer.worlds === 0 ? null : retailer,
      failures: run.failures,
    };
  }
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return entries.length === 0 ? 'none' : entries.map(([name, count]) => `${name} ${count}`).join(', ');
}

export function replayCommand({ seed, without }: Pick<Failure, 'seed' | 'without'>): string {
  const off = without === null || without.length === 0 ? '' : ` --without ${without.join(',')}`;
  return `npm run simulate -- --replay ${seed}${off}`;
}

export function failureText(failure: Failure): string {
  const { seed, problems } = failure;
  return [
    `seed ${seed} breaks:`,
    ...problems.map((problem) => `  ${problem.slice(0, 600)}`),
    `  ${replayCommand(failure)}`,
  ].join('\n');
}

function retailersLines({ retailer, worlds }: SimulationReport): string[] {
  if (retailer === null) return [];
  return [
    `the retailer's judge looked at ${retailer.worlds} of ${worlds} worlds: ${countsText(retailer.judged)}`,
    `counted apart by the retailer's judge: ${countsText(retailer.buckets)}`,
  ];
}

export function reportText(report: SimulationReport): string {
  const { worlds, from, seconds, worldsPerSecond, virtualHours, failures } = report;
  return [
    `${worlds} worlds from seed ${from} in ${seconds} s (${worldsPerSecond}/s), ${virtualHours} virtual hours`,
    `${report.intents} intents, ${report.delivered} delivered, ${report.attempts} attempts, ${report.unknowns} unknown outcomes, ${report.lateOutcomes} late ones`,
    `unknown outcomes: ${countsText(report.resolutions)}`,
    `parked: ${countsText(report.parked)}`,
    `worlds with each fault: ${countsText(report.faults)}`,
    `outside the promise: ${countsText(report.exposures)}`,
    ...retailersLines(report),
    failures.length === 0 ? 'no invariant was broken' : `${failures.length} worlds broke an invariant`,
    ...failures.map(failureText),
  ].join('\n');
}
