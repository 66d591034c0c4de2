import { Undo } from '../../support/process/program.js';
import type { LatencyPlan } from '../bench-plan.js';
import { openInstallation, recommendedNodeOptions } from '../infrastructure/bench-installation.js';
import { awaitApplied, EventFeeder, runOpenLoop } from '../infrastructure/load.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { percentile, rounded } from '../statistics.js';
import type { PartnerStub } from '../stub/start-stub.js';
import type { MeasureTools } from './measure.js';

/** Of the capacity that the run finds; the bar is about the first. */
const loads = [0.1, 0.5, 0.9];
/** One burst to warm up, one that counts. */
const bursts = 2;

const columns = ['events/s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'in Kafka p50 ms'];

const notes = [
  'From when an event was due to be produced until the partner stub had read its call.',
  `One daemon process with all roles and NODE_OPTIONS="${recommendedNodeOptions.join(' ')}"; the rates are evenly spaced and never wait for an answer.`,
  'In Kafka: from when an event was due until the broker had acknowledged it; part of the other figures.',
];

interface LatencyParts {
  readonly stub: PartnerStub;
  readonly feeder: EventFeeder;
  readonly plan: LatencyPlan;
  readonly secondsMax: number;
}

const awaitAll = ({ stub, feeder, plan, secondsMax }: LatencyParts): Promise<void> =>
  awaitApplied(stub, plan.members + feeder.produced, secondsMax * 1_000);

/** Events per second that arrive while a burst waits in Kafka: from its first arrival to its last. */
const findCapacity = async (parts: LatencyParts): Promise<number> => {
  let capacity = 0;
  for (let burst = 0; burst < bursts; burst += 1) {
    await parts.feeder.produce(parts.plan.burst);
    await awaitAll(parts);
    const arrivals = (await parts.stub.arrivals()).map(([, at]) => at);
    const seconds = ((arrivals.at(-1) ?? NaN) - (arrivals[0] ?? NaN)) / 1_000;
    capacity = arrivals.length / seconds;
  }
  return capacity;
};

const measureLoad = async (parts: LatencyParts, share: number, capacity: number): Promise<FiguresRow> => {
  const { feeder, stub, plan } = parts;
  const rate = share * capacity;
  const loop = await runOpenLoop(feeder, { rate, seconds: plan.seconds });
  await awaitAll(parts);
  const arrivals = new Map(await stub.arrivals());
  const latencies = Array.from({ length: loop.count }, (_, index) => {
    return (arrivals.get(feeder.receiptOf(loop.first + index)) ?? NaN) - loop.dueAt(index);
  });
  const shares = [0.5, 0.95, 0.99, 1].map((each) => percentile(latencies, each));
  return {
    label: `${share * 100} % of capacity`,
    values: [rate, ...shares, percentile(loop.producedMs, 0.5)].map(rounded),
  };
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { plan, say } = tools;
  say('latency: starting a daemon, all roles in one process');
  const { broker, purchases, stub } = await openInstallation(tools, plan.latency.members, undo);
  const feeder = await EventFeeder.connect(broker, purchases, plan.latency.members);
  undo.add(() => feeder.stop());
  const parts = { stub, feeder, plan: plan.latency, secondsMax: plan.roundSecondsMax };
  await awaitAll(parts);
  await stub.arrivals();
  const capacity = await findCapacity(parts);
  const rows: FiguresRow[] = [];
  for (const share of loads) {
    say(`latency: ${plan.latency.seconds} s at ${share * 100} % of ${Math.round(capacity)} events/s`);
    rows.push(await measureLoad(parts, share, capacity));
  }
  const [, p50 = NaN, , p99 = NaN] = rows[0]?.values ?? [];
  const bars = [
    judgeFigure({ text: 'p50 <= 15 ms at 10 % of capacity', atMost: 15 }, p50),
    judgeFigure({ text: 'p99 <= 60 ms at 10 % of capacity', atMost: 60 }, p99),
  ];
  const found = `Capacity of this run: ${Math.round(capacity)} events/s, the second burst of ${plan.latency.burst}.`;
  return { kind: 'figures', name: 'latency', unit: 'end to end', columns, rows, bars, notes: [...notes, found] };
};

/** From Kafka to the partner, through one real daemon. */
export const latencyMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
