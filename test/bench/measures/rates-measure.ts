import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Undo } from '../../support/process/program.js';
import { machineMs } from '../child.js';
import type { DaemonLoad } from '../infrastructure/daemon-load.js';
import { awaitAll, measureRate, openLoad, rateColumns } from '../infrastructure/daemon-load.js';
import { openSecuredWays } from '../infrastructure/secured-ways.js';
import type { BarReport, Budget, FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeRounds } from '../report/judge.js';
import { readLayers } from '../report/layers.js';
import { rounded, spreadOf } from '../statistics.js';
import type { MeasureTools } from './measure.js';

/** Events a second: a quiet shop, one as it is, and one that is busy. */
const [quiet, usual, busy] = [20, 300, 2_000];

const notes = [
  "From the broker's acknowledgement of an event until the partner stub had read its call; `from when due` from when it was to be produced: one that was produced late counts with its delay. In Kafka: from when it was due until the broker had acknowledged it. The rates are evenly spaced and never wait for an answer.",
  'CPU and transactions: of one event, by the processor times of daemon and Postgres and by what `pg_stat_database` says is committed, over the run and until its last call. Where few events come, ingest, claim and group commit each find one or two at a time: these pay for the round trips, the wake-ups and the commits that some hundred share under load.',
];

interface Run {
  readonly load: DaemonLoad;
  readonly told: string;
}

const open = async (tools: MeasureTools, undo: Undo, nodeFlags: readonly string[] = []): Promise<Run> => {
  const { told, ...ways } = await openSecuredWays(tools.postgres, undo);
  return { load: await openLoad(tools, undo, { ways, nodeFlags }), told };
};

const rowOf = (label: string, values: readonly number[]): FiguresRow => ({ label, values: values.map(rounded) });

/** Median, least and most of several runs, column by column. */
const rowsOfRounds = (rounds: readonly (readonly number[])[]): FiguresRow[] => {
  const spreads = rateColumns.map((_, column) => spreadOf(rounds.map((values) => values[column] ?? NaN)));
  const row = (what: string, part: 'median' | 'min' | 'max'): FiguresRow =>
    rowOf(
      `${usual}/s, ${what}`,
      spreads.map((spread) => spread[part]),
    );
  return [row(`median of ${rounds.length}`, 'median'), row('least', 'min'), row('most', 'max')];
};

const barsOf = (rounds: readonly (readonly number[])[]): BarReport[] => {
  const valuesOf = (...heads: readonly string[]): number[] =>
    rounds.map((values) => heads.reduce((sum, head) => sum + (values[rateColumns.indexOf(head)] ?? NaN), 0));
  const at = `at ${usual} events/s`;
  return [
    judgeRounds({ text: `acknowledged to the partner: p50 <= 6 ms ${at}`, atMost: 6 }, valuesOf('p50 ms')),
    judgeRounds({ text: `acknowledged to the partner: p99 <= 25 ms ${at}`, atMost: 25 }, valuesOf('p99 ms')),
    judgeRounds(
      { text: `<= 1.6 ms of processor time of daemon and Postgres an event ${at}`, atMost: 1.6 },
      valuesOf('daemon CPU ms', 'Postgres CPU ms'),
    ),
  ];
};

const profileName = 'daemon.cpuprofile';

/** At the usual rate, by a profile of another daemon: it slows down what it looks at. */
const findLayers = async (tools: MeasureTools): Promise<Budget['layers']> => {
  const outer = new Undo();
  return outer.after(async () => {
    const folder = tools.profileFolder ?? (await mkdtemp(join(tmpdir(), 'loyaltyd-bench-')));
    if (tools.profileFolder === null) outer.add(() => rm(folder, { recursive: true, force: true }));
    const undo = new Undo();
    const warmAt = await undo.after(async () => {
      const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`, `--cpu-prof-name=${profileName}`];
      const { load } = await open(tools, undo, nodeFlags);
      await measureRate(load, usual);
      const from = machineMs();
      await measureRate(load, usual);
      return from;
    });
    return readLayers(join(folder, profileName), warmAt);
  });
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<Omit<FiguresReport, 'budget'>> => {
  const { plan, say } = tools;
  const { load, told } = await open(tools, undo);
  await load.feeder.produce(plan.load.burst);
  await awaitAll(load);
  await load.stub.arrivals();
  const rounds: number[][] = [];
  for (let round = 1; round <= plan.load.rounds; round += 1) {
    say(`rates: ${plan.load.seconds} s at ${usual} events/s, round ${round} of ${plan.load.rounds}`);
    rounds.push(await measureRate(load, usual));
  }
  const rows = rowsOfRounds(rounds);
  for (const rate of [quiet, busy]) {
    say(`rates: ${plan.load.seconds} s at ${rate} events/s`);
    rows.push(rowOf(`${rate.toLocaleString('en-US')}/s`, await measureRate(load, rate)));
  }
  const bars = barsOf(rounds);
  return {
    kind: 'figures',
    name: 'rates',
    unit: 'an event',
    columns: rateColumns,
    rows,
    bars,
    notes: [told, ...notes],
  };
};

/** What an event costs where few, some and many come a second. */
export const ratesMeasure = async (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  const report = await undo.after(() => measure(tools, undo));
  const daemonMs = report.rows[0]?.values[rateColumns.indexOf('daemon CPU ms')] ?? NaN;
  const layers = await findLayers(tools);
  return { ...report, budget: { label: 'loyaltyd', microsecondsPerUnit: 1_000 * daemonMs, layers } };
};
