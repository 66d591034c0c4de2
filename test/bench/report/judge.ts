import type { StatementPlan } from '../infrastructure/statements.js';
import type { Measure } from '../measures/measure.js';
import type { MeasuredRound } from '../rounds.js';
import { ratioOf, rounded, spreadOf } from '../statistics.js';
import type { Bar, BarReport, ComparisonReport, Limit, SideReport, StatementReport } from './bench-report.js';

const isWithin = (limit: Limit, reached: number): boolean =>
  'atLeast' in limit ? reached >= limit.atLeast : reached <= limit.atMost;

const limitOf = (bar: Limit): Limit => ('atLeast' in bar ? { atLeast: bar.atLeast } : { atMost: bar.atMost });

type Promised = Limit & { readonly text: string };

/** Holds a figure against its bar. A figure that is missing holds none. */
export const judgeFigure = (bar: Promised, reached: number): BarReport => ({
  ...limitOf(bar),
  text: bar.text,
  reached: rounded(reached),
  spread: null,
  holds: isWithin(bar, reached),
});

/** Holds the median of several rounds against a bar. */
export const judgeRounds = (bar: Promised, rounds: readonly number[]): BarReport => {
  const { median, min, max } = spreadOf(rounds);
  return { ...judgeFigure(bar, median), spread: { min, max } };
};

const rates = (rounds: readonly MeasuredRound[]): number[] => rounds.map(({ done, seconds }) => done / seconds);

type Total = (round: MeasuredRound) => number;

const perUnit = (rounds: Side, total: Total): number[] => rounds.map((round) => total(round) / round.done);

type Side = readonly MeasuredRound[];
type Rounds = ReadonlyMap<string, Side>;

const ownCpu: Total = ({ cpuSeconds }) => cpuSeconds * 1e6;
const serverCpu: Total = ({ serverCpuSeconds }) => (serverCpuSeconds ?? 0) * 1e6;
const stubCpu: Total = ({ stubCpuSeconds }) => (stubCpuSeconds ?? 0) * 1e6;
const allCpu: Total = (round) => ownCpu(round) + serverCpu(round) + stubCpu(round);

const sideReport = ({ name, label, settings, template }: Measure['entrants'][number], all: Rounds): SideReport => {
  const rounds = all.get(name) ?? [];
  const medianOf = (total: Total): number => spreadOf(perUnit(rounds, total)).median;
  const hasServer = rounds.every((round) => round.serverCpuSeconds !== null);
  const hasStub = rounds.every((round) => round.stubCpuSeconds !== null);
  const isCounted = rounds.every(({ statements }) => statements !== null);
  return {
    name,
    label,
    settings,
    rate: spreadOf(rates(rounds)),
    cpuMicrosecondsPerUnit: medianOf(ownCpu),
    serverCpuMicrosecondsPerUnit: hasServer ? medianOf(serverCpu) : null,
    stubCpuMicrosecondsPerUnit: hasStub ? medianOf(stubCpu) : null,
    // A database whose time is not known runs elsewhere.
    allCpuMicrosecondsPerUnit: hasServer || template === null ? medianOf(allCpu) : null,
    walBytesPerUnit: template === null ? null : medianOf(({ walBytes }) => walBytes),
    statementsPerUnit: isCounted ? medianOf(({ statements }) => statements ?? 0) : null,
  };
};

type Choose = (...values: number[]) => number;

/** Round by round one of several. */
const chosen = (sides: readonly (readonly number[])[], choose: Choose): number[] =>
  (sides[0] ?? []).map((_, round) => choose(...sides.map((side) => side[round] ?? NaN)));

type Figure = NonNullable<Bar['figure']>;

/** What a bar is about, round by round, over one side and those that it is held against. */
const figureOf: Readonly<Record<Figure, (ours: Side, others: readonly Side[]) => readonly number[]>> = {
  rate: (ours, others) => {
    const best = chosen(others.map(rates), Math.max);
    return others.length === 0 ? rates(ours) : ratioOf(rates(ours), best).rounds;
  },
  cpu: (ours, others) => {
    const most = chosen(
      others.map((other) => perUnit(other, ownCpu)),
      Math.max,
    );
    return perUnit(ours, ownCpu).map((value, round) => value - (most[round] ?? 0));
  },
  allCpu: (ours, others) => {
    const least = chosen(
      others.map((other) => perUnit(other, allCpu)),
      Math.min,
    );
    return ratioOf(perUnit(ours, allCpu), least).rounds;
  },
  serverCpu: (ours) => perUnit(ours, ({ serverCpuSeconds }) => (serverCpuSeconds ?? NaN) * 1e6),
  wal: (ours) => perUnit(ours, ({ walBytes }) => walBytes),
  statements: (ours) => perUnit(ours, ({ statements }) => statements ?? NaN),
};

const barReport = (bar: Bar, first: string, all: Rounds): BarReport => {
  const roundsOf = (name: string): Side => all.get(name) ?? [];
  const { of = first, figure = 'rate', against } = bar;
  return judgeRounds(bar, figureOf[figure](roundsOf(of), against.map(roundsOf)));
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
