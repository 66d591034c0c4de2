import type { Bar, Measure } from '../measures/measure.js';
import type { MeasuredRound } from '../rounds/run-rounds.js';
import { ratioOf, rounded, spreadOf, type Spread } from '../statistics.js';

/** One side's figures over the counted rounds. */
export interface SideReport {
  readonly name: string;
  readonly label: string;
  readonly settings: string;
  /** Units per second. */
  readonly rate: Spread;
  /** Processor time of its own process for one unit, microseconds, median. */
  readonly cpuMicrosecondsPerUnit: number;
  /** Bytes of write-ahead log for one unit, median; null without a database. */
  readonly walBytesPerUnit: number | null;
  /** Statements for one unit, median; null where they are not counted. */
  readonly statementsPerUnit: number | null;
}

export interface BarReport {
  readonly text: string;
  readonly atLeast: number;
  readonly reached: number;
  readonly holds: boolean;
  readonly decides: boolean;
}

export interface MeasureReport {
  readonly name: string;
  readonly unit: string;
  readonly ours: SideReport;
  readonly peers: readonly SideReport[];
  /** Our rate divided by each peer's, round by round. */
  readonly ratios: Readonly<Record<string, Spread>>;
  readonly bars: readonly BarReport[];
  readonly notes: readonly string[];
}

const rates = (rounds: readonly MeasuredRound[]): number[] => rounds.map(({ done, seconds }) => done / seconds);

const perUnit = (rounds: readonly MeasuredRound[], total: (round: MeasuredRound) => number): number =>
  rounded(spreadOf(rounds.map((round) => total(round) / round.done)).median);

type Rounds = ReadonlyMap<string, readonly MeasuredRound[]>;

const sideReport = ({ name, label, settings, template }: Measure['entrants'][number], all: Rounds): SideReport => {
  const rounds = all.get(name) ?? [];
  const isCounted = rounds.every(({ statements }) => statements !== null);
  return {
    name,
    label,
    settings,
    rate: spreadOf(rates(rounds)),
    cpuMicrosecondsPerUnit: perUnit(rounds, ({ cpuSeconds }) => cpuSeconds * 1e6),
    walBytesPerUnit: template === null ? null : perUnit(rounds, ({ walBytes }) => walBytes),
    statementsPerUnit: isCounted ? perUnit(rounds, ({ statements }) => statements ?? 0) : null,
  };
};

const barReport = (
  { text, atLeast, against, decides }: Bar,
  ours: Spread,
  ratios: MeasureReport['ratios'],
): BarReport => {
  const reached = against === null ? ours.median : (ratios[against]?.median ?? NaN);
  return { text, atLeast, reached, holds: reached >= atLeast, decides };
};

/** Turns rounds into figures, ratios and judgements. */
export const judge = (measure: Measure, rounds: Rounds): MeasureReport => {
  const [first, ...others] = measure.entrants;
  if (first === undefined) throw new Error(`${measure.name} has no entrants`);
  const ours = sideReport(first, rounds);
  const ourRates = rates(rounds.get(first.name) ?? []);
  const ratios = Object.fromEntries(others.map(({ name }) => [name, ratioOf(ourRates, rates(rounds.get(name) ?? []))]));
  return {
    name: measure.name,
    unit: measure.unit,
    ours,
    peers: others.map((entrant) => sideReport(entrant, rounds)),
    ratios,
    bars: measure.bars.map((bar) => barReport(bar, ours.rate, ratios)),
    notes: measure.notes,
  };
};
