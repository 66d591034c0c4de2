import { Undo } from '../../support/process/program.js';
import type { DaemonLoad } from '../infrastructure/daemon-load.js';
import { awaitAll, openLoad, used } from '../infrastructure/daemon-load.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

/** Of the partner, for each answer. */
const answerMs = 50;
/** `limits.concurrency`, however many processes there are: 2,000 calls a second, which one of them could make. */
const concurrency = 100;
const limit = (concurrency * 1_000) / answerMs;
/** The ninth is one that nobody needs. */
const deliveries = [1, 2, 4, 8, 9];

const columns = [
  'events/s',
  'of the limit',
  'calls at once, at most',
  'least by most deliveries of a process',
  'daemons CPU us',
  'Postgres CPU us',
  'transactions',
];

const notes = [
  `A partner that takes ${answerMs} ms for each answer, and \`limits.concurrency: ${concurrency}\`: ${limit} calls a second, whoever makes them. One more process ingests.`,
  'Rate: from the first call to the last of a burst that waits in Kafka; the burst before it is not counted. Each member in order and nothing twice, by the stub.',
  'CPU and transactions: of one event, of all processes together.',
];

const appliedPattern = /^loyaltyd_deliveries_total\{[^}]*outcome="applied"[^}]*\} (\d+)/gm;

/** What a process has delivered so far, as it tells its monitoring. */
async function delivered(operations: string): Promise<number> {
  const text = await (await fetch(`${operations}/metrics`)).text();
  return [...text.matchAll(appliedPattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function deliveredByEach({ daemons }: DaemonLoad): Promise<number[]> {
  // The first one ingests.
  return Promise.all(daemons.slice(1).map(({ operations }) => delivered(operations)));
}

/** The values of so many delivery processes, by `columns`. */
async function measure(tools: MeasureTools, processes: number, undo: Undo): Promise<number[]> {
  const roles = ['ingest,operations', ...Array.from({ length: processes }, () => 'delivery')];
  const plan = { ...tools.plan, deliveryConcurrency: concurrency };
  const load = await openLoad({ ...tools, plan }, undo, { roles, answerMs });
  const { stub, feeder } = load;
  const { burst } = tools.plan.pods;
  const play = async (): Promise<void> => {
    await feeder.produce(burst);
    await awaitAll(load);
  };
  await play();
  await stub.arrivals();
  await stub.mostAtOnce();
  const [before, deliveredBefore] = [await used(load), await deliveredByEach(load)];
  await play();
  const [after, deliveredAfter] = [await used(load), await deliveredByEach(load)];
  const { duplicates, outOfOrder, unreadable } = await stub.counts();
  if (duplicates + outOfOrder + unreadable > 0) {
    throw new Error(`${duplicates} twice, ${outOfOrder} out of order, ${unreadable} unreadable`);
  }
  const arrivals = (await stub.arrivals()).map(([, at]) => at);
  const rate = (1_000 * (arrivals.length - 1)) / ((arrivals.at(-1) ?? NaN) - (arrivals[0] ?? NaN));
  const shares = deliveredAfter.map((count, index) => count - (deliveredBefore[index] ?? 0));
  const [daemonMs = NaN, postgresMs = NaN, transactions = NaN] = after.map(
    (value, index) => (value - (before[index] ?? NaN)) / burst,
  );
  return [
    rate,
    rate / limit,
    await stub.mostAtOnce(),
    Math.min(...shares) / Math.max(...shares),
    1_000 * daemonMs,
    1_000 * postgresMs,
    transactions,
  ];
}

/** Whether many processes share one database and one partner's limit fairly, and what each further one costs. */
export const podsMeasure = async (tools: MeasureTools): Promise<FiguresReport> => {
  const rows: FiguresRow[] = [];
  for (const processes of deliveries) {
    tools.say(`pods: ${processes} delivery processes`);
    const undo = new Undo();
    const values = await undo.after(() => measure(tools, processes, undo));
    rows.push({
      label: `${processes} delivery ${processes === 1 ? 'process' : 'processes'}`,
      values: values.map(rounded),
    });
  }
  const valuesOf = (head: string): number[] => rows.map(({ values }) => values[columns.indexOf(head)] ?? NaN);
  const cpuOf = (processes: number): number =>
    ['daemons CPU us', 'Postgres CPU us'].reduce(
      (sum, head) => sum + (valuesOf(head)[deliveries.indexOf(processes)] ?? NaN),
      0,
    );
  const bars = [
    judgeFigure(
      { text: `never more than ${concurrency} calls at once`, atMost: concurrency },
      Math.max(...valuesOf('calls at once, at most')),
    ),
    judgeFigure(
      { text: 'up to four reach >= 0.9 of the limit', atLeast: 0.9 },
      Math.min(...valuesOf('of the limit').slice(0, deliveries.indexOf(4) + 1)),
    ),
    judgeFigure(
      { text: 'with eight <= 750 us of processor time of daemons and Postgres an event', atMost: 750 },
      cpuOf(8),
    ),
    judgeFigure(
      { text: 'none delivers less than half of what another does', atLeast: 0.5 },
      Math.min(...valuesOf('least by most deliveries of a process')),
    ),
  ];
  return { kind: 'figures', name: 'pods', unit: 'before a partner that takes its time', columns, rows, bars, notes };
};
