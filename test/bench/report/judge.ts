import type { StatementPlan } from '../infrastructure/statements.js';
import type { Measure } from '../measures/measure.js';
import type { MeasuredRound } from '../rounds.js';
import { ratioOf, rounded, spreadOf } from '../statistics.js';
import type { Bar, BarReport, ComparisonReport, Limit, SideReport, StatementReport } from './bench-report.js';

const isWithin = (limit: Limit, reached: number): boolean =>
  'atLeast' in limit ? reached >= limit.atLeast : reached <= limit.atMost;

const limitOf = (bar: Limit): Limit => ('atLeast' in bar ? { atLeast: bar.atLeast } : { atMost: bar.atMost });

/** Holds a figure against its bar. A figure that is missing holds none. */
export const judgeFigure = (bar: Limit & { readonly text: string }, reached: number): BarReport => ({
  ...limitOf(bar),
  text: bar.text,
  reached: rounded(reached),
  holds: isWithin(bar, reached),
});

const rates = (rounds: readonly MeasuredRound[]): number[] => rounds.map(({ done, seconds }) => done / seconds);

const perUnit = (rounds: readonly MeasuredRound[], total: (round: MeasuredRound) => number): number =>
  rounded(spreadOf(rounds.map((round) => total(round) / round.done)).median);

type Side = readonly MeasuredRound[];
type Rounds = ReadonlyMap<string, Side>;

const cpuMicroseconds = ({ cpuSeconds }: MeasuredRound): number => cpuSeconds * 1e6;

const sideReport = ({ name, label, settings, template }: Measure['entrants'][number], all: Rounds): SideReport => {
  const rounds = all.get(name) ?? [];
  const hasServer = template !== null && rounds.every((round) => round.serverCpuSeconds !== null);
  const isCounted = rounds.every(({ statements }) => statements !== null);
  return {
    name,
    label,
    settings,
    rate: spreadOf(rates(rounds)),
    cpuMicrosecondsPerUnit: perUnit(rounds, cpuMicroseconds),
    serverCpuMicrosecondsPerUnit: hasServer ? perUnit(rounds, (round) => (round.serverCpuSeconds ?? 0) * 1e6) : null,
    walBytesPerUnit: template === null ? null : perUnit(rounds, ({ walBytes }) => walBytes),
    statementsPerUnit: isCounted ? perUnit(rounds, ({ statements }) => statements ?? 0) : null,
  };
};

/** Round by round the best of several. */
const bestOf = (sides: readonly (readonly number[])[]): number[] =>
  (sides[0] ?? []).map((_, round) => Math.max(...sides.map((side) => side[round] ?? NaN)));

type Figure = NonNullable<Bar['figure']>;

/** What a bar is about, over one side's rounds and those that it is held against. */
const figureOf: Readonly<Record<Figure, (ours: readonly MeasuredRound[], others: readonly Side[]) => number>> = {
  rate: (ours, others) => {
    const best = bestOf(others.map(rates));
    return (others.length === 0 ? spreadOf(rates(ours)) : ratioOf(rates(ours), best)).median;
  },
  cpu: (ours, others) =>
    perUnit(ours, cpuMicroseconds) - Math.max(0, ...others.map((other) => perUnit(other, cpuMicroseconds))),
  statements: (ours) => perUnit(ours, ({ statements }) => statements ?? NaN),
};

const barReport = (bar: Bar, first: string, all: Rounds): BarReport => {
  const roundsOf = (name: string): Side => all.get(name) ?? [];
  const { of = first, figure = 'rate', against } = bar;
  return judgeFigure(bar, figureOf[figure](roundsOf(of), against.map(roundsOf)));
};

const statementReports = (round: MeasuredRound | undefined, plans: readonly StatementPlan[]): StatementReport[] =>
  (round?.statementCosts ?? []).map((cost) => ({
    ...cost,
    plan: plans.find(({ queryId }) => queryId === cost.queryId)?.text ?? null,
    microsecondsPerUnit: (1e3 * (cost.planMs + cost.executeMs)) / (round?.done ?? NaN),
    walBytesPerUnit: cost.walBytes / (round?.done ?? NaN),
  }));

/** What a profiled run found beside the figures. */
interface Findings {
  readonly layers: ComparisonReport['layers'];
  readonly plans: readonly StatementPlan[];
}

/** Turns rounds into figures, ratios and judgements. */
export const judge = (
  measure: Measure,
  rounds: Rounds,
  { layers, plans }: Findings = { layers: {}, plans: [] },
): ComparisonReport => {
  const [first, ...others] = measure.entrants;
  if (first === undefined) throw new Error(`${measure.name} has no entrants`);
  const ours = sideReport(first, rounds);
  const ourRates = rates(rounds.get(first.name) ?? []);
  const ratios = Object.fromEntries(others.map(({ name }) => [name, ratioOf(ourRates, rates(rounds.get(name) ?? []))]));
  return {
    kind: 'comparison',
    name: measure.name,
    unit: measure.unit,
    ours,
    peers: others.map((entrant) => sideReport(entrant, rounds)),
    ratios,
    bars: measure.bars.map((bar) => barReport(bar, first.name, rounds)),
    notes: measure.notes,
    layers,
    statements: statementReports(rounds.get(first.name)?.at(-1), plans),
  };
};
