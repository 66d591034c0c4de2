import { setTimeout as delay } from 'node:timers/promises';

import { processMemory, programCommand, startProcess } from '#test-support';

import { openHarness } from '../../e2e/harness.js';
import { Undo } from '../../support/process/program.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { percentile, rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

/** Each flood lasts so long, while the daemon is watched. */
const floodMs = 4_000;
/** Between two looks; each probe is made on a connection of its own, as Kubernetes does. */
const lookMs = 20;
/** Alone a probe takes 5 to 20 ms; the flood wants the same processors. */
const probeMsMax = 1_000;
/** The chart's time-out of the readiness probe: no probe may take so long that Kubernetes counts it as failed. */
const probeTimeoutMs = 4_000;
/** What was read of bodies with their heads, until it is collected: V8 begins at 64 MiB. All bodies together have 800 MiB. */
const growthMebibytesMax = 112;

const floods = [
  ['twenty who post 4 MiB each', 'post', 20],
  ['two hundred who post 4 MiB each', 'post', 200],
  ['fifty whose body never ends', 'endless', 50],
  ['five hundred who send their body byte by byte', 'slow-body', 500],
  ['five hundred who send their head line by line', 'slow-head', 500],
  ['five hundred who say nothing', 'silent', 500],
  ['six hundred who say nothing', 'silent', 600],
] as const;

const probeMs = async (url: URL): Promise<number> => {
  const begun = performance.now();
  const response = await fetch(url, { headers: { connection: 'close' } });
  await response.text();
  if (response.status !== 200) throw new Error(`${url.pathname} was answered with ${response.status}`);
  return performance.now() - begun;
};

interface Watched {
  readonly pid: number;
  readonly address: URL;
}

/** @returns growth in MiB; milliseconds of the probes: median, p95, at worst */
const underFlood = async ({ pid, address }: Watched, way: string, count: number): Promise<readonly number[]> => {
  const before = (await processMemory(pid)).residentMebibytes;
  const { hostname, port } = address;
  const flood = await startProcess(programCommand('test/e2e/strangers/flood.ts', hostname, port, way, String(count)));
  const resident: number[] = [];
  const probes: number[] = [];
  try {
    const end = performance.now() + floodMs;
    while (performance.now() < end) {
      for (const path of ['/health/live', '/health/ready']) probes.push(await probeMs(new URL(path, address)));
      resident.push((await processMemory(pid)).residentMebibytes);
      await delay(lookMs);
    }
  } finally {
    await flood.stop();
  }
  return [Math.max(...resident) - before, percentile(probes, 0.5), percentile(probes, 0.95), Math.max(...probes)];
};

const measure = async ({ say }: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const harness = await openHarness();
  undo.add(() => harness.close());
  const daemon = await harness.startDaemon();
  const address = new URL(String(daemon.ready['operations']));
  const rows: FiguresRow[] = [];
  for (const [label, way, count] of floods) {
    say(`strangers: ${label}`);
    rows.push({ label, values: (await underFlood({ pid: daemon.pid, address }, way, count)).map(rounded) });
  }
  const worst = (column: number): number => Math.max(...rows.map(({ values }) => values[column] ?? NaN));
  return {
    kind: 'figures',
    name: 'strangers',
    unit: 'MiB and ms',
    columns: ['memory grows by, MiB', 'probe, median', 'p95', 'at worst'],
    rows,
    bars: [
      judgeFigure({ text: 'memory grows by 112 MiB at most', atMost: growthMebibytesMax }, worst(0)),
      judgeFigure({ text: 'p95 of the probes <= 1,000 ms', atMost: probeMsMax }, worst(2)),
      judgeFigure({ text: 'no probe takes 4,000 ms', atMost: probeTimeoutMs }, worst(3)),
    ],
    notes: [`Nobody has a token. Each flood lasts ${floodMs / 1_000} s, beside the daemon on the same processors.`],
  };
};

/** What strangers cost who can reach the operations port. */
export const strangersMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
