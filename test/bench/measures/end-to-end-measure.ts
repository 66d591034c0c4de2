import { Undo } from '../../support/process/program.js';
import type { RecordedRate } from '../end-to-end/recorded.js';
import { measureRecorded } from '../end-to-end/recorded.js';
import { findSustained } from '../end-to-end/sustained.js';
import { recommendedNodeOptions } from '../infrastructure/bench-installation.js';
import type { DaemonLoad } from '../infrastructure/daemon-load.js';
import { awaitAll, openLoad } from '../infrastructure/daemon-load.js';
import { openSecuredWays } from '../infrastructure/secured-ways.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const p99MsMax = 1_000;
/** One burst to warm up, one that counts. */
const bursts = 2;
/** Of what a burst reached: what holds surely, and what does not. */
const [low, high] = [0.3, 1.1];

export const columns = [
  'events/s',
  'p50 ms',
  'p99 ms',
  'cores',
  'events/s a core',
  'daemon CPU ms',
  'Postgres CPU ms',
  'transactions',
];

const methodOf = (seconds: number, told: string): readonly string[] => [
  `One daemon with all roles, log at \`info\` (read by this process), metrics scraped every 5 s, outcomes published, and NODE_OPTIONS="${recommendedNodeOptions.join(' ')}". ${told} Events are due evenly spaced, members in turn, and never wait for an answer; a time begins when an event was due, which its record tells, and ends with the commit that records the partner's answer (\`pg_xact_commit_timestamp\`, which a server takes before it writes the commit to its disk).`,
  `Sustained: the highest rate of a bisection, begun around what a burst reaches, that holds for ${seconds} s with p99 < 1 s. A core: the processor time of daemon and Postgres together; Kafka, the partner and who produces are not counted. Half: the same rate halved, as long.`,
];

/** Events a second that arrive while a burst waits in Kafka: from its first arrival to its last. */
const burstRate = async (load: DaemonLoad): Promise<number> => {
  let rate = 0;
  for (let burst = 0; burst < bursts; burst += 1) {
    await load.feeder.produce(load.plan.burst);
    await awaitAll(load);
    const arrivals = (await load.stub.arrivals()).map(([, at]) => at);
    rate = (1_000 * arrivals.length) / ((arrivals.at(-1) ?? NaN) - (arrivals[0] ?? NaN));
  }
  return rate;
};

const rowOf = (label: string, recorded: RecordedRate): FiguresRow => {
  const { rate, p50Ms, p99Ms, daemonCpuMs, postgresCpuMs, transactions } = recorded;
  const cpuMs = daemonCpuMs + postgresCpuMs;
  const cores = (rate * cpuMs) / 1_000;
  const values = [rate, p50Ms, p99Ms, cores, 1_000 / cpuMs, daemonCpuMs, postgresCpuMs, transactions];
  return { label, values: values.map(rounded) };
};

const measure = async (tools: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const { endToEnd, load: loadPlan } = tools.plan;
  const { told, ...ways } = await openSecuredWays(tools.postgres, undo);
  const load = await openLoad(tools, undo, { ways, plan: { ...loadPlan, ...endToEnd } });
  const burst = await burstRate(load);
  tools.say(`end-to-end: ${Math.round(burst)}/s while a burst waits`);
  const hold = async (rate: number, isWhole: boolean): Promise<RecordedRate & { readonly holds: boolean }> => {
    const recorded = await measureRecorded(load, rate, isWhole ? endToEnd.seconds : endToEnd.searchSeconds);
    tools.say(`end-to-end: ${Math.round(rate)}/s, p99 ${Math.round(recorded.p99Ms)} ms${isWhole ? ', whole' : ''}`);
    return { ...recorded, holds: recorded.p99Ms < p99MsMax };
  };
  const sustained = await findSustained(hold, { low: low * burst, high: high * burst, steps: endToEnd.steps });
  const half = await measureRecorded(load, sustained.rate / 2, endToEnd.seconds);
  const rows = [rowOf('sustained', sustained), rowOf('half of it', half)];
  const perCore = rows[0]?.values[columns.indexOf('events/s a core')] ?? NaN;
  const text = `>= 2,500 events/s a core, sustained for ${endToEnd.seconds} s with p99 < 1 s`;
  const notes = methodOf(endToEnd.seconds, told);
  const bars = [judgeFigure({ text, atLeast: 2_500 }, perCore)];
  return { kind: 'figures', name: 'end-to-end', unit: 'Kafka to the recorded answer', columns, rows, bars, notes };
};

/** From Kafka to the recorded answer through one real daemon, everything on that production has on. */
export const endToEndMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
