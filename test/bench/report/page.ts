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
} from './bench-report.js';
import { costsOf, membersGiB, scalingHead, scalingRows } from './scaling.js';
import { bestRateOf, formatNumber, formatRange } from './table.js';

/** What each measure answers, and which columns of its figures do. */
const questions: Readonly<Record<string, { readonly text: string; readonly columns?: readonly string[] }>> = {
  delivery: { text: 'How fast does a recorded backlog go to a partner that answers at once?' },
  sparse: { text: 'How fast where each member has one intent, as in most programmes?' },
  pending: { text: 'How fast are the first deliveries of a million, and beside much that is paused?' },
  crowd: { text: 'How fast beside blocked lanes and one very long lane?' },
  ingest: { text: 'How fast do events that wait in Kafka become intents?' },
  'end-to-end': {
    text: 'How many events a second does a core carry from Kafka to the recorded answer, with all that production has on?',
    columns: ['events/s', 'events/s a core', 'p50 ms', 'p99 ms'],
  },
  rates: {
    text: 'What does an event cost where few come, and where many?',
    columns: ['p50 ms', 'p99 ms', 'daemon CPU ms', 'Postgres CPU ms', 'transactions'],
  },
  idle: {
    text: 'What does a daemon with nothing to do cost, and how soon does it begin?',
    columns: ['idle: daemons, % of a core', '5 events/s: p50 ms'],
  },
  pods: { text: 'Do many processes keep to the limit of one slow partner?', columns: ['events/s', 'of the limit'] },
  consumers: { text: 'How fast do several consumers catch up?' },
  disk: { text: 'What does a delivered intent leave on the disk?', columns: ['all, bytes per intent'] },
  log: {
    text: 'How much write-ahead log does an event make where its pages are always others?',
    columns: ['bytes an event'],
  },
  bill: { text: 'What do a million events cost?', columns: ['a million events'] },
  doubts: {
    text: 'What is in doubt after a process was killed at full load?',
    columns: ['taken or begun, not done', 'of these at the partner'],
  },
  retention: { text: 'How fast do old intents leave while others are recorded?' },
  console: { text: 'How fast is the console when there is much behind it?' },
  start: { text: 'How soon is a daemon ready, and the command line done?' },
  container: { text: 'What do records that decompress to hundreds of MiB cost?' },
  receipts: { text: 'What does a purchase without a card leave behind until it is forgotten?' },
  flood: { text: 'What do clients without a token cost who ask for all they can?' },
  readers: { text: 'How late are events and probes while people ask all they can?' },
  lists: { text: 'How fast are operators’ lists after months?' },
  memory: { text: 'How much memory does a daemon take, in MiB?', columns: ['max'] },
};

/** Of a measure that names none. */
const columnsShown = 3;

