import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { rounded } from '../statistics.js';
import type {
  BarReport,
  BenchReport,
  Budget,
  ComparisonReport,
  FiguresReport,
  FiguresTable,
  MeasureReport,
  SideReport,
  StatementReport,
} from './bench-report.js';
import { costsOf, membersGiB, microseconds, nextLimit, scalingHead, scalingRows } from './scaling.js';
import { formatNumber, formatRange, sideRows } from './table.js';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table in Markdown, not yet formatted; numbers to the right of a first column of names. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

/** What each measure does, for the page. */
export const measureTexts: Readonly<Record<string, string>> = {
  delivery:
    'A recorded backlog goes to a partner that answers at once: by the delivery loop, by job queues and an engine of durable execution with the same HTTP client, by loops that keep nothing.',
  crowd: 'The same backlog beside blocked lanes and one very long lane.',
  ingest:
    'Events that wait in Kafka become intents; beside it, bare consumers write rows of the same size, and the same sealed rows.',
  latency: 'From an event to the call at the partner, by one real daemon with little to do.',
  idle: 'What a daemon costs that has nothing to do, and how soon it begins when something comes.',
  pods: 'Many delivery processes share one database, and the limit of one partner that takes its time.',
  consumers:
    'Several processes that only ingest share 24 partitions: how fast they catch up, and how long nobody consumes when one joins, leaves or dies.',
  backlog: 'The rate of the first deliveries beside much else that is pending, or paused.',
  processes: 'Several delivery processes work on one database.',
  snapshot: 'Deliveries go on while a long report or a backup holds a snapshot of the database.',
  disk: 'What a delivered intent leaves on the disk of Postgres, table by table.',
  retention: 'Old intents leave the database while others are recorded as fast as may be.',
  console: 'The web console in a browser, when there is much behind it.',
  start: 'How soon a daemon is ready, and the command line done.',
  container: 'What records that decompress to hundreds of MiB cost in a container of 512 MiB.',
  strangers: 'What strangers cost who can reach the operations port.',
  incident: 'How long someone with nothing but the web console takes for an incident.',
  lists: 'Operators page through what months have left behind, by every filter there is.',
  memory: 'One real daemon takes events from Kafka and delivers them.',
};

const budgetsOf = ({ layers, ours, peers }: ComparisonReport): Budget[] =>
  [ours, ...peers].flatMap(({ label, cpuMicrosecondsPerUnit: microsecondsPerUnit }) => {
    const found = layers[label];
    return found === undefined ? [] : [{ label, microsecondsPerUnit, layers: found }];
  });

/** The layers below one another and the sides beside one another. */
const budgetTable = (budgets: readonly Budget[], period: string): string[] => {
  if (budgets.length === 0) return [];
  const names = [...new Set(budgets.flatMap(({ layers }) => layers.map(({ layer }) => layer)))];
  const cell = ({ microsecondsPerUnit, layers }: Budget, name: string): string => {
    const share = layers.find(({ layer }) => layer === name)?.share;
    return formatNumber(share === undefined ? null : rounded((microsecondsPerUnit * share) / 100));
  };
  const rows = names.map((name) => [name, ...budgets.map((budget) => cell(budget, name))]);
  return [
    `Where its processor time goes, us a unit (by the shares of a V8 profile, ${period}):`,
    '',
    markdownTable(['', ...budgets.map(({ label }) => label)], rows),
    '',
  ];
};

/** Enough to tell statements apart. */
const statementCharactersMax = 40;

const statementRow = (statement: StatementReport): string[] => [
  `\`${statement.text.slice(0, statementCharactersMax).replaceAll('|', '\\|')}\``,
  ...[
    statement.calls,
    statement.executeMs / statement.calls,
    statement.planMs / statement.calls,
    statement.microsecondsPerUnit,
    statement.walBytesPerUnit,
    statement.pagesHit / statement.calls,
    statement.pagesRead / statement.calls,
  ].map((value) => formatNumber(rounded(value))),
];

/** Further ones take little. All of them, with their plans, are in the report that `--json` prints. */
const statementsMax = 4;

const statementTable = ({ statements, ours }: ComparisonReport): string[] => {
  if (statements.length === 0) return [];
  const head = [
    '',
    'calls',
    'ms each',
    'planning, ms each',
    'us a unit',
    'WAL bytes a unit',
    'pages hit',
    'pages read',
  ];
  return [
    `Dearest statements of ${ours.label}, last round (pg_stat_statements; pages per call; plans: \`--json\`):`,
    '',
    markdownTable(head, statements.slice(0, statementsMax).map(statementRow)),
    '',
  ];
};

/** Where the time went: nothing without a profile. */
export const profileTables = (report: ComparisonReport): string[] => [
  ...budgetTable(budgetsOf(report), 'warm-up included'),
  ...statementTable(report),
];

const settingsOf = (sides: readonly SideReport[]): string[] =>
  new Set(sides.map(({ settings }) => settings)).size === 1
    ? [`Settings of all: \`${sides[0]?.settings ?? ''}\``]
    : ['Settings:', '', ...sides.map(({ label, settings }) => `- ${label}: \`${settings}\``)];

