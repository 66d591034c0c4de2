import { type Amount, sumByCurrency } from '../components/money-words.js';
import { countText, standing, type Stats } from './problem.js';

const minuteSeconds = 60;

type Rate = 'recordedPerSecond' | 'settledPerSecond';

const perMinute = (perSecond: number): string => {
  const count = perSecond * minuteSeconds;
  return count > 0 && count < 10 ? count.toFixed(1) : countText(Math.round(count));
};

/** How many a minute, of one program or of all; null: it was not looked at twice yet. */
export function rateText({ rates }: Stats, rate: Rate, program?: string): string | null {
  const own = rates.filter((one) => program === undefined || one.program === program);
  return rates.length === 0 ? null : perMinute(own.reduce((sum, one) => sum + one[rate], 0));
}

type OldestPending = Stats['oldestPending'][number];

/** What has been pending for longest. */
export function oldestOf({ oldestPending }: Stats): OldestPending | null {
  return oldestPending.toSorted((one, two) => two.seconds - one.seconds)[0] ?? null;
}

/** Summed by currency, the most first. */
export function atRisk({ valueAtRisk }: Stats, program?: string): readonly Amount[] {
  return sumByCurrency(valueAtRisk.filter((risk) => program === undefined || risk.program === program));
}

type Partner = Stats['partner'][number];
type Latency = NonNullable<Partner['latencyMs']>;

/** The program whose calls take longest, by their middle; null: nothing was called in the last minute. */
export function slowestOf({ partner }: Stats): { readonly program: string; readonly latencyMs: Latency } | null {
  const called = partner.flatMap(({ program, latencyMs }) => (latencyMs === null ? [] : [{ program, latencyMs }]));
  return called.toSorted((one, two) => two.latencyMs.p50 - one.latencyMs.p50)[0] ?? null;
}

interface ProgramFigures {
  readonly program: string;
  readonly pending: number;
  readonly waiting: number;
  readonly unknown: number;
  readonly parked: number;
  readonly deliveredPerMinute: string | null;
  readonly oldest: OldestPending | null;
  readonly atRisk: readonly Amount[];
  /** Null: no process delivers it. */
  readonly partner: Partner | null;
}

/** Program by program, in the order of their names. */
export function byProgram(stats: Stats): readonly ProgramFigures[] {
  const programs = new Set([...stats.intents, ...stats.partner].map(({ program }) => program));
  return [...programs].toSorted().map((program) => ({
    program,
    pending: standing(stats, ['pending', 'delivering'], program),
    waiting: standing(stats, ['waiting'], program),
    unknown: standing(stats, ['unknown'], program),
    parked: standing(stats, ['parked'], program),
    deliveredPerMinute: rateText(stats, 'settledPerSecond', program),
    oldest: stats.oldestPending.find((one) => one.program === program) ?? null,
    atRisk: atRisk(stats, program),
    partner: stats.partner.find((one) => one.program === program) ?? null,
  }));
}