/** What `docs/performance.json` holds: every table of the report, without the rounds one by one. */
interface PublishedTable {
  /** What the rows are, or the unit of their values. */
  readonly unit: string;
  readonly columns: readonly string[];
  /** Null: not measured. */
  readonly rows: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

const sideColumns = (unit: string, cores: number): readonly string[] => [
  ...[unit, 'min', 'max', 'the first is, times', 'CPU us', 'server CPU us', 'stub CPU us', 'all CPU us'],
  ...[`${cores} cores at best`, 'WAL bytes', 'statements'],
];

const sideTable = ({ unit, ours, peers, ratios }: ComparisonReport, cores: number): PublishedTable => {
  const rowOf = (side: SideReport): PublishedTable['rows'][number] => ({
    label: side.label,
    values: [
      ...[side.rate.median, side.rate.min, side.rate.max, ratios[side.name]?.median ?? null],
      ...[side.cpuMicrosecondsPerUnit, side.serverCpuMicrosecondsPerUnit, side.stubCpuMicrosecondsPerUnit],
      ...[side.allCpuMicrosecondsPerUnit, bestRateOf(side, cores), side.walBytesPerUnit, side.statementsPerUnit],
    ],
  });
  return { unit, columns: sideColumns(unit, cores), rows: [ours, ...peers].map(rowOf) };
};

const budgetsOf = (measure: MeasureReport): readonly Budget[] => {
  if (measure.kind === 'figures') return measure.budget === undefined ? [] : [measure.budget];
  return [measure.ours, ...measure.peers].flatMap(({ label, cpuMicrosecondsPerUnit: microsecondsPerUnit }) => {
    const layers = measure.layers[label];
    return layers === undefined ? [] : [{ label, microsecondsPerUnit, layers }];
  });
};

/** Where the processor time of each side goes, by the shares of a V8 profile. */
const budgetTables = (budgets: readonly Budget[]): readonly PublishedTable[] => {
  if (budgets.length === 0) return [];
  const names = [...new Set(budgets.flatMap(({ layers }) => layers.map(({ layer }) => layer)))];
  const valueOf = ({ microsecondsPerUnit, layers }: Budget, name: string): number | null => {
    const share = layers.find(({ layer }) => layer === name)?.share;
    return share === undefined ? null : rounded((microsecondsPerUnit * share) / 100);
  };
  const rows = names.map((label) => ({ label, values: budgets.map((budget) => valueOf(budget, label)) }));
  return [{ unit: 'CPU us', columns: budgets.map(({ label }) => label), rows }];
};

const figuresTable = ({ unit, columns, rows }: FiguresTable): PublishedTable => ({ unit, columns, rows });

const tablesOf = (measure: MeasureReport, cores: number): readonly PublishedTable[] =>
  measure.kind === 'comparison'
    ? [sideTable(measure, cores), ...budgetTables(budgetsOf(measure))]
    : [measure, ...(measure.further === undefined ? [] : [measure.further])]
        .map(figuresTable)
        .concat(budgetTables(budgetsOf(measure)));

const settingsOf = (measure: MeasureReport): Readonly<Record<string, string>> =>
  measure.kind === 'figures'
    ? {}
    : Object.fromEntries([measure.ours, ...measure.peers].map(({ label, settings }) => [label, settings]));

const barOf = ({ text, reached, spread, holds }: BarReport): object => ({ text, reached, ...spread, holds });

/** The tables of a report, as `docs/performance.json` has them. */
export const publishedTables = (report: BenchReport): object => {
  const { command, startedAt, seconds, machine, postgres, measures, failures } = report;
  const costs = costsOf(measures);
  return {
    ...{ command, startedAt, seconds, machine, postgres },
    measures: measures.map((measure) => ({
      name: measure.name,
      question: questions[measure.name]?.text ?? '',
      tables: tablesOf(measure, machine.cores),
      settings: settingsOf(measure),
      bars: measure.bars.map(barOf),
      notes: measure.notes,
    })),
    failures: failures.map(({ name }) => name),
    scaling: costs === null ? null : { columns: scalingHead.slice(1), rows: scalingRows(costs) },
  };
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const sideText = ({ label, rate }: SideReport): string => `${label} ${formatNumber(rate.median)}`;

const comparisonAnswer = ({ unit, ours, peers }: ComparisonReport): readonly string[] => {
  const all = ours.allCpuMicrosecondsPerUnit;
  const cost = all === null ? '' : `, ${formatNumber(all)} us of all processors each`;
  const { label, rate } = ours;
  return [`**${label}: ${formatNumber(rate.median)} ${unit}** (${formatRange(rate)}${cost})`, ...peers.map(sideText)];
};

/** The first row, and the last where there are several: the ends of what was varied. */
const figuresAnswer = ({ name, columns, rows }: FiguresReport): readonly string[] => {
  const shown = questions[name]?.columns ?? columns.slice(0, columnsShown);
  const ends = rows.length > 1 ? [rows[0], rows.at(-1)] : rows;
  return ends.flatMap((each) =>
    each === undefined
      ? []
      : [
          `${each.label}: ${shown.map((at) => `${at} ${formatNumber(each.values[columns.indexOf(at)] ?? null)}`).join(', ')}`,
        ],
  );
};

const answerOf = (measure: MeasureReport): string => {
  const answers = measure.kind === 'comparison' ? comparisonAnswer(measure) : figuresAnswer(measure);
  return `- ${questions[measure.name]?.text ?? ''} (\`${measure.name}\`) ${answers.join('; ')}.`;
};

const barRows = ({ name, bars }: MeasureReport): readonly (readonly string[])[] =>
  bars.map(({ text, reached, spread, holds }) => [
    name,
    text,
    `${formatNumber(reached)}${spread === null ? '' : ` (${formatRange(spread)})`}`,
    holds ? 'holds' : '**fails**',
  ]);

const headOf = ({ command, startedAt, seconds, machine, postgres }: BenchReport): readonly string[] => {
  const list = (entries: Readonly<Record<string, string>>, glue: string): string =>
    Object.entries(entries)
      .map(([name, value]) => `${name}${glue}${value}`)
      .join(', ');
  return [
    '# Performance',
    '',
    `Written by \`${command}\`, begun ${startedAt}, ${Math.round(seconds / 60)} minutes. Do not edit. All tables, settings and notes: [performance.json](performance.json).`,
    '',
    `- Machine: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}`,
    `- Node ${machine.node}; ${list(machine.packages, ' ')}`,
    `- Postgres: ${list(postgres, '=')}`,
    '- Everything shared this machine: what is measured, Postgres, Kafka where needed, the stub of the partner.',
    '- Sides take turns, round by round. Figures are medians of the rounds. Ratios are taken round by round and say more than rates.',
    '- On your machine: `npm run bench -- --quick`; one measure: `npm run bench -- --only delivery`; `--help` lists them.',
    '',
  ];
};

/** What more traffic needs, where enough was measured to say it. */
const scalingOf = ({ measures }: BenchReport): readonly string[] => {
  const costs = costsOf(measures);
  if (costs === null) return [];
  const rows = scalingRows(costs).map(({ label, values }) => [label, ...values.map(formatNumber)]);
  return [
    '## What more traffic needs',
    '',
    'Calculated from `end-to-end`, `log` and `disk`, not measured: one intent per event, delivered at the first attempt, processors like these at 60 %. [How to read it](scaling.md).',
    '',
    markdownTable(scalingHead, rows),
    '',
    `100 million members take ${formatNumber(membersGiB(costs))} GiB, whatever they do.`,
    '',
  ];
};

/** The report as one page in Markdown, not yet formatted. */
export const pageOf = (report: BenchReport): string => {
  const { measures, failures } = report;
  return [
    ...headOf(report),
    '## What came of it',
    '',
    ...measures.map(answerOf),
    '',
    ...failures.flatMap(({ name }) => [`\`${name}\` did not come to its end in this run: no figures.`, '']),
    '## Which bars hold',
    '',
    markdownTable(['measure', 'bar', 'reached', ''], measures.flatMap(barRows)),
    '',
    ...scalingOf(report),
  ].join('\n');
};

/** Beside the working directory's other documents: npm starts scripts in the package's folder. */
const pagePath = 'docs/performance.md';
const tablesPath = 'docs/performance.json';

/** Replaces a file, formatted as the check wants it. */
const write = async (name: string, text: string): Promise<void> => {
  const path = resolve(name);
  const config = await resolveConfig(path);
  await writeFile(path, await format(text, { ...config, filepath: path }));
};

/** Replaces the page and its tables. */
export const writePage = async (report: BenchReport): Promise<void> => {
  await write(pagePath, pageOf(report));
  await write(tablesPath, JSON.stringify(publishedTables(report), null, 2));
};
