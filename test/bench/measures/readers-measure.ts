import { Undo } from '../../support/process/program.js';
import { fillStore } from '../backlog/fill-store.js';
import { startChild } from '../child.js';
import { readerTokens, recommendedNodeOptions } from '../infrastructure/bench-installation.js';
import { runSql, settle } from '../infrastructure/bench-postgres.js';
import type { DaemonLoad } from '../infrastructure/daemon-load.js';
import { measureRate, openLoad, rateColumns } from '../infrastructure/daemon-load.js';
import type { FiguresReport, FiguresRow } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { percentile, rounded } from '../statistics.js';
import { probes, startProbing } from './flood-measure.js';
import type { MeasureTools } from './measure.js';

/** Events a second meanwhile. */
const rate = 1;
const answerTimeoutMs = 60_000;
const hourMs = 3_600_000;

const columns = [
  ...['applied p50 ms', 'applied p99 ms', 'applied max ms'],
  ...probes.flatMap((path) => [`${path} p50 ms`, `${path} p99 ms`]),
  ...['probes failed', 'questions/s answered', 'refused/s', 'slowest question ms', 'daemon, % of a core'],
];

/** All of one kind and of one person, the oldest first. */
const insertActions = `
INSERT INTO operator_action (at, actor, role, address, action, reason, detail)
SELECT clock_timestamp() - ($1::int - g) * interval '30 seconds', 'reader', 'viewer', '10.0.0.1', 'passes.list', 'because ' || g,
  jsonb_build_object('program', 'of-others', 'note', repeat('x', 100))
FROM generate_series(1, $1::int) AS g`;

const insertQuarantine = `
INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, value_bytes, broker_at, recorded_at, source)
SELECT 'loyalty.purchases', g % 8, g, 'invalid', 'data.total: required ' || g, repeat('x', 100)::bytea, 400, at, at, '/pos/' || g % 500
FROM generate_series(1, $1::int) AS g, LATERAL (SELECT clock_timestamp() - ($1::int - g) * interval '30 seconds' AS at) AS t`;

/** What fits little or nothing among very many, the widest pages, and what counts everything. */
const questionsAt = (now: number, rows: number): string[] => {
  const iso = (ms: number): string => encodeURIComponent(new Date(ms).toISOString());
  const old = now - rows * 30_000;
  return [
    '/audit?limit=500',
    '/audit?actor=nobody',
    '/audit?actor=reader&action=nothing',
    '/audit?action=nothing',
    '/audit?memberId=m_7',
    `/audit?from=${iso(old)}&to=${iso(old + hourMs)}`,
    `/audit?action=nothing&from=${iso(old)}`,
    `/audit?limit=500&cursor=${Math.floor(rows / 2)}`,
    '/quarantine?detail=nothing',
    '/quarantine?limit=500&reason=invalid',
    `/quarantine?state=any&to=${iso(old + hourMs)}`,
    '/quarantine/count?detail=nothing',
    '/quarantine/count',
    '/intents?store=nowhere&limit=500',
    '/intents?memberId=nobody',
    '/intents/count?source=nowhere',
    '/groups',
    '/stats',
    '/jobs',
    `/series?from=${iso(now - 24 * hourMs)}&to=${iso(now)}`,
  ];
};

interface Crowd {
  readonly readers: number;
  readonly questions: readonly string[];
  readonly say: (text: string) => void;
}

/** The values of one crowd, by `columns`. */
const measure = async (load: DaemonLoad, { readers, questions, say }: Crowd, undo: Undo): Promise<number[]> => {
  const [daemon = { pid: NaN, operations: '' }] = load.daemons;
  const args = [daemon.operations, JSON.stringify(questions), ...readerTokens.slice(0, readers)];
  const { child } = await startChild('flood/readers-process', args);
  undo.add(() => child.stop());
  const probing = startProbing(daemon.operations, say);
  undo.add(async () => {
    await probing.stop();
  });
  const begun = performance.now();
  const values = await measureRate(load, rate);
  const all = [...(await probing.stop()).values()];
  const seconds = (performance.now() - begun) / 1_000;
  const { answers, slowestMs } = await child.ask<{ answers: Record<string, number>; slowestMs: number }>(
    'seen',
    answerTimeoutMs,
  );
  say(`readers: answered ${JSON.stringify(answers)}`);
  const good = answers['200'] ?? 0;
  const others = Object.values(answers).reduce((sum, count) => sum + count, 0) - good;
  const value = (head: string): number => values[rateColumns.indexOf(head)] ?? NaN;
  return [
    ...['p50 ms', 'p99 ms', 'max ms'].map(value),
    ...all.flatMap((ms) => [percentile(ms, 0.5), percentile(ms, 0.99)]),
    all.flat().filter((ms) => !Number.isFinite(ms)).length,
    ...[good / seconds, others / seconds, slowestMs],
    (value('daemon CPU ms') * rate) / 10,
  ];
};

const measureAll = async (tools: MeasureTools, outer: Undo): Promise<FiguresReport> => {
  const { plan, encryptionKey, say } = tools;
  const { rows: count, seconds } = plan.readers;
  const fill = async (url: string): Promise<void> => {
    await fillStore(url, encryptionKey, { members: plan.load.members, intentsPerMember: 1 });
    say(`readers: ${count} actions, and as many records in quarantine`);
    await runSql(url, insertActions, [count]);
    await runSql(url, insertQuarantine, [count]);
    await settle(url);
  };
  const opened = await openLoad(tools, outer, { fill });
  const load = { ...opened, plan: { ...opened.plan, seconds } };
  const questions = questionsAt(Date.now(), count);
  const rows: FiguresRow[] = [];
  for (const readers of [0, readerTokens.length]) {
    say(`readers: ${seconds} s with ${readers}`);
    const undo = new Undo();
    const values = await undo.after(() => measure(load, { readers, questions, say }, undo));
    rows.push({
      label: readers === 0 ? 'nobody' : `${readers}, six questions at once each`,
      values: values.map(rounded),
    });
  }
  const worst = (head: string): number => Math.max(...rows.map(({ values }) => values[columns.indexOf(head)] ?? NaN));
  return {
    kind: 'figures',
    name: 'readers',
    unit: 'viewers',
    columns,
    rows,
    bars: [
      judgeFigure({ text: 'acknowledged to applied: p99 < 1,000 ms', atMost: 1_000 }, worst('applied p99 ms')),
      judgeFigure({ text: 'no probe fails', atMost: 0 }, worst('probes failed')),
      ...probes.map((path) => judgeFigure({ text: `${path}: p99 < 1,000 ms`, atMost: 1_000 }, worst(`${path} p99 ms`))),
    ],
    notes: [
      `One daemon process with all roles and NODE_OPTIONS="${recommendedNodeOptions.join(' ')}", which delivers ${rate} event a second meanwhile. ${count.toLocaleString('en-US')} audit entries, and as many open records in quarantine.`,
      'Each viewer has a token of its own and asks what fits little, the widest pages and what counts everything, as fast as it is answered, from another process on the same processors.',
    ],
  };
};

/** How late events and probes are while people ask all they can. */
export const readersMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measureAll(tools, undo));
};
