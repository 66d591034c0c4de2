import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { Undo } from '../../support/process/program.js';
import { startChild } from '../child.js';
import { recommendedNodeOptions } from '../infrastructure/bench-installation.js';
import type { DaemonLoad } from '../infrastructure/daemon-load.js';
import { measureRate, openLoad, rateColumns } from '../infrastructure/daemon-load.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { percentile, rounded } from '../statistics.js';
import { sampleMemory } from './describe-memory.js';
import type { MeasureTools } from './measure.js';

/** Events a second that are delivered meanwhile. */
const rate = 100;
const connectionCounts = [1, 20, 500] as const;
const ways = ['reads', 'deaf'] as const;
/** As Kubernetes and Prometheus ask, but far more often; each on a connection of its own. */
export const probes = ['/health/live', '/health/ready', '/metrics'] as const;
const probePauseMs = 10;
const probeTimeoutMs = 4_000;
/** Theirs is the lowest priority, and the machine may be busy. */
const answerTimeoutMs = 60_000;
const bytesPerMebibyte = 1_048_576;

const columns = [
  'resident MiB, most',
  'daemon, % of a core',
  ...probes.flatMap((path) => [`${path} p50 ms`, `${path} p99 ms`]),
  'probes failed',
  'applied p50 ms',
  'applied p99 ms',
  'answered MiB/s',
  'connections lost',
];

/** @returns milliseconds until the answer was read; infinite without a good one */
const probeMs = (origin: string, path: string, say: (text: string) => void): Promise<number> =>
  new Promise((resolve) => {
    const begun = performance.now();
    const probe = request(new URL(path, origin), { agent: false, timeout: probeTimeoutMs }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode === 200 ? performance.now() - begun : Infinity));
      response.once('error', () => resolve(Infinity));
    });
    probe.once('timeout', () => probe.destroy());
    probe.once('error', (error: Error & { readonly code?: string }) => {
      say(`${path} failed after ${Math.round(performance.now() - begun)} ms: ${error.code ?? error.message}`);
      resolve(Infinity);
    });
    probe.end();
  });

export interface Probing {
  /** Ends it; milliseconds by path. */
  stop(): Promise<ReadonlyMap<string, readonly number[]>>;
}

export const startProbing = (origin: string, say: (text: string) => void): Probing => {
  const times = new Map<string, number[]>(probes.map((path) => [path, []]));
  const stopping = new AbortController();
  const probeAll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for (const [path, ms] of times) ms.push(await probeMs(origin, path, say));
      await sleep(probePauseMs);
    }
  };
  const ended = probeAll();
  return {
    stop: async () => {
      stopping.abort();
      await ended;
      return times;
    },
  };
};

interface Flood {
  readonly count: number;
  readonly way: (typeof ways)[number];
  readonly say: (text: string) => void;
}

/** The values of one flood, by `columns`. */
const measure = async (load: DaemonLoad, { count, way, say }: Flood, undo: Undo): Promise<number[]> => {
  const [daemon = { pid: NaN, operations: '' }] = load.daemons;
  const { port } = new URL(daemon.operations);
  const { child } = await startChild('flood/flood-process', [port, String(count), way]);
  undo.add(() => child.stop());
  const memory = sampleMemory(daemon.pid);
  const probing = startProbing(daemon.operations, say);
  undo.add(async () => {
    await Promise.all([memory.stop(), probing.stop()]);
  });
  const values = await measureRate(load, rate);
  const times = await probing.stop();
  const { bytes, lost } = await child.ask<{ bytes: number; lost: number }>('seen', answerTimeoutMs);
  const all = probes.map((path) => times.get(path) ?? []);
  const value = (head: string): number => values[rateColumns.indexOf(head)] ?? NaN;
  return [
    Math.max(...(await memory.stop())),
    (value('daemon CPU ms') * rate) / 10,
    ...all.flatMap((ms) => [percentile(ms, 0.5), percentile(ms, 0.99)]),
    all.flat().filter((ms) => !Number.isFinite(ms)).length,
    value('p50 ms'),
    value('p99 ms'),
    bytes / bytesPerMebibyte / load.plan.seconds,
    lost,
  ];
};

const measureAll = async (tools: MeasureTools, outer: Undo): Promise<FiguresReport> => {
  const load = await openLoad(tools, outer);
  const rows: FiguresRow[] = [];
  // Once for whoever compiles, and for how much it is without them.
  for (const { count, way } of [
    { count: 0, way: 'reads' } as const,
    ...ways.flatMap((each) => connectionCounts.map((connections) => ({ count: connections, way: each }))),
  ]) {
    const label = count === 0 ? 'nobody' : `${count}, ${way === 'deaf' ? 'who never read' : 'who read'}`;
    tools.say(`flood: ${load.plan.seconds} s with ${label}`);
    const undo = new Undo();
    rows.push({
      label,
      values: (await undo.after(() => measure(load, { count, way, say: tools.say }, undo))).map(rounded),
    });
  }
  const worst = (head: string): number => Math.max(...rows.map(({ values }) => values[columns.indexOf(head)] ?? NaN));
  return {
    kind: 'figures',
    name: 'flood',
    unit: 'connections of strangers',
    columns,
    rows,
    bars: [
      judgeFigure({ text: 'resident < 400 MiB', atMost: 400 }, worst('resident MiB, most')),
      judgeFigure({ text: 'no probe fails', atMost: 0 }, worst('probes failed')),
      ...probes.map((path) => judgeFigure({ text: `${path}: p99 < 100 ms`, atMost: 100 }, worst(`${path} p99 ms`))),
      judgeFigure({ text: 'acknowledged to applied: p99 < 1,000 ms', atMost: 1_000 }, worst('applied p99 ms')),
    ],
    notes: [
      `One daemon process with all roles and NODE_OPTIONS="${recommendedNodeOptions.join(' ')}", which delivers ${rate} events a second meanwhile: every one exactly once.`,
      'Each connection sends packets of 1,400 requests for the largest answers that take no token, as fast as they are taken, from another process on the same processors.',
    ],
  };
};

/** What strangers do to a daemon who ask for more than they take. */
export const floodMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measureAll(tools, undo));
};