const comparisonTable = (report: ComparisonReport, cores: number): string => {
  const [head = [], ...rows] = sideRows(report, cores);
  return [markdownTable(head, rows), '', ...settingsOf([report.ours, ...report.peers])].join('\n');
};

const tableOfFigures = ({ unit, columns, rows }: FiguresTable): string =>
  markdownTable(
    [unit, ...columns],
    rows.map(({ label, values }) => [label, ...values.map(formatNumber)]),
  );

const figuresTables = (report: FiguresReport): string =>
  [report, ...(report.further === undefined ? [] : [report.further])].map(tableOfFigures).join('\n\n');

const barTable = (bars: readonly BarReport[]): string[] => {
  if (bars.length === 0) return ['No bar.'];
  const rows = bars.map(({ text, reached, spread, holds }) => [
    text,
    formatNumber(reached),
    spread === null ? '' : formatRange(spread),
    holds ? 'holds' : '**fails**',
  ]);
  return [markdownTable(['bar', 'reached', 'min - max', ''], rows)];
};

/** What processor time is left for a unit at the rate that a bar asks for, beside what it takes. */
const askedTable = ({ bars, ours, peers, unit }: ComparisonReport, cores: number): string[] => {
  const rows = bars.flatMap(({ text, holds, asked }) => {
    const side = [ours, ...peers].find(({ name }) => name === asked?.of);
    if (holds || asked === undefined || side === undefined) return [];
    const ofThread = side === ours ? [microseconds / asked.rate, side.cpuMicrosecondsPerUnit] : [null, null];
    const ofAll = [(cores * microseconds) / asked.rate, side.allCpuMicrosecondsPerUnit];
    const values = [asked.rate, ...ofThread, ...ofAll];
    return [[text, ...values.map((value) => formatNumber(value === null ? null : rounded(value)))]];
  });
  if (rows.length === 0) return [];
  const head = [
    'what a failing bar asks for',
    unit,
    'CPU, us, at most',
    'it takes',
    'all CPU, us, at most',
    'it takes',
  ];
  return ['', markdownTable(head, rows)];
};

const sectionOf = (measure: MeasureReport, cores: number): string => {
  const figures = measure.kind === 'comparison' ? comparisonTable(measure, cores) : figuresTables(measure);
  const notes = measure.notes.map((note) => `- ${note}`);
  const parts = [`## ${measure.name}`, '', measureTexts[measure.name] ?? '', '', figures, ''];
  const profile =
    measure.kind === 'comparison'
      ? [...nextLimit(measure, cores), ...profileTables(measure)]
      : budgetTable(measure.budget === undefined ? [] : [measure.budget], 'once warm');
  const asked = measure.kind === 'comparison' ? askedTable(measure, cores) : [];
  return [...parts, ...profile, ...barTable(measure.bars), ...asked, '', ...notes, ''].join('\n');
};

const headOf = (report: BenchReport): string[] => {
  const { machine, postgres } = report;
  const list = (entries: Readonly<Record<string, string>>, glue: string): string =>
    Object.entries(entries)
      .map(([name, value]) => `${name}${glue}${value}`)
      .join(', ');
  return [
    '# Performance',
    '',
    `Written by \`${report.command}\`, begun ${report.startedAt}, ${Math.round(report.seconds / 60)} minutes. Do not edit.`,
    '',
    `- Machine: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}`,
    `- Node ${machine.node}; ${list(machine.packages, ' ')}`,
    `- Postgres: ${list(postgres, '=')}`,
    '',
    'Everything shared this machine: what is measured, Postgres, Kafka where needed, and the stub of the partner. Figures',
    'are medians of the rounds. Ratios are taken round by round and say more than rates.',
    '',
  ];
};

/** What more traffic needs, where enough was measured to say it. */
const scalingOf = ({ measures }: BenchReport): string[] => {
  const costs = costsOf(measures);
  if (costs === null) return [];
  const rows = scalingRows(costs).map(({ label, values }) => [label, ...values.map(formatNumber)]);
  return [
    '## What more traffic needs',
    '',
    'Calculated from the costs above, not measured: one intent per event, delivered at the first attempt, processors like',
    'these at 60 %. [How to read it](scaling.md).',
    '',
    markdownTable(scalingHead, rows),
    '',
    `100 million members take ${formatNumber(membersGiB(costs))} GiB, whatever they do.`,
    '',
  ];
};

/** The report as a page in Markdown, not yet formatted. */
export const pageOf = (report: BenchReport): string =>
  [
    ...headOf(report),
    ...report.measures.map((measure) => sectionOf(measure, report.machine.cores)),
    ...report.failures.map(({ name }) => `## ${name}\n\nDid not come to its end in this run: no figures.\n`),
    ...scalingOf(report),
  ].join('\n');

/** Beside the working directory's other documents: npm starts scripts in the package's folder. */
const pagePath = 'docs/performance.md';

/** Replaces the page, formatted as the check wants it. */
export const writePage = async (report: BenchReport): Promise<void> => {
  const path = resolve(pagePath);
  const config = await resolveConfig(path);
  await writeFile(path, await format(pageOf(report), { ...config, filepath: path }));
};
